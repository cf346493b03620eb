"""Curricula: stages as data, and the rule for advancing."""

from .scheduler import CurriculumScheduler
