"""The version, in a module that imports nothing, so that any other can write it down."""

__version__ = "0.1.0"
