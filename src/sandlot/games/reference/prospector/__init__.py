"""The prospector's twin."""

from .twin import ProspectorTwin
