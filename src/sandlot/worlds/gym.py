"""A registered Gymnasium env as a batch of worlds: `make("gym:CartPole-v1", worlds=8)`.

Env instances are stepped one after the other in this process. gym_spaces.py turns their spaces into a spec,
and observations and actions into rows. An env cannot be saved: a resumed run starts new episodes.
"""

import contextlib
import ctypes.util
import difflib
import hashlib
import importlib
import inspect
import math
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import ActionError, ConfigError, GameFailed, MissingExtra, NotReset, SandlotError, UnknownName
from ..spec import Document, Spec
from ..spec.document import Knob
from .arrays import EpisodeLog, LoggedWorld
from .world import Capabilities

try:
    import gymnasium
    from gymnasium.envs.registration import EnvSpec, load_env_creator

    from .gym_spaces import ActionRows, ObservationRows, UnknownSpace
except ImportError:
    raise MissingExtra("Games with names such as gym:CartPole-v1", "gymnasium", "gym") from None

PREFIX = "gym:"
MOST_WORLDS = 1024  # instances in one process
SEED_BITS = (1 << 31) - 1  # an env gets the low 31 bits of an episode's seed: many accept no more
LARGEST_SETTING = 1e30
LARGEST_RETURN = 1e30  # sums of squares of it still fit into a double
MISFIT = "gave an observation or a reward that is not what it declares"
LIMIT_SETTING = "max_episode_steps"  # of Gymnasium's own TimeLimit
NOT_SETTINGS = {"self", "render_mode", "render_fps", "width", "height", "screen_size", "disable_env_checker"}
# What a missing package is called at PyPI and in our extras, by a word of Gymnasium's sentence about it.
MISSING = {
    "box2d": ("Box2D", "gymnasium-tasks"),
    "mujoco": ("mujoco", "gymnasium-tasks"),
    "pygame": ("pygame", "render"),
}


