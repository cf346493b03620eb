"""Curricula: stages as data, and when to move on to the next."""

from .scheduler import CurriculumScheduler
