"""`sandlot play`: play a game in the browser."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..errors import ConfigError, UnknownName
from ..worlds import games
from ..worlds.make import NATIVE, engine_of
from .options import OpenBrowser
from .serve import open_site


def play(
    game: Annotated[str, Argument(help="The game.")],
    runs: Annotated[Path | None, Option(help="Folder of the runs to play against; runs without it.")] = None,
    port: Annotated[int, Option(min=0, max=65535, help="Port, 0 for any free one.")] = 0,
    browser: OpenBrowser = True,
) -> None:
    """Play a game in the browser against bots or trained policies. Ctrl-C stops the server.

    Examples: sandlot play tag · sandlot play prospector --no-open
    """
    from ..serve import Settings

    if engine_of(game) != NATIVE:
        raise ConfigError(
            f"{game} runs in {engine_of(game)}, not in a browser. `sandlot film RUN` shows a run of it."
        )
    if game not in games():
        raise UnknownName("game", game, games())
    settings = Settings.from_environment(runs=runs, port=port)
    open_site(settings, path=f"/play?game={game}", browser=browser)
