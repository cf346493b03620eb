"""Navigation's twin."""

from .twin import NavigationTwin