class GymWorld(LoggedWorld):
    """`worlds` instances of one Gymnasium env, stepped in a loop. threads is accepted and has no effect."""

    def __init__(
        self,
        game: str,
        worlds: int = 1,
        threads: int = 1,
        seed: int = 0,
        config: Mapping[str, Any] | None = None,
        *,
        autoreset: bool = True,
        buffers: Mapping[str, np.ndarray] | None = None,
        pictures: bool = False,
    ):
        """game: `gym:ID` or `gym:MODULE:ID`. pictures: make rgb_array() possible, which slows some envs."""
        del threads
        self._envs: list[gymnasium.Env] = []
        env_spec = registered(game)
        settings = _settings_of(game, env_spec)
        values = _values(game, settings, config or {})
        options = {knob.name: values[knob.name] for knob in settings if _is_changed(knob, values[knob.name])}
        self._game, self._make = game, _maker(env_spec, options, pictures)
        env = self._opened()
        try:
            spec, self._rows_in, self._rows_out = _described(game, env, settings, values)
            self._describe(spec, worlds, 1, seed, autoreset, MOST_WORLDS)
            self._make_arrays(buffers or {})
            modes = env.metadata.get("render_modes") or ()
            self.capabilities = Capabilities(
                snapshot=False,
                deterministic=not env_spec.nondeterministic,
                picture="rgb_array" in modes,
            )
            self._envs += [self._opened() for _ in range(self.worlds - 1)]
        except BaseException:
            self.close()
            raise
        self._pictures = pictures
        self._log = EpisodeLog(spec, self.worlds)
        self._returns = np.zeros(self.worlds, np.float64)  # of the episodes in progress
        self._lengths = np.zeros(self.worlds, np.int64)
        self._duration = spec.tick_rate

    def _opened(self) -> "gymnasium.Env":
        with self._naming("cannot be made"):
            env = self._make()
        self._envs = self._envs or [env]  # the first, so that close() knows it
        return env

    # ------------------------------------------------------------ reset and step

    def reset(self, seed: int | None = None, seeds: Any = None, worlds: Any = None) -> np.ndarray:
        """Begin new episodes in all worlds, or in some."""
        self._open()
        roots = self._roots_of(seed, seeds, worlds)
        which = np.arange(self.worlds) if worlds is None else self._indices(worlds)
        for world in which.tolist():
            self._begin(world, int(roots[world]))
        self._check_numbers()
        self._log.begin(which, roots[which])
        return self.observations

    def next_episode(self, worlds: Any = None) -> np.ndarray:
        """Skip to the next episode."""
        self._open()
        which = np.arange(self.worlds) if worlds is None else self._indices(worlds)
        if not self._log.started(which):
            raise NotReset("A world that was never reset has no next episode. Call reset() first.")
        for world in which.tolist():
            self._begin(world, self._log.next_seed(world))
            self._log.skip(world)
        self._check_numbers()
        return self.observations

    def _begin(self, world: int, seed: int) -> None:
        """Reset one env with an episode's seed."""
        with self._naming("raised in reset()"):
            observation, _ = self._envs[world].reset(seed=seed & SEED_BITS)
        with self._naming(MISFIT):
            self._rows_in.write(observation, self._arrays["observations"][world])
        for name in ("rewards", "terminated", "truncated", "ticks", "invalid"):
            self._arrays[name][world] = 0
        self._returns[world], self._lengths[world] = 0.0, 0

    def step(self, actions: Any = None) -> int:
        """Step every env once; returns how many episodes ended."""
        if actions is not None:
            self.actions = actions
        self._open()
        self._check_actions()
        self._log.check_ready()
        arrays = self._arrays
        rewards, terminations, truncations = [], [], []
        observations, write = arrays["observations"], self._rows_in.write
        what = ""
        try:  # no context manager per env: it would take as long as a small env's step
            for world, action in enumerate(self._rows_out.to_env(self._actions)):
                what = "raised in step()"
                observation, reward, terminated, truncated, _ = self._envs[world].step(action)
                what = MISFIT
                write(observation, observations[world])
                rewards.append(reward if type(reward) is float else _number(reward))
                terminations.append(terminated)
                truncations.append(truncated)
            arrays["rewards"][:] = rewards
        except (Exception, SystemExit) as problem:  # an env that exits must not end the trainer
            raise _explained(self._game, what, problem) from problem
        arrays["terminated"][:], arrays["truncated"][:] = terminations, truncations
        arrays["ticks"][:] = 1
        self.steps += 1
        self._lengths += 1
        self._check_numbers()
        self._returns += arrays["rewards"]
        if not np.abs(self._returns).max() <= LARGEST_RETURN:
            raise GameFailed(
                f"{self._game}: the rewards of an episode add up to more than {LARGEST_RETURN:g}. "
                "Policies cannot learn from such numbers; scale the reward."
            )
        self._log.count(None)
        ended = np.flatnonzero(self.terminated | self.truncated).tolist()
        for world in ended:
            self._end(world)
        if ended:
            self._check_numbers()
        return len(ended)

    def _end(self, world: int) -> None:
        """Close an episode, and begin the next one in the same step unless autoreset is off."""
        arrays = self._arrays
        arrays["final_observations"][world] = arrays["observations"][world]
        length = int(self._lengths[world])
        sums = [self._returns[world], length, *([length / self._duration] if self._duration else [])]
        how = bool(arrays["terminated"][world]), bool(arrays["truncated"][world])
        following = self._log.next_seed(world)
        self._log.end(world, self.steps, *how, np.array(sums, np.float32), self.autoreset)
        if self.autoreset:
            outcome = {name: arrays[name][world] for name in ("rewards", "terminated", "truncated", "ticks")}
            self._begin(world, following)
            for name, value in outcome.items():
                arrays[name][world] = value

    def _check_actions(self) -> None:
        actions = self._actions
        if not self.spec.discrete:
            self._check_range(actions)
            return
        wrong = (actions < 0) | (actions >= self.spec.action_count)
        if wrong.any():
            row = int(np.argmax(wrong))
            expected = f"0 to {self.spec.action_count - 1}"
            raise ActionError(f"Row {row} asks for the action {actions[row]}; expected {expected}.")

    def _check_numbers(self) -> None:
        """GameFailed at the first NaN or infinity that an env gave."""
        for name in ("observations", "rewards"):
            array = self._arrays[name]
            if np.isfinite(array).all():
                continue
            row, *entry = np.argwhere(~np.isfinite(array))[0].tolist()
            value, what = array[row, *entry], "its reward"
            if entry:
                fields = self.spec.observation
                field = next(f for f in fields if f.start <= entry[0] < f.start + f.size)
                what = f"the field {field.name} of its observation, entry {entry[0] - field.start},"
            raise GameFailed(
                f"{self._game}: {what} is {value} in step {self._lengths[row]} of an episode. "
                "Policies learn from finite numbers alone; repair the env or wrap it."
            )

    # ------------------------------------------------------------ one world

    def block(self, name: str, world: int = 0) -> np.ndarray:
        """info: steps and return of the episode in progress; an env has no render block."""
        if name == "info":
            world = self._world(world)
            return np.array([self._lengths[world], self._returns[world]], np.float32)
        return super().block(name, world)

    def hash(self, world: int) -> int:
        """A 64-bit fingerprint of what one world shows, not of all of its state."""
        observation = self._arrays["observations"][self._world(world)]
        shown = observation.tobytes() + self.block("info", world).tobytes()
        return int.from_bytes(hashlib.blake2b(shown, digest_size=8).digest(), "big")

    def rgb_array(self, world: int = 0) -> np.ndarray:
        """A picture of one world, uint8 [height, width, 3]; needs make(…, pictures=True)."""
        self._open()
        if not self._pictures:
            raise ConfigError(f"{self._game} was made without pictures. Make it with pictures=True.")
        if not self._log.started(np.array([self._world(world)])):
            raise NotReset(f"World {world} was never reset: there is nothing to draw. Call reset() first.")
        with self._naming("raised in render()"):
            picture = np.asarray(self._envs[self._world(world)].render())
        if picture.ndim != 3 or picture.shape[2] != 3:
            raise GameFailed(f"{self._game} draws {picture.shape}, expected [height, width, 3].")
        return picture.astype(np.uint8, copy=False)

    @property
    def engine_version(self) -> str:
        """What plays, for records."""
        return f"gymnasium {gymnasium.__version__}"

    @property
    def env(self) -> "gymnasium.Env":
        """The env of the first world, for facts that the protocol does not have."""
        self._open()
        return self._envs[0]

    # ------------------------------------------------------------ life

    @contextlib.contextmanager
    def _naming(self, what: str) -> Any:
        """Name the env in its exceptions."""
        try:
            yield
        except SandlotError:
            raise
        except (Exception, SystemExit) as problem:
            raise _explained(self._game, what, problem) from problem

    def _open(self) -> None:
        if not self._envs:
            self._closed()

    def close(self) -> None:
        """Close every env. The arrays stay readable."""
        for env in getattr(self, "_envs", ()):
            with contextlib.suppress(Exception):
                env.close()
        self._envs = []

    def __repr__(self) -> str:
        return f"GymWorld({self.spec.game}, {f'{self.worlds} worlds' if self._envs else 'closed'})"


