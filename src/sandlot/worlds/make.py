"""`sandlot.make` and `sandlot.load_spec`: any game by its name, in any engine.

tag                          a native game
gym:CartPole-v1              a registered Gymnasium env
godot:DIR#res://main.tscn    a scene of a Godot project with our SandlotTrainer node
godot_rl:DIR#res://x.tscn    a scene that uses the stock godot-rl plugin
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ConfigError, MissingExtra, UnknownName
from ..spec import Spec
from .native import NativeWorld, games, native_spec
from .world import World

NATIVE, GODOT, GYM, GODOT_RL, HTTP = "native", "godot", "gym", "godot_rl", "http"
CUDA = "cuda"


def _open_godot(*args: Any, processes: int = 1, **options: Any) -> World:
    from .fleet import GodotFleet  # on demand: it needs the package websockets
    from .godot import GodotWorld

    if processes > 1:
        return GodotFleet(*args, processes=processes, **options)
    return GodotWorld(*args, **options)


def _open_http(*args: Any, processes: int = 1, **options: Any) -> World:
    from .fleet import GodotFleet
    from .http import HttpWorld

    if processes > 1:
        return GodotFleet(*args, processes=processes, member=HttpWorld, **options)
    return HttpWorld(*args, **options)


def _open_cuda(*args: Any, **options: Any) -> World:
    try:
        import torch  # noqa: F401  on demand: worlds of the CPU need no PyTorch
    except ModuleNotFoundError:
        raise MissingExtra("engine = cuda", "PyTorch", "cuda") from None
    from .cuda import CudaWorld

    return CudaWorld(*args, **options)


def _open_gym(*args: Any, **options: Any) -> World:
    from .gym import GymWorld  # on demand: it needs Gymnasium

    return GymWorld(*args, **options)


def _open_godot_rl(*args: Any, **options: Any) -> World:
    from .godot_rl import GodotRLWorld  # on demand, like the others

    return GodotRLWorld(*args, **options)


ENGINES: dict[str, Callable[..., World]] = {
    NATIVE: NativeWorld, GODOT: _open_godot, GYM: _open_gym, GODOT_RL: _open_godot_rl,
    HTTP: _open_http, CUDA: _open_cuda,
}  # fmt: skip
BY_PREFIX = (GODOT, GYM, GODOT_RL)  # of a game's name; http is another way to the games of godot
_described: dict[tuple[str, str], Spec] = {}  # specs of games that have to be opened to be described


def engine_of(game: str) -> str:
    """The engine that a game's name implies: that of its prefix, else native."""
    prefix, colon, _ = game.partition(":")
    return prefix if colon and prefix in BY_PREFIX else NATIVE


def check_engine(game: str, engine: str, what: str = "engine in this build") -> str:
    """The engine to open a game in; an error if that engine cannot. what: names the setting."""
    if engine not in ENGINES:
        raise UnknownName(what, engine, ENGINES)
    own = engine_of(game)
    if own == GODOT and engine == HTTP:
        return HTTP
    if own != NATIVE and engine not in (own, NATIVE):
        raise ConfigError(f"{game} runs in {own} only, not in {engine}.")
    if own == NATIVE and engine in (GYM, GODOT_RL):
        raise ConfigError(f"{game} is a native game; the engine {engine} is for names such as {engine}:….")
    return own if own != NATIVE else engine


def engine_to_watch(game: str, engine: str) -> str:
    """The engine in which single episodes are played: a GPU's games on the CPU, with the same bits."""
    checked = check_engine(game, engine)
    return NATIVE if checked == CUDA else checked


def check_native(game: str) -> None:
    """Refuse a game that a browser cannot play, since it is not a native one."""
    if engine_of(game) != NATIVE:
        raise ConfigError(f"{game} runs in {engine_of(game)}, not in a browser.")
    if game not in games():
        raise UnknownName("game", game, games())


def make(
    game: str,
    worlds: int = 1,
    threads: int = 1,
    seed: int = 0,
    config: Mapping[str, Any] | None = None,
    engine: str = NATIVE,
    **options: Any,
) -> World:
    """A batch of worlds. engine: native, cuda for the same games on a GPU (device="cuda:0"), godot for arenas
    in a Godot process, http for one that we call.

    >>> import sandlot
    >>> world = sandlot.make("tag", worlds=4, seed=7, config={"mode": "timed"})
    >>> world.reset().shape
    (8, 156)
    """
    if not isinstance(game, str):
        raise UnknownName("game", game, games())
    return ENGINES[check_engine(game, engine)](game, worlds, threads, seed, config, **options)


def worlds_of_one_process(spec: Spec, wanted: int) -> int:
    """So many worlds; of a godot_rl game no more than one process has: each more takes seconds to start."""
    return min(wanted, int(spec.json["arenas"])) if engine_of(spec.address) == GODOT_RL else wanted


def load_spec(game: str, config: Mapping[str, Any] | None = None) -> Spec:
    """The spec of a game with these settings.

    A Godot scene is started once to say it; later calls with the same settings remember.
    """
    if not isinstance(game, str) or engine_of(game) == NATIVE:
        return native_spec(game, config)
    key = (game, repr(sorted((config or {}).items())))
    if key not in _described:
        with make(game, config=config) as world:
            _described[key] = world.spec
    return _described[key]


def remember_spec(spec: Spec) -> None:
    """Answer `load_spec` with this spec from now on: that of a run or a policy, whose game need not open."""
    if engine_of(spec.address) != NATIVE:
        _described[spec.address, repr(sorted(spec.settings.items()))] = spec
        _described.setdefault((spec.address, repr([])), spec)


def known_spec(game: str, config: Mapping[str, Any] | None = None) -> Spec | None:
    """The spec if it is known without opening the game, else None."""
    if engine_of(game) == NATIVE:
        return native_spec(game, config) if game in games() else None
    return _described.get((game, repr(sorted((config or {}).items())))) or _described.get((game, repr([])))
