"""Curricula: lessons as data, and when to move on."""

from .teacher import Teacher

__all__ = ["Teacher"]
