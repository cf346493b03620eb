"""Landing's twin."""

from .twin import LandingTwin
