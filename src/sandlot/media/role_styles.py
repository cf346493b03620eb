"""How roles are shown: as the game's document declares, else in the palette's colours, in order."""

from collections.abc import Iterable

from ..spec.document import RoleStyle
from ..worlds import known_spec

PALETTE = (("#d1495b", "#ff5c54"), ("#2b6cb0", "#5c96ff"), ("#2f855a", "#5ccf8f"), ("#b7791f", "#f0b64a"))


def role_styles(game: str, roles: Iterable[str] = ()) -> dict[str, RoleStyle]:
    """By role: the declared ones, then those of `roles` that are not declared."""
    spec = known_spec(game)
    styles = {style.role: style for style in spec.document.role_styles} if spec else {}
    for number, role in enumerate(dict.fromkeys(roles)):
        colour, on_dark = PALETTE[number % len(PALETTE)]
        styles.setdefault(role, RoleStyle(role=role, colour=colour, on_dark=on_dark))
    return styles


def role_colours(game: str, roles: Iterable[str] = ()) -> dict[str, str]:
    """Colours on a light page."""
    return {role: style.colour for role, style in role_styles(game, roles).items()}


def dark_colours(game: str, roles: Iterable[str] = ()) -> dict[str, tuple[int, int, int]]:
    """Colours on a dark picture: red, green, blue."""
    styles = role_styles(game, roles).items()
    return {role: tuple(bytes.fromhex(style.on_dark.removeprefix("#"))) for role, style in styles}  # type: ignore[misc]
