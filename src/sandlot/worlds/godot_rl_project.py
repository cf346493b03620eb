"""A Godot project with the stock godot-rl plugin: how it is recognised, what it declares beside its spaces.

Its scene says how many physics ticks a decision lasts. Everything that spaces cannot say (names, units, what
success is, which agents share a world) may stand in `sandlot.toml` beside project.godot, laid over what the
game says; a contradiction is an error that names both.
"""

import functools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..bridge.godot_addon import BINARY_FILES, TEXT_FILES, TRAINER_NODE, TRAINER_SCRIPT
from ..bridge.godot_engine import require
from ..errors import BadMessage, ConfigError
from ..spec.spec_file import FILE, SpecFile
from . import godot
from .godot import parse_address, project_setting

GODOT_RL_PREFIX = "godot_rl:"  # of the address of a game that speaks the stock protocol
STOCK_FPS = 60  # physics ticks per simulated second: the plugin sets them
ADDONS = ("addons/godot_rl_agents", "addons/godot_rl")  # the stock plugin, and ours with its interface
SYNC = re.compile(r"\bsync\.gd\b|\bclass_name Sync\b|type=\"Sync\"")
ACTION_REPEAT = re.compile(r"^action_repeat = (\d+)$", re.MULTILINE)
USUAL_ACTION_REPEAT = 8  # of the plugin's Sync node
MOST_ACTION_REPEAT = 1000
GROUPING = "agents_per_world"


def is_stock(project: Path, scene: str) -> bool:
    """Whether a scene talks to its trainer through the stock plugin's Sync node, not through ours."""
    text = _text(project, scene)
    if TRAINER_NODE in text or TRAINER_SCRIPT in text:
        return False
    return bool(SYNC.search(text)) or any((project / place).is_dir() for place in ADDONS)


def address(project: Path, scene: str | None = None) -> str:
    """The address of a project's game, by the node through which its scene connects to a trainer."""
    name = godot.address(project, scene)
    return GODOT_RL_PREFIX + name.removeprefix(godot.PREFIX) if is_stock(*parse_address(name)) else name


def _text(project: Path, scene: str) -> str:
    path = project / scene.removeprefix("res://")
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def check_playable(game: str) -> None:
    """Raise what would stop the game from opening in Godot, whichever node it talks through."""
    if not game.startswith(GODOT_RL_PREFIX):
        godot.check_playable(game)
        return
    require()
    folder, scene = parse_address(stock_name(game))
    check_sync_node(folder)
    StockProject(folder, scene).action_repeat({})


def stock_name(game: str) -> str:
    """Folder and scene of a game's address, as `parse_address` reads them."""
    return game.removeprefix(GODOT_RL_PREFIX)


def check_sync_node(project: Path) -> None:
    """ConfigError where nothing in a project is a Sync node: its scene would never connect."""
    for path in project.rglob("*"):
        parts = path.relative_to(project).parts
        if parts[0] == "addons" or parts[0].startswith(".") or not path.is_file():
            continue
        if path.suffix in BINARY_FILES:
            return
        if path.suffix in TEXT_FILES and re.search(r"\bsync\.gd\b|\bSync\b", _text(project, "/".join(parts))):
            return
    raise ConfigError(f"No scene of {project} has a Sync node. Add one to the scene that is trained.")