# ---------------------------------------------------------------- the registry


def _draw_without_a_screen() -> None:
    """Where there is no screen: no window and sound card for pygame, EGL for MuJoCo, which reads it once."""
    if not sys.platform.startswith("linux") or {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
        return
    for name in ("SDL_AUDIODRIVER", "SDL_VIDEODRIVER"):
        os.environ.setdefault(name, "dummy")
    if ctypes.util.find_library("EGL"):  # without it MuJoCo could not even be imported
        os.environ.setdefault("MUJOCO_GL", "egl")


def registered(game: str) -> "EnvSpec":
    """The registry's entry of `gym:ID` or `gym:MODULE:ID`; UnknownName with the nearest id."""
    _draw_without_a_screen()
    name = game.removeprefix(PREFIX)
    module, colon, env_id = name.rpartition(":")
    if env_id.startswith("ALE/") and not colon:
        module = "ale_py"  # which registers its games when it is imported
    if module:
        _import(game, module)
    registry = gymnasium.registry
    if env_id in registry:
        return registry[env_id]
    base = env_id.rsplit("-v", 1)[0]
    versions = [known for known in registry if known.rsplit("-v", 1)[0] == base]
    problem = UnknownName("Gymnasium env", env_id, versions or registry)
    if problem.nearest is None:
        near = difflib.get_close_matches(env_id.lower(), [known.lower() for known in registry], cutoff=0.3)
        known = [known for known in registry if known.lower() in near[:1]]
        hint = f"Did you mean {known[0]!r}?" if known else ""
        text = f"There is no Gymnasium env called {env_id!r}. {hint}".rstrip()
        problem.args = (f"{text} For one of your own: gym:MODULE:ID, with the module that registers it.",)
    raise problem


def _import(game: str, module: str) -> None:
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as problem:
        if problem.name == "ale_py":
            raise ConfigError(f"{game} needs ale-py, which is not installed: pip install ale-py") from None
        raise ConfigError(f"{game}: there is no module {problem.name}, which registers the env.") from None
    except Exception as problem:
        raise _explained(game, f"cannot be made: importing {module} raised", problem) from problem


def _number(reward: Any) -> float:
    """A reward as one number; many envs give an array with one entry."""
    array = np.asarray(reward)
    if array.size != 1 or array.dtype.kind not in "biuf":
        raise ValueError(f"its reward is {str(reward)[:80]}, expected one number")
    return float(array.reshape(-1)[0])


def _explained(game: str, what: str, problem: BaseException) -> SandlotError:
    """An env's exception as an error of Sandlot; a missing package by the extra that installs it."""
    text = " ".join(str(problem).split()) or type(problem).__name__
    missing = isinstance(problem, (ImportError, gymnasium.error.DependencyNotInstalled))
    if missing:
        for word, (package, extra) in MISSING.items():
            if word in text.lower():
                return MissingExtra(game, package, extra)
        return ConfigError(f"{game} needs a package that is not installed: {text[:240]}")
    return GameFailed(f"{game} {what}: {type(problem).__name__}: {text[:240].rstrip('.')}.")


def _maker(env_spec: "EnvSpec", options: Mapping[str, Any], pictures: bool) -> Callable[[], "gymnasium.Env"]:
    given = dict(options)
    limit = given.pop(LIMIT_SETTING, None)
    if limit is not None:
        given[LIMIT_SETTING] = limit if limit > 0 else -1
    if pictures:
        given["render_mode"] = "rgb_array"
    return lambda: gymnasium.make(env_spec, disable_env_checker=True, **given)


# ---------------------------------------------------------------- settings


def _settings_of(game: str, env_spec: "EnvSpec") -> list[Knob]:
    """Numbers and flags that the env's constructor takes, and the time limit."""
    if env_spec.entry_point is None:
        raise ConfigError(f"{game} can only be made as a vector env. Register one with an entry_point.")
    try:
        entry: Any = env_spec.entry_point
        creator = load_env_creator(entry) if isinstance(entry, str) else entry
        parameters = list(inspect.signature(creator).parameters.values())
    except (ValueError, TypeError):
        parameters = []
    except Exception as problem:
        raise _explained(game, "cannot be made", problem) from problem
    made = []
    for parameter in parameters:
        default = env_spec.kwargs.get(parameter.name, parameter.default)
        if parameter.name not in NOT_SETTINGS | {LIMIT_SETTING} and _is_number(default):
            made.append(_knob(parameter.name, default, "of the env's constructor"))
    limit = env_spec.max_episode_steps or 0
    text = "steps after which an episode is truncated; 0 for none"
    made.append(Knob(name=LIMIT_SETTING, kind="integer", low=0, high=1e9, defaults=(limit,), text=text))
    return made


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) and abs(value) <= LARGEST_SETTING


