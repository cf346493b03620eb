"""What time it is, in UTC. Whoever writes a time takes a Clock, so that a test can say what time it is."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


def iso(moment: datetime) -> str:
    """2026-01-31T09:05:00.250Z: what files and messages carry; sorts by time as text."""
    return _utc(moment).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def stamp(moment: datetime) -> str:
    """20260131T090500Z: what names carry."""
    return _utc(moment).strftime("%Y%m%dT%H%M%SZ")


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)
