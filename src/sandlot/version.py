"""The version, in a leaf of its own so that any room can write it down."""

__version__ = "0.1.0"