@dataclass(frozen=True)
class StockProject:
    """The project's folder and the scene that is played."""

    folder: Path
    scene: str

    def action_repeat(self, config: Mapping[str, Any]) -> int:
        """Physics ticks per decision: the setting, else what the scene's Sync node says."""
        found = ACTION_REPEAT.search(_text(self.folder, self.scene))
        value = config.get("action_repeat", int(found[1]) if found else USUAL_ACTION_REPEAT)
        whole = isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value)
        if not whole or not 1 <= value <= MOST_ACTION_REPEAT:
            raise ConfigError(f"action_repeat = {value!r}: expected 1 to {MOST_ACTION_REPEAT} ticks.")
        return int(value)

    @functools.cached_property
    def _file(self) -> SpecFile:
        return SpecFile(self.folder / FILE, more_keys=(GROUPING,))

    def agents_per_world(self, roles: Sequence[str]) -> int:
        """How many agents share a world: one, or as many as their policies repeat in (red, blue, red, …)."""
        count = self._file.content.get(GROUPING, _period(roles))
        if not isinstance(count, int) or count < 1 or len(roles) % count:
            raise ConfigError(
                f"{self.folder / FILE} says {GROUPING} = {count!r}, and the game has {len(roles)} agents: "
                "expected a number that divides them."
            )
        if not _repeats(roles, count):
            raise ConfigError(
                f"{count} agents form a world, and their policies ({', '.join(roles[: 2 * count])}, …) are "
                f"not the same in every world. Change {GROUPING} in {self.folder / FILE}, or the order of "
                "the agents in the scene."
            )
        return count

    def description(
        self,
        roles: Sequence[str],
        spaces: Mapping[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]],
        action_repeat: int,
        seeded: bool,
    ) -> dict[str, Any]:
        """The game's document. spaces: observation fields and actions by role. seeded: it takes seeds."""
        count = self.agents_per_world(roles)
        title = project_setting(self.folder, "application", "config/name") or self.folder.name
        made: dict[str, Any] = {
            "schema_version": 1,
            "source": "godot-rl",
            "name": re.sub(r"\W+", "_", title).strip("_").lower() or "game",
            "title": title,
            "tick_rate": STOCK_FPS,
            "ticks_per_step": action_repeat,
            "seeded": seeded,
            "agent_roles": list(roles[:count]),
            "arenas": len(roles) // count,  # worlds of one process
            "knobs": [_action_repeat_knob(self.action_repeat({}))],
            "info": [
                {"name": "tick", "text": "physics ticks of the episode so far"},
                {"name": "return", "text": "sum of rewards so far, the mean over the world's agents"},
            ],
            "episode": [
                {"name": "return", "better": "higher", "headline": True, "text": "sum of rewards"},
                {"name": "length", "unit": "steps", "text": "steps of the episode"},
                {"name": "duration_s", "unit": "s", "text": "simulated time"},
            ],
        }
        if len(spaces) == 1:
            ((made["observation"], made["actions"]),) = spaces.values()
        else:
            made["role_observation"] = {role: fields for role, (fields, _) in spaces.items()}
            made["role_actions"] = {role: actions for role, (_, actions) in spaces.items()}
        return self._file.laid_over(made, f"the game in {self.folder}", reports=True)

    def report(self, name: str, info: Any) -> float:
        """A number of a finished episode that the game's info holds."""
        value = info.get(name) if isinstance(info, Mapping) else None
        if not isinstance(value, (bool, int, float)) or not math.isfinite(value):
            there = ", ".join(map(str, info)) if isinstance(info, Mapping) and info else "nothing"
            raise BadMessage(
                f"{self.folder / FILE} asks for {name!r} of an episode, and get_info() of the agent that "
                f"ended gave {value!r} (it has: {there})."
            )
        return float(value)


def _repeats(roles: Sequence[str], count: int) -> bool:
    return all(role == roles[i % count] for i, role in enumerate(roles))


def _period(roles: Sequence[str]) -> int:
    """The smallest number of agents that repeats: copies of an arena have the same policies in one order."""
    return next(n for n in range(1, len(roles) + 1) if len(roles) % n == 0 and _repeats(roles, n))


def _action_repeat_knob(default: int) -> dict[str, Any]:
    return {
        "name": "action_repeat",
        "kind": "integer",
        "low": 1,
        "high": MOST_ACTION_REPEAT,
        "defaults": [default],
        "unit": "ticks",
        "text": "physics ticks per decision",
    }
