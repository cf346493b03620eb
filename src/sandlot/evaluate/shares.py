"""Shares of episodes: how often a flag was set, an ending occurred, a role won."""

from dataclasses import dataclass

from ..rating import Estimate
from ..spec import Spec
from ..worlds import Episodes
from .statistics import proportion


def shares_of(spec: Spec, played: Episodes) -> dict[str, Estimate]:
    """The share of every flag and of every label of a code, as `{name}_rate`."""
    flags = [f for f in spec.episode if f.kind == "flag"]
    counts = {f.metric: float(played.column(f.name).sum()) for f in flags}
    for column, labels in spec.codes.items():
        codes = played.column(column).astype(int)
        counts |= {f"{label}_rate": float((codes == i).sum()) for i, label in enumerate(labels) if i}
    return {metric: proportion(count, len(played)) for metric, count in counts.items()}


UNKNOWN_TICK_RATE = 60.0  # ticks per second of a game that names no rate


def mean_seconds(spec: Spec, played: Episodes) -> float:
    """Mean simulated length of episodes: as the game reports it, else steps at its tick rate."""
    if played.has("duration_s"):
        return float(played.column("duration_s").mean())
    ticks = played.column("ticks") if played.has("ticks") else played.column("length")
    return float(ticks.mean()) / (spec.tick_rate or UNKNOWN_TICK_RATE)


@dataclass(frozen=True)
class Tally:
    """Wins and draws of one role. A draw counts half a win; `score` is the share of points."""

    wins: int
    draws: int
    matches: int

    @classmethod
    def of(cls, spec: Spec, played: Episodes, role: str) -> "Tally":
        """Count these episodes for a role, as the spec's outcomes say."""
        counts = {"win": 0, "draw": 0, "loss": 0}
        for outcome in spec.outcomes:
            if outcome.role == role:
                code = spec.codes[outcome.field].index(outcome.equals)
                counts[outcome.means] += int((played.column(outcome.field) == code).sum())
        return cls(counts["win"], counts["draw"], len(played))

    @property
    def points(self) -> float:
        """1 per win, 0.5 per draw."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> Estimate:
        """Points per match."""
        return proportion(self.points, self.matches)
