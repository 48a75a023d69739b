"""Rosewood: train, tune, search and explain log-linear translation models over packed forests."""

__version__ = "0.1.0"
__all__ = ["__version__"]
