"""What a run learned in a game that is played alone: every checkpoint plays the same seeds, one is shown.

The seed is chosen by rule: of those on which every stage did at least as well as the one before it (and the
last better than the first), the one whose gain is closest to the median gain. The film says how many seeds
are like it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .. import seeding
from ..errors import ConfigError
from ..rating import Estimate
from ..runs import Replay
from ..spec import EpisodeField, Spec
from ..worlds import World
from .play import play
from .players import read_checkpoint
from .replay_recorder import Origin, record
from .statistics import bootstrap, proportion
from .story import SEEDS, LearningStage, Tape


@dataclass(frozen=True, eq=False)
class SoloStory:
    """What was played, and which seed shows it."""

    spec: Spec
    seeds: Sequence[int]
    stages: Sequence[LearningStage]
    field: EpisodeField  # what play is judged by
    values: np.ndarray  # [stages, seeds]
    actions: Sequence[Sequence[np.ndarray]]  # of each stage and seed, [steps, agents, …]
    chosen: int
    fits: int

    def score(self, stage: int) -> Estimate:
        """The mean of a stage, for a flag the share of seeds, with its interval."""
        values = self.values[stage]
        if self.field.kind == "flag":
            return proportion(float(values.sum()), len(values))
        return bootstrap(values)


def tell_alone(
    stages: Sequence[LearningStage],
    seeds: Sequence[int] = (),
    threads: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> SoloStory:
    """Play every stage on the same seeds and choose the one to show."""
    if len(stages) < 2:
        raise ConfigError("There is no story in one checkpoint. Train at least two windows.")
    seeds = seeds or seeding.held_out("report", SEEDS)
    checkpoints = [read_checkpoint(stage.path) for stage in stages]
    spec = checkpoints[-1].spec
    judged = spec.headline
    if judged is None:
        raise ConfigError(f"{spec.game} has no number that an episode is judged by.")
    values, actions = [], []
    for number, (stage, checkpoint) in enumerate(zip(stages, checkpoints, strict=True)):
        found, taken = _play(spec, judged, checkpoint.policies, seeds, threads)
        values.append(found)
        actions.append(taken)
        if progress:
            progress(stage.name, number + 1, len(stages))
    table = np.stack(values)
    chosen, fits = choose(table if judged.better != "lower" else -table)
    return SoloStory(spec, seeds, stages, judged, table, actions, chosen, fits)


def choose(values: np.ndarray) -> tuple[int, int]:
    """The seed to show and how many grow like it: [stages, seeds], higher is better."""
    grows = (np.diff(values, axis=0) >= 0).all(axis=0) & (values[-1] > values[0])
    if not grows.any():
        grows = values[-1] >= values[0]
    if not grows.any():
        grows[:] = True
    gain = values[-1] - values[0]
    off = np.abs(gain - np.median(gain))
    return int(np.argmin(np.where(grows, off, np.inf))), int(grows.sum())


def _play(
    spec: Spec, judged: EpisodeField, policies: object, seeds: Sequence[int], threads: int
) -> tuple[np.ndarray, list[np.ndarray]]:
    taken: list[np.ndarray] = []

    def watch(world: World) -> None:
        taken.append(world.actions.copy())

    played = play(spec.address, policies, seeds, spec.settings, threads, watch=watch)  # type: ignore[arg-type]
    if len(played) != len(seeds):
        raise ConfigError(
            f"An episode of {spec.game} did not end within the step limit; give it a time limit."
        )
    steps = played.heads["length"].astype(int)
    actions = np.stack(taken)
    actions = actions.reshape(len(actions), len(seeds), spec.agents, *actions.shape[2:])
    values = np.asarray(played.column(judged.name), float).reshape(len(seeds), -1)[:, 0]
    return values, [actions[:count, i] for i, count in enumerate(steps)]


def replays(story: SoloStory, run_id: str, names: Sequence[str]) -> list[Replay]:
    """The chosen seed's episode of each stage, as it was counted. names: of the stages, in plain words."""
    spec, made = story.spec, []
    roles = np.array(spec.roles)
    for stage, name, actions in zip(story.stages, names, story.actions, strict=True):
        own = actions[story.chosen]
        tapes = {role: Tape(name, own[:, np.flatnonzero(roles == role)]) for role in spec.role_names}
        origin = Origin(run_id, stage.window_id) if stage.window_id is not None else None
        replay = record(
            spec.address, tapes, story.seeds[story.chosen], spec.settings, origin=origin, exact=True
        )
        if replay.end.steps != len(own):
            raise ConfigError(
                f"The episode of {name} came out differently when it was recorded. Report this."
            )
        made.append(replay)
    return made
