"""Tag's twin."""

from .twin import TagTwin
