"""Landing's twin."""

from .twin import LandingTwin

__all__ = ["LandingTwin"]
