"""Finds problems of a Godot project before it is trained: `sandlot godot check`.

First the files are checked; then the engine imports them, and the scene is opened and played for a few
decisions, as in training.
"""

import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from ..bridge.godot_addon import PLACE, STOCK_PLUGIN, addon_version, check_addon, check_trainer_node
from ..bridge.godot_build import SUFFIX, Build
from ..bridge.godot_engine import Engine, require
from ..bridge.godot_project import MADE_BY_IMPORT, import_log
from ..errors import ConfigError, SandlotError
from ..spec import Spec
from . import godot
from .godot_rl_project import address, check_sync_node, stock_name
from .make import GODOT_RL, engine_of, make
from .world import World

STEPS = 30  # decisions of random play
WORLDS = 2
SEED = 20
SMALL_OBSERVATION = 50  # numbers; see docs/your_game.md
ASSETS = {
    ".png",
    ".jpg",
    ".jpeg",
    ".svg",
    ".webp",
    ".glb",
    ".gltf",
    ".obj",
    ".fbx",
    ".wav",
    ".ogg",
    ".mp3",
    ".ttf",
}
RESOURCE = re.compile(r'^\[ext_resource .*?path="(res://[^"]+)"', re.MULTILINE)
# what the engine prints of a script or resource that it cannot load, and where
LOAD_ERROR = re.compile(
    r"^(?:SCRIPT )?ERROR: (.*(?:Parse Error|Failed loading resource).*)$(?:\n\s+at: .*?\((res://\S+)\))?",
    re.MULTILINE,
)
MOST_LINES = 5  # of one kind
SLOWEST_DECISION_S = 0.5
ODD_RATE = (10, 480)  # ticks per second that are usual


@dataclass(frozen=True)
class Finding:
    """A finding. A problem prevents or spoils training; a note is advice."""

    kind: Literal["problem", "note"]
    text: str


def check_project(
    project: Path, scene: str | None = None, tell: Callable[[str], object] = str
) -> list[Finding]:
    """All findings, problems first. tell: called with the name of each step."""
    tell("looking at the files")
    found = list(_files(project, scene))
    if not _stops(found):
        engine = require()
        tell("importing the project")
        found += _import_errors(engine, project)
        if not _stops(found):
            tell("opening the scene")
            found += _play(address(project, scene), project)
    return sorted(found, key=lambda finding: finding.kind == "note")


def _stops(found: list[Finding]) -> bool:
    return any(finding.kind == "problem" for finding in found)


# ---------------------------------------------------------------- files


def _files(project: Path, scene: str | None) -> Iterator[Finding]:
    try:
        game = address(project, scene)
        _, path = godot.parse_address(stock_name(game))
    except ConfigError as problem:
        yield Finding("problem", str(problem))
        return
    checks = [check_sync_node] if engine_of(game) == GODOT_RL else [check_addon, check_trainer_node]
    for check in checks:
        try:
            check(project)
        except ConfigError as problem:
            yield Finding("problem", str(problem))
    yield from _missing_resources(project, path)
    yield from _tick_rate(project, engine_of(game) == GODOT_RL)
    unimported = [
        path for path in _own_files(project) if path.suffix.lower() in ASSETS and not _imported(path)
    ]
    if unimported:
        first = unimported[0].relative_to(project)
        yield Finding("note", f"{len(unimported)} assets were never imported ({first}, …); it is done now.")


def _own_files(project: Path) -> Iterator[Path]:
    for path in sorted(project.rglob("*")):
        parts = path.relative_to(project).parts
        if parts[0] not in ("build", "addons") and not parts[0].startswith(".") and path.is_file():
            yield path


def _imported(asset: Path) -> bool:
    return any(asset.with_name(asset.name + suffix).is_file() for suffix in MADE_BY_IMPORT)


def _missing_resources(project: Path, scene: str) -> Iterator[Finding]:
    """Resources that a scene or one of its sub-scenes names and that do not exist."""
    waiting, seen = [scene], set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        path = project / name.removeprefix("res://")
        for resource in RESOURCE.findall(path.read_text(encoding="utf-8", errors="replace")):
            if not (project / resource.removeprefix("res://")).is_file():
                yield Finding(
                    "problem", f"{name} needs {resource}, which is not there; the scene does not load."
                )
            elif resource.endswith(".tscn") and resource not in seen:
                waiting.append(resource)


def _tick_rate(project: Path, stock: bool) -> Iterator[Finding]:
    rate = godot.tick_rate(project)
    low, high = ODD_RATE
    if not low <= rate <= high:
        yield Finding(
            "problem",
            f"project.godot asks for {rate} physics ticks per second; expected {low} to {high} "
            "(physics/common/physics_ticks_per_second).",
        )
    if stock and rate != 60:
        yield Finding(
            "note", f"project.godot asks for {rate} ticks per second; the plugin sets 60 while it trains."
        )
    if stock and (project / STOCK_PLUGIN).is_dir() and (project / "addons/godot_rl").is_dir():
        yield Finding(
            "problem", "The project has both the plugin and addons/godot_rl, with the same class names."
        )


# ---------------------------------------------------------------- in the engine


def _import_errors(engine: Engine, project: Path) -> list[Finding]:
    """What is missing after the second import: an editor plugin may preload what the first one imports."""
    found = _load_errors(import_log(engine, project))
    return _load_errors(import_log(engine, project, again=True)) if found else []


