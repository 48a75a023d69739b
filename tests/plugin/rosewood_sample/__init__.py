"""A package that adds one of everything to Rosewood: see ../pyproject.toml."""

__version__ = "1.0"
