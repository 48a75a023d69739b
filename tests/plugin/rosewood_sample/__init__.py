"""A package that adds one of everything to Rosewood: see the entry points beside it."""

__version__ = "1.0"
