"""`sandlot play`: play a game in the browser, or a Godot scene of another project in its own window."""

import json
import sys
import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from ..errors import ConfigError, SandlotError, UnknownName
from ..worlds import games
from ..worlds.make import GODOT, GODOT_RL, NATIVE, check_native, engine_of
from .options import RUNS, OpenBrowser, scene_game
from .serve import open_site
from .show import out
from .stopping import terminable

if TYPE_CHECKING:
    from ..evaluate.players import Checkpoint
    from ..spec import Spec

LONGEST_S = 86_400.0  # that a scene is played
UNUSED_PORT = 1  # at which no trainer listens


def play(
    game: Annotated[
        str | None, Argument(help="A game, or a run of your own Godot scene, whose policies then play.")
    ] = None,
    runs: Annotated[Path | None, Option(help="Folder of the runs to play against. [default: runs]")] = None,
    port: Annotated[int, Option(min=0, max=65535, help="Port; 0 for any free one.")] = 0,
    browser: OpenBrowser = True,
    project: Annotated[Path | None, Option(help="Your Godot project, to play by hand.")] = None,
    scene: Annotated[str | None, Option(help="Scene of --project, res://…; default: the main scene.")] = None,
    episodes: Annotated[int, Option(min=0, help="Scenes: stop after this many episodes; 0: never.")] = 0,
    seed: Annotated[int | None, Option(min=0, help="Scenes: seed of the first episode.")] = None,
    headless: Annotated[
        bool, Option("--headless", help="Scenes: without drawing, as fast as possible.")
    ] = False,
) -> None:
    """Play a game in the browser against bots or trained policies. Ctrl-C stops the server.

    A scene of a Godot project opens in a window: by hand, or with the policies of a run of it.

    Examples: sandlot play tag · sandlot play landing · sandlot play prospector --no-open ·
    sandlot play --project my_game · sandlot play latest
    """
    from ..serve import Settings

    game = scene_game(game, project, scene)
    if game is None:
        raise ConfigError("Name a game, a run, or a project with --project DIR.")
    with terminable():
        if engine_of(game) == GODOT:
            _play_scene(game, [], seed, episodes, headless)
            return
        if engine_of(game) == GODOT_RL:
            _play_stock_by_hand(game)
            return
        if engine_of(game) != NATIVE:
            check_native(game)
        if game not in games():
            _play_run(game, runs or RUNS, seed, episodes, headless)
            return
    settings = Settings.from_environment(runs=runs, port=port)
    open_site(settings, path=f"/play?game={game}", browser=browser)


def _play_run(name: str, runs: Path, seed: int | None, episodes: int, headless: bool) -> None:
    """A scene, played by the policies of a run of it."""
    from ..evaluate.players import open_checkpoint
    from ..policies.export import export_onnx

    try:
        checkpoint = open_checkpoint(name, runs)
    except SandlotError:
        raise UnknownName("game", name, games()) from None
    spec = checkpoint.spec
    if engine_of(spec.address) == GODOT_RL:
        _watch_stock(checkpoint, seed, episodes, headless)
        return
    if engine_of(spec.address) != GODOT:
        how = "played by its name" if engine_of(spec.address) == NATIVE else "not played by people"
        raise ConfigError(f"{name} is a run of {spec.game}, which is {how}; only runs of scenes are opened.")
    with tempfile.TemporaryDirectory(prefix="sandlot-play-") as folder:
        words = []
        for role, policy in checkpoint.policies.items():
            path = Path(folder) / f"{role}.onnx"
            export_onnx(policy, path)
            words.append(f"--policy.{role}={path}")
        _play_scene(spec.address, [*words, *setting_words(spec)], seed, episodes, headless)


def setting_words(spec: "Spec") -> list[str]:
    """The game's settings as words for its scene."""
    return [f"--set.{name}={json.dumps(value)}" for name, value in spec.config.items()]


def _play_scene(game: str, words: list[str], seed: int | None, episodes: int, headless: bool) -> None:
    from ..bridge.godot_process import screen
    from ..worlds.godot import check_playable, parse_address, tick_rate

    check_playable(game)
    project, path = parse_address(game)
    words = [
        *words,
        *([f"--episodes={episodes}"] if episodes else []),
        *([] if seed is None else [f"--seed={seed}"]),
    ]
    pace = ["--fixed-fps", str(tick_rate(project))] if headless else []
    where: AbstractContextManager[dict[str, str]] = nullcontext({}) if headless else screen()  # type: ignore[assignment]
    with where as variables:
        _follow(project, [*pace, path, "--", *words], headless, variables)


def _follow(project: Path, arguments: list[str], headless: bool, variables: Mapping[str, str]) -> None:
    """Run Godot and show what it prints until its window closes."""
    from ..bridge.godot_process import TIMED_OUT, GodotProcess

    with GodotProcess(arguments, project=project, headless=headless, environment=variables) as running:
        code = running.follow(LONGEST_S, sys.stdout.write)
    if code not in (0, TIMED_OUT):
        raise typer.Exit(code if code > 0 else 2)


def _play_stock_by_hand(game: str) -> None:
    """A scene with the stock godot-rl plugin: without a trainer it listens to the keyboard."""
    from ..bridge.godot_process import screen
    from ..worlds.godot import parse_address
    from ..worlds.godot_rl_project import check_playable, stock_name

    check_playable(game)
    project, path = parse_address(stock_name(game))
    with screen() as variables:
        _follow(project, [path, f"--port={UNUSED_PORT}"], False, variables)


def _watch_stock(checkpoint: "Checkpoint", seed: int | None, episodes: int, headless: bool) -> None:
    """A scene with the stock godot-rl plugin, its agents steered from here by a run's policies."""
    from ..games.players import Players
    from ..worlds import make

    spec = checkpoint.spec
    with make(
        spec.address, spec.json["arenas"], seed=seed or 0, config=spec.settings, window=not headless
    ) as world:
        world.reset(seed)
        players = Players(world, dict(checkpoint.policies))
        ended = 0
        while not episodes or ended < episodes:
            players.act()
            if world.step():
                players.restart()
                for episode in world.finished():
                    ended += 1
                    out.print(
                        f"Episode {ended}: return {episode['return']:.2f}, {episode['length']:.0f} steps."
                    )
