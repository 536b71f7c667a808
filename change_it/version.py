"""The package's version, which signatures, cards and folders carry."""

__version__ = "0.2.0"