def _load_errors(log: str) -> list[Finding]:
    found = []
    for what, where in list(dict.fromkeys(LOAD_ERROR.findall(log)))[:MOST_LINES]:
        place = f" ({where})" if where else ""
        found.append(Finding("problem", f"Godot cannot load a part of it: {what.strip()}{place}"))
    return found


def _play(game: str, project: Path) -> list[Finding]:
    """Findings of opening and playing the scene; load errors replace the errors that follow from them."""
    found: list[Finding] = []
    with tempfile.TemporaryDirectory(prefix="sandlot-check-") as folder:
        log = Path(folder) / "godot.log"
        try:
            with make(game, WORLDS if engine_of(game) != GODOT_RL else 1, seed=SEED, log=log) as world:
                found += _described(world.spec)
                if engine_of(game) != GODOT_RL:
                    found += _pace(world.spec, project)
                found += _played(world)
        except SandlotError as problem:
            found.append(Finding("problem", str(problem)))
        printed = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
        return _load_errors(printed) or found


def _described(spec: Spec) -> Iterator[Finding]:
    for role in dict.fromkeys(spec.roles):
        own = spec.document.observation_of(role)
        count = sum(field.size for field in own if not field.image)
        if count > SMALL_OBSERVATION:
            largest = max((field for field in own if not field.image), key=lambda field: field.size)
            yield Finding(
                "note",
                f"The role {role} observes {count} numbers ({largest.size} of them {largest.name}). Up to "
                f"about {SMALL_OBSERVATION} it learns quickly: try fewer rays, cells or kinds.",
            )
    if not spec.reward_terms:
        yield Finding("note", "No reward terms are declared, so charts show the sum of rewards only.")
    if not spec.document.outcomes and (spec.headline is None or spec.headline.name == "return"):
        yield Finding(
            "note",
            "No flag called success is reported: checkpoints are ranked by their return, which says less.",
        )


def _pace(spec: Spec, project: Path) -> Iterator[Finding]:
    rate = godot.tick_rate(project)
    if spec.tick_rate != rate:
        yield Finding(
            "problem",
            f"The game runs at {spec.tick_rate:g} physics ticks per second and project.godot says {rate}. A "
            "script changes it: set it in the project, so that training and play have the same ticks.",
        )
    decision_s = (spec.document.ticks_per_step or 1) / (spec.tick_rate or rate)
    if decision_s > SLOWEST_DECISION_S:
        yield Finding(
            "note",
            f"A decision lasts {decision_s:g} s (ticks_per_step of the SandlotTrainer): slow to react.",
        )


def _played(world: World) -> Iterator[Finding]:
    """Random play, twice from one seed: observations, repeatability and rewards."""
    first = np.array(world.reset(seed=SEED))
    if not world.capabilities.seeds:
        again = first
    else:
        again = np.array(world.reset(seed=SEED))
    if not np.array_equal(first, again):
        yield Finding(
            "problem",
            "Two episodes from one seed begin differently. Draw everything random from the generator that "
            "begin_episode() is given, and put everything back there.",
        )
    rng = np.random.default_rng(SEED)
    low, high, earned, moved = np.array(first), np.array(first), False, False
    for _ in range(STEPS):
        world.step(_random_actions(world, rng))
        low, high = np.minimum(low, world.observations), np.maximum(high, world.observations)
        earned |= bool(np.any(world.rewards))
        moved |= not np.array_equal(world.observations, first)
    if not moved:
        yield Finding("problem", f"Nothing that is observed changes in {STEPS} decisions of random play.")
    if not earned:
        yield Finding(
            "note", f"Nothing is rewarded in {STEPS} decisions of random play: the reward may be sparse."
        )
    yield from _scales(world.spec, low, high)


def _random_actions(world: World, rng: np.random.Generator) -> np.ndarray:
    spec = world.spec
    if spec.discrete:
        return rng.integers(0, spec.action_count, world.rows).astype(np.int32)
    low, high = spec.action_bounds
    return rng.uniform(low, high, (world.rows, spec.action_size)).astype(np.float32)


def _scales(spec: Spec, low: np.ndarray, high: np.ndarray) -> Iterator[Finding]:
    """Numbers far from -1 to 1, by the field that they belong to."""
    for role in dict.fromkeys(spec.roles):
        rows = [row for row in range(len(low)) if spec.roles[row % spec.agents] == role]
        for field in spec.document.observation_of(role):
            largest = max(abs(low[rows][:, field.slice]).max(), abs(high[rows][:, field.slice]).max())
            if largest > 10.0 and not field.image:
                yield Finding(
                    "note",
                    f"{field.name} of the role {role} reaches {largest:.0f}. "
                    "Divide it so that it is about -1 to 1.",
                )


# ---------------------------------------------------------------- before an export


def described_build(project: Path, scene: str | None, output: Path | None, engine: Engine) -> Build:
    """What a build of a project will say of itself; a problem of its files is raised."""
    name = re.sub(r"\W+", "_", godot.project_setting(project, "application", "config/name") or project.name)
    program = output or project / "build" / f"{name.strip('_').lower()}{SUFFIX}"
    if not program.name.endswith(".x86_64"):
        raise ConfigError(f"--output {program}: expected a name that ends in .x86_64.")
    problems = [finding.text for finding in _files(project, scene) if finding.kind == "problem"]
    if problems:
        raise ConfigError(problems[0])
    game = address(project, scene)
    stock = engine_of(game) == GODOT_RL
    _, path = godot.parse_address(stock_name(game))
    addon = addon_version(project / PLACE)
    return Build(program.resolve(), project, path, godot.tick_rate(project), addon, stock, engine.version)
