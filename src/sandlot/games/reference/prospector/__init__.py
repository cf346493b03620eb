"""The prospector's twin."""

from .twin import ProspectorTwin

__all__ = ["ProspectorTwin"]
