"""What the scripts of the guide train: a scene of the Godot project or a native game, and the defaults."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import UnknownName
from ...worlds.make import GODOT, NATIVE, check_engine

PORT, SEED = 11008, 42  # of the first environment; the next have the next ones


@dataclass(frozen=True)
class Task:
    """One experiment of the guide."""

    name: str  # inside models; a model of one task is refused by another
    title: str
    experiment: str  # what its files are called
    scene: str = ""  # of the Godot project; empty: the training scene of the native game
    project: Path | None = None  # else the one of this package
    native: str = ""  # the game that plays the same without an engine
    timesteps: int = 100_000
    num_envs: int = 4
    ppo: dict[str, Any] = field(default_factory=dict)  # what differs from HYPERPARAMETERS

    @property
    def engines(self) -> tuple[str, ...]:
        """Where it can be played, the usual one first."""
        return (NATIVE, GODOT) if self.native else (GODOT,)

    def address(self, engine: str) -> tuple[str, str]:
        """The game and the engine to open it in, for `sandlot.make`."""
        if engine not in self.engines:
            raise UnknownName(f"engine for {self.title}", engine, self.engines)
        if self.native and (engine == NATIVE or not self.scene):
            return self.native, check_engine(self.native, engine)
        from ...bridge.godot_project import project_folder
        from ...worlds.godot_rl_project import address

        game = address(project_folder(self.project), self.scene)
        return game, check_engine(game, NATIVE)


LOCOMOTION = Task(
    "vr_locomotion",
    "VR locomotion",
    "vr_locomotion_v1",
    scene="res://scenes/features/vr_locomotion_test.tscn",
)
LANDING = Task(
    "spacecraft_landing", "spacecraft landing", "spacecraft_landing_v1",
    native="landing", timesteps=500_000, num_envs=8,
)  # fmt: skip
VOXEL_STRESS = Task(
    "voxel_stress", "voxel stress", "voxel_stress_v1",
    scene="res://games/voxel/voxel_stress.tscn", num_envs=1, ppo={"ent_coef": 0.1},
)  # fmt: skip
TASKS = {task.name: task for task in (LOCOMOTION, LANDING, VOXEL_STRESS)}
