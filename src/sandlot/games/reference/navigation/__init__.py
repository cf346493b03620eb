"""Navigation's twin."""

from .twin import NavigationTwin

__all__ = ["NavigationTwin"]