def _knob(name: str, default: Any, text: str) -> Knob:
    kinds: dict[type, Any] = {bool: "flag", int: "integer", float: "float"}
    bounds: dict[str, Any] = {"low": 0.0, "high": 1.0} if isinstance(default, bool) else {}
    return Knob(name=name, kind=kinds[type(default)], defaults=(float(default),), text=text, **bounds)


def _values(game: str, settings: list[Knob], config: Mapping[str, Any]) -> dict[str, Any]:
    """The env's settings as given, checked; what is not given has its default."""
    by_name = {knob.name: knob for knob in settings}
    values = {name: knob.value(knob.defaults[0]) for name, knob in by_name.items()}
    if not isinstance(config, Mapping):
        raise ConfigError(f"A configuration is a mapping of names to values, not {type(config).__name__}.")
    for name, value in config.items():
        if name == "profile":
            continue  # checked with the spec
        if name not in by_name:
            raise UnknownName(f"setting of {game}", name, by_name)
        values[name] = by_name[name].value(by_name[name].number(value))
    return values


def _is_changed(knob: Knob, value: Any) -> bool:
    return bool(value != knob.value(knob.defaults[0]))


# ---------------------------------------------------------------- the spec


def _described(
    game: str, env: "gymnasium.Env", settings: list[Knob], values: Mapping[str, Any]
) -> tuple[Spec, "ObservationRows", "ActionRows"]:
    """The spec of an env, and what turns its observations and our actions into each other's form."""
    try:
        rows_in, rows_out = ObservationRows(env.observation_space), ActionRows(env.action_space)
    except UnknownSpace as problem:
        raise ConfigError(f"{game} cannot be a game here: {problem}") from None
    env_spec = env.spec
    fps = env.metadata.get("render_fps")
    rate = float(fps) if isinstance(fps, (int, float)) and math.isfinite(fps) and fps > 0 else None
    own_text = vars(type(env.unwrapped)).get("__doc__") or ""  # not that of gymnasium.Env
    about = inspect.cleandoc(own_text).removeprefix("## Description").strip()
    episode = [
        {"name": "return", "better": "higher", "headline": True, "text": "sum of rewards"},
        {"name": "length", "unit": "steps", "text": "steps of the episode"},
    ]
    if rate:
        episode.append({"name": "duration_s", "unit": "s", "text": "at the env's render_fps"})
    description = {
        "schema_version": 1,
        "source": "gymnasium",
        "name": game,
        "title": env_spec.id if env_spec else game,
        "version": str(env_spec.version if env_spec and env_spec.version is not None else 1),
        "text": " ".join(about.partition("\n\n")[0].split())[:300],
        "play": "single",
        "tick_rate": rate,
        "ticks_per_step": 1,
        "observation": rows_in.fields,
        "actions": rows_out.actions,
        "knobs": [knob.model_dump(mode="json") for knob in settings],
        "info": [
            {"name": "tick", "text": "steps of the episode so far"},
            {"name": "return", "text": "sum of rewards so far"},
        ],
        "episode": episode,
    }
    spec = Spec(Document.parse(description, f"The spec of {game}"), description, dict(values), address=game)
    return spec, rows_in, rows_out
