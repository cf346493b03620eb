"""Tag's twin."""

from .twin import TagTwin

__all__ = ["TagTwin"]
