"""`sandlot play`: a game by hand, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ..errors import UnknownName
from ..games import games
from .serve import open_site


def play(
    game: Annotated[str, typer.Argument(help="The game.")],
    runs: Annotated[
        Optional[Path],  # noqa: UP045  (typer reads Optional on every Python)
        typer.Option(help="Where the runs are whose policies one may play against; runs without it."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port, 0 for any free one.")] = 0,
    browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser if there is one.")
    ] = True,
) -> None:
    """Play a game by hand, in the browser, against scripted or trained players. Ctrl-C stops the server.

    Examples: sandlot play tag · sandlot play prospector --no-open
    """
    from ..serve import Settings

    if game not in games():
        raise UnknownName("game", game, games())
    settings = Settings.from_environment(runs=runs, port=port)
    open_site(settings, path=f"/play?game={game}", browser=browser)
