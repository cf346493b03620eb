"""Do gates find what they should, and only that? Planted regressions, clean comparisons, today's gates.

    python benchmarks/gates.py --clean 150 --output gates.jsonl     # its table: benchmarks/gates.md
    python benchmarks/gates.py --only landing --clean 10
    python benchmarks/gates.py --table gates.jsonl more.jsonl       # of rows that were measured before

Native games, played by scripted players with noise on their actions, which makes them as random as a trained
policy. Planted are changes of the engine's source (each compiled), of settings, and of the player. How large
a change truly is, is measured on other seeds with 1,500 pairs: it counts as above the margin where the
measured drop of a gating metric is at least its margin. Clean comparisons differ in nothing but the noise,
the seeds, the threads, or the compiler's optimisation.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from engine_variants import Change, Variants

from sandlot import seeding
from sandlot.evaluate.play import play
from sandlot.evaluate.report_file import Row, metrics_of, rows_of
from sandlot.evaluate.statistics import proportion
from sandlot.games.scripted import default_players
from sandlot.gates.regression import Question, compare
from sandlot.gates.settings import Regression, parse_settings
from sandlot.gates.verdict import Identity
from sandlot.worlds import library, load_spec

TRUE_PAIRS, TRUE_KEY = 1500, 9
NAIVE_EPISODES, PEEK_EVERY = 200, 20
NOISE = 0.1

# Margins of the bench, in each metric's own unit: the drop that must not be missed.
MARGINS: dict[str, dict[str, float]] = {
    "landing": {
        "success": 0.05,
        "reward": 3.0,
        "touchdown_speed": 0.15,
        "distance_to_pad": 0.5,
        "fuel_used": 4.0,
    },
    "navigation": {
        "success": 0.05,
        "reward": 4.0,
        "comfort_score": 0.01,
        "vignette_share": 0.01,
        "collisions": 0.3,
    },
    "tag": {"success": 0.06},
}
# navigation takes ten times as long as the others
IN_TURN = ("landing", "tag", "landing", "tag", "landing", "tag", "navigation")
PAIRS = {"landing": 1500, "navigation": 1000, "tag": 1500}
SETTINGS: dict[str, dict[str, Any]] = {"landing": {}, "navigation": {}, "tag": {}}


# ---------------------------------------------------------------- players


@dataclass
class Player:
    """A scripted player with noise, and with a fault where one is planted."""

    inner: Any
    salt: int = 0
    noise: float = NOISE
    fault: Callable[[np.ndarray], np.ndarray] | None = None  # of its actions
    sight: Callable[[np.ndarray], np.ndarray] | None = None  # of its observations
    every: int = 1  # steps that an action is kept
    _rng: Any = None
    _step: int = 0
    _kept: Any = None

    def reseed(self, seed: int) -> None:
        """A new batch begins."""
        self._rng, self._step = np.random.default_rng([seed & 0xFFFFFFFF, self.salt]), 0

    def act(self, observations: Any, masks: Any = None, state: Any = None) -> tuple[Any, Any]:
        """The inner player's action, changed."""
        seen = np.ascontiguousarray(self.sight(observations)) if self.sight else observations
        actions, state = self.inner.act(seen, masks, state)
        actions = actions + self._rng.normal(0, self.noise, actions.shape).astype(np.float32)
        actions = np.clip(self.fault(actions) if self.fault else actions, -1, 1)
        if self._step % self.every == 0:
            self._kept = actions
        self._step += 1
        return self._kept, state

    def restart(self, state: Any, rows: Any) -> None:
        """Rows whose episode ended."""
        self.inner.restart(state, rows)


@dataclass
class Side:
    """One side of a comparison: a build, settings, and how its player differs."""

    game: str
    build: Path
    settings: dict[str, Any] = field(default_factory=dict)
    player: dict[str, Any] = field(default_factory=dict)
    threads: int = 1
    seeds: list[int] | None = None

    def __post_init__(self) -> None:
        library.use(self.build)
        self.spec = load_spec(self.game, {**SETTINGS[self.game], **self.settings})
        self.role = self.spec.role_names[0]
        self.groups: list[tuple[str, str | None]] = [(self.role, None)]
        self.metrics = metrics_of(self.spec, self.role)
        names = {"name": self.build.stem, "kind": "build", "game": self.game, "engine": "native"}
        hashes = {"interface_hash": self.spec.interface_hash, "rules_hash": self.spec.hash}
        self.identity = Identity(**names, **hashes)

    def rows(self, key: Any, seeds: Sequence[int]) -> list[Row]:
        """Play one episode per seed with this build."""
        library.use(self.build)
        bots = default_players(self.spec, set(self.spec.role_names))
        players = {**bots, self.role: Player(bots[self.role], **self.player)}
        played = play(self.game, players, list(seeds), self.spec.settings, self.threads)
        return rows_of(self.spec, self.role, played, list(seeds))

    def close(self) -> None:
        """Nothing is held."""


# ---------------------------------------------------------------- what is planted


@dataclass(frozen=True)
class Planted:
    """One regression."""

    name: str
    game: str
    changes: tuple[Change, ...] = ()
    settings: tuple[tuple[str, Any], ...] = ()
    player: tuple[tuple[str, Any], ...] = ()


def _build(name: str, game: str, file: str, old: str, new: str) -> Planted:
    return Planted(name, game, (Change(f"{game}/{file}", old, new),))


def _swap(first: int, second: int) -> Callable[[np.ndarray], np.ndarray]:
    def swapped(actions: np.ndarray) -> np.ndarray:
        order = list(range(actions.shape[1]))
        order[first], order[second] = order[second], order[first]
        return actions[:, order]

    return swapped


def _scale(factor: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda values: (values * np.float32(factor)).astype(np.float32)


def _planted() -> list[Planted]:
    touch, score = "landing.c", "pay[LANDING_PAD] = landing_on_pad(r, w) ?"
    made = [
        *(
            _build(
                f"soft landing means {int(100 * s)} % of the speed",
                "landing",
                touch,
                "speed > r->soft_speed",
                f"speed > {s}f * r->soft_speed",
            )
            for s in (0.9, 0.75, 0.65)
        ),
        *(
            _build(
                f"pad {int(100 * s)} % of its size",
                "landing",
                touch,
                "<= r->pad_radius",
                f"<= {s}f * r->pad_radius",
            )
            for s in (0.2, 0.1, 0.05)
        ),
        *(
            _build(
                f"fuel burns {int(100 * s - 100)} % faster",
                "landing",
                "landing_move.c",
                "length * r->burn",
                f"{s}f * length * r->burn",
            )
            for s in (1.05, 1.15)
        ),
        *(
            _build(
                f"vertical thrust {int(100 * s)} %",
                "landing",
                "landing_move.c",
                "ty * r->max_thrust,",
                f"{s}f * ty * r->max_thrust,",
            )
            for s in (0.95, 0.8, 0.6)
        ),
        _build("gravity drifts by 2 %", "landing", "landing_move.c", "- r->fall;", "- 1.02f * r->fall;"),
        _build("gravity drifts by 20 %", "landing", "landing_move.c", "- r->fall;", "- 1.2f * r->fall;"),
        _build(
            "pitch and roll jets swapped",
            "landing",
            "landing_move.c",
            "action[3] * r->torque_dt, action[4]",
            "action[4] * r->torque_dt, action[3]",
        ),
        _build("pad bonus is not paid", "landing", touch, score, f"{score} 0.0f *"),
        _build(
            "braking reward has the wrong sign",
            "landing",
            touch,
            "(was.error - now.error)",
            "(now.error - was.error)",
        ),
        _build("observed fall 10 % too slow", "landing", touch, "w->vy * 0.02f", "w->vy * 0.018f"),
        _build("time limit a third", "landing", touch, "w->tick >= r->limit", "3 * w->tick >= r->limit"),
        *(
            _build(
                f"turns {int(100 * s)} % as fast",
                "navigation",
                "navigation_move.c",
                "w->rotate * r->turn_dt",
                f"{s}f * w->rotate * r->turn_dt",
            )
            for s in (0.8, 0.5)
        ),
        *(
            _build(
                f"walks {int(100 * s)} % as fast",
                "navigation",
                "navigation_move.c",
                "reach = r->speed * r->dt",
                f"reach = {s}f * r->speed * r->dt",
            )
            for s in (0.9, 0.6)
        ),
        _build(
            "goal a tenth of its size",
            "navigation",
            "navigation.c",
            "w->distance <= r->goal_radius",
            "w->distance <= 0.1f * r->goal_radius",
        ),
        _build(
            "one goal in eight cannot be reached",
            "navigation",
            "navigation.c",
            "if (!w->falling &&",
            "if (!w->falling && ((int)(sl_abs(w->goal_x) * 16.0f) & 7) &&",
        ),
        _build(
            "collisions count twice", "navigation", "navigation.c", "w->collisions++;", "w->collisions += 2;"
        ),
        _build(
            "vignette at lower acceleration",
            "navigation",
            "navigation.c",
            "navigation_shade(r, w, acceleration)",
            "navigation_shade(r, w, 1.4f * acceleration)",
        ),
        _build(
            "turning is not smoothed",
            "navigation",
            "navigation_move.c",
            "(n->rotate - w->rotate) * r->blend",
            "(n->rotate - w->rotate)",
        ),
        _build(
            "goal reward halved",
            "navigation",
            "navigation.c",
            "goal ? weight[NAVIGATION_REACHED]",
            "goal ? 0.5f * weight[NAVIGATION_REACHED]",
        ),
        _build(
            "wider body in walls",
            "navigation",
            "navigation_move.c",
            "&p->x, low_x, r->radius",
            "&p->x, low_x, 1.6f * r->radius",
        ),
        Planted("seeker slower by 3 %", "tag", settings=(("seeker_speed", 0.97),)),
        Planted("seeker slower by 10 %", "tag", settings=(("seeker_speed", 0.9),)),
        Planted("seeker sees half as far", "tag", settings=(("vision_range", 6.0),)),
        Planted("seconds of immunity doubled", "tag", settings=(("immunity_s", 4.0),)),
    ]
    for game, swap in (("landing", (0, 2)), ("navigation", (0, 1))):
        faults: list[tuple[str, dict[str, Any]]] = [
            ("actions repeated twice", {"every": 2}),
            ("actions repeated four times", {"every": 4}),
            ("actions at 80 %", {"fault": _scale(0.8)}),
            ("axes swapped", {"fault": _swap(*swap)}),
            ("normaliser off by 10 %", {"sight": _scale(0.9)}),
            ("normaliser off by 30 %", {"sight": _scale(0.7)}),
            ("noise doubled", {"noise": 2 * NOISE}),
            ("noise five times", {"noise": 5 * NOISE}),
        ]
        made += [Planted(f"player: {name}", game, player=tuple(change.items())) for name, change in faults]
    return [*made, *_graded()]


def _graded() -> list[Planted]:
    """The same kinds of change, down to the size of the margins."""
    touch, move, nav, walk = "landing.c", "landing_move.c", "navigation.c", "navigation_move.c"
    shade = "navigation_shade(r, w, acceleration)"
    made = [
        *_steps("soft landing means {:g} % of the speed", "landing", touch, (88, 85, 80),
                "speed > r->soft_speed", "speed > {:g}f * r->soft_speed"),
        *_steps("pad {:g} % of its size", "landing", touch, (60, 40),
                "<= r->pad_radius", "<= {:g}f * r->pad_radius"),
        *_steps("fuel burns at {:g} %", "landing", move, (107, 109),
                "length * r->burn", "{:g}f * length * r->burn"),
        *_steps("vertical thrust {:g} %", "landing", move, (99, 98),
                "ty * r->max_thrust,", "{:g}f * ty * r->max_thrust,"),
        *_steps("gravity at {:g} %", "landing", move, (100.5, 101), "- r->fall;", "- {:g}f * r->fall;"),
        *_steps("observed fall at {:g} %", "landing", touch, (98, 95),
                "w->vy * 0.02f", "w->vy * 0.02f * {:g}f"),
        *_steps("vignette at {:g} % acceleration", "navigation", nav, (103, 110),
                shade, "navigation_shade(r, w, {:g}f * acceleration)"),
        *_steps("goal reward {:g} %", "navigation", nav, (95, 90),
                "goal ? weight[NAVIGATION_REACHED]", "goal ? {:g}f * weight[NAVIGATION_REACHED]"),
        *_steps("turns {:g} % as fast", "navigation", walk, (40, 30),
                "w->rotate * r->turn_dt", "{:g}f * w->rotate * r->turn_dt"),
        _build("one goal in sixteen cannot be reached", "navigation", nav, "if (!w->falling &&",
               "if (!w->falling && ((int)(sl_abs(w->goal_x) * 16.0f) & 15) &&"),
        Planted("seeker slower by 5 %", "tag", settings=(("seeker_speed", 0.95),)),
        Planted("seeker slower by 7 %", "tag", settings=(("seeker_speed", 0.93),)),
    ]  # fmt: skip
    for game, faults in (
        ("landing", ({"noise": 1.3 * NOISE}, {"noise": 1.6 * NOISE}, {"sight": _scale(0.97)})),
        ("navigation", ({"noise": 1.1 * NOISE}, {"sight": _scale(0.97)})),
    ):
        names = {"noise": "noise at {:.0f} %", "sight": "normaliser off by 3 %"}
        for fault in faults:
            ((what, how),) = fault.items()
            name = names[what].format(100 * how / NOISE if what == "noise" else 0)
            made.append(Planted(f"player: {name}", game, player=tuple(fault.items())))
    return made


def _steps(name: str, game: str, file: str, percents: Sequence[float], old: str, new: str) -> list[Planted]:
    return [_build(name.format(p), game, file, old, new.format(p / 100)) for p in percents]


# ---------------------------------------------------------------- the naive gates


def naive(baseline: Side, current: Side, key: int) -> dict[str, bool]:
    """Whether today's gates fail, on the same episodes: any of the gating metrics."""
    seeds = seeding.held_out("gate", NAIVE_EPISODES, key)
    one, two = (side.rows(side.groups[0], seeds) for side in (baseline, current))
    found = dict.fromkeys(("mean within 10 %", "t-test at 5 %", "t-test at 5 %, looking every 20"), False)
    for name in MARGINS[baseline.game]:
        sign = -1 if next(m.better for m in baseline.metrics if m.name == name) == "lower" else 1
        before, after = (sign * np.array([row[name] or 0.0 for row in rows]) for rows in (one, two))
        found["mean within 10 %"] |= bool(after.mean() < before.mean() - 0.1 * abs(before.mean()))
        found["t-test at 5 %"] |= _t_test(before, after)
        peeks = range(PEEK_EVERY, NAIVE_EPISODES + 1, PEEK_EVERY)
        found["t-test at 5 %, looking every 20"] |= any(_t_test(before[:n], after[:n]) for n in peeks)
    return found


def _t_test(before: np.ndarray, after: np.ndarray) -> bool:
    error = np.sqrt(before.var(ddof=1) / len(before) + after.var(ddof=1) / len(after))
    return bool(error > 0 and (after.mean() - before.mean()) / error < -1.645)


# ---------------------------------------------------------------- the bench


def judged(baseline: Side, current: Side, key: int) -> dict[str, Any]:
    """The gate's verdict and how long it took."""
    settings: Regression = parse_settings(
        {"regression": {"pairs": PAIRS[baseline.game], "margins": MARGINS[baseline.game]}}, "bench"
    ).regression
    started = time.perf_counter()
    verdict = compare(baseline, current, Question(settings, seed_key=key, across_rules=True))
    seconds = time.perf_counter() - started
    failed = [check.name for check in verdict.checks if check.result == "fail"]
    return {"result": verdict.result, "pairs": verdict.pairs, "seconds": round(seconds, 2), "failed": failed}


def true_drop(baseline: Side, current: Side) -> dict[str, float]:
    """How far each gating metric falls, in margins, on seeds that no gate sees."""
    seeds = seeding.held_out("gate", TRUE_PAIRS, TRUE_KEY)
    one, two = (side.rows(side.groups[0], seeds) for side in (baseline, current))
    found = {}
    for name, margin in MARGINS[baseline.game].items():
        sign = -1 if next(m.better for m in baseline.metrics if m.name == name) == "lower" else 1
        pairs = [(a[name], b[name]) for a, b in zip(one, two, strict=True)]
        found[name] = (
            sign * float(np.mean([a - b for a, b in pairs if a is not None and b is not None])) / margin
        )
    return found


def run_planted(planted: Planted, variants: Variants, clean: Path, number: int) -> dict[str, Any]:
    """One planted regression: how large it truly is, and who finds it."""
    build = variants.build(f"planted-{number}", planted.changes) if planted.changes else clean
    baseline = Side(planted.game, clean, player={"salt": 1})
    salt = 1 if planted.changes or planted.settings else 2  # another player draws its own noise
    current = Side(planted.game, build, dict(planted.settings), {"salt": salt, **dict(planted.player)})
    drops = true_drop(baseline, current)
    row = {
        "name": planted.name,
        "game": planted.game,
        "drop": max(drops.values()),
        "metric": max(drops, key=drops.__getitem__),
    }
    return row | judged(baseline, current, key=number) | {"naive": naive(baseline, current, number)}


def run_clean(game: str, builds: Sequence[Path], number: int) -> dict[str, Any]:
    """One comparison of two sides that differ in nothing that matters."""
    kinds = ("noise", "threads", "build")
    kind = kinds[number % len(kinds)]
    baseline = Side(game, builds[0], player={"salt": 100 + 2 * number})
    current = Side(
        game, builds[kind == "build"], player={"salt": 101 + 2 * number}, threads=1 + (kind == "threads")
    )
    row = {"name": f"clean: {kind}", "game": game} | judged(baseline, current, key=1000 + number)
    return row | {"naive": naive(baseline, current, 1000 + number)}


def _note(row: dict[str, Any], output: Path | None) -> None:
    """Keep a row as soon as it is measured: a bench of hours may be stopped."""
    line = json.dumps(row)
    print(line, file=sys.stderr, flush=True)
    if output:
        with output.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def share(count: int, of: int) -> str:
    """A count with the exact 95 % interval of its share."""
    found = proportion(count, of)
    return f"{count} of {of} ({100 * found.low:.1f} to {100 * found.high:.1f} %)" if of else "none"


def table(planted: list[dict[str, Any]], clean: list[dict[str, Any]]) -> list[str]:
    """The summary as Markdown."""
    above = [row for row in planted if row["drop"] >= 1]
    below = [row for row in planted if 0.25 <= row["drop"] < 1]
    lines = [
        "| gate | caught above the margin | fails below the margin | false alarms | median time |",
        "|---|---|---|---|---|",
    ]
    seconds = statistics.median(row["seconds"] for row in [*planted, *clean])
    mine = [sum(row["result"] == "fail" for row in rows) for rows in (above, below, clean)]
    sizes = (len(above), len(below), len(clean))
    cells = [share(count, size) for count, size in zip(mine, sizes, strict=True)]
    lines.append(f"| `sandlot gate regression` | {' | '.join(cells)} | {seconds:.1f} s |")
    for name in clean[0]["naive"] if clean else ():
        counts = [sum(row["naive"][name] for row in rows) for rows in (above, below, clean)]
        cells = [share(count, size) for count, size in zip(counts, sizes, strict=True)]
        lines.append(f"| {name}, {NAIVE_EPISODES} episodes | {' | '.join(cells)} | |")
    undecided = [sum(row["result"] == "undecided" for row in rows) for rows in (above, below, clean)]
    lines += ["", f"Undecided: {undecided[0]} above the margin, {undecided[1]} below, {undecided[2]} clean."]
    lines += ["", "| planted | game | true drop | in | result | pairs |", "|---|---|---|---|---|---|"]
    for row in sorted(planted, key=lambda row: -row["drop"]):
        drop = f"{row['drop']:.2f} margins"
        lines.append(
            f"| {row['name']} | {row['game']} | {drop} | {row['metric']} | {row['result']} | {row['pairs']} |"
        )
    return lines


def main(words: Sequence[str] | None = None) -> int:
    """Run the bench and print its table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=tuple(MARGINS), help="one game")
    parser.add_argument("--planted", type=int, default=1000, help="at most so many planted regressions")
    parser.add_argument(
        "--skip", type=int, default=0, help="so many planted ones, which were measured before"
    )
    parser.add_argument("--clean", type=int, default=60, help="clean comparisons")
    parser.add_argument("--clean-from", type=int, default=0, help="the number of the first clean one")
    parser.add_argument("--output", type=Path, help="every row as a line of JSON, as it is measured")
    parser.add_argument(
        "--table", type=Path, nargs="+", help="measure nothing, print the table of these rows"
    )
    options = parser.parse_args(words)
    if options.table:
        rows = [json.loads(line) for path in options.table for line in path.read_text().splitlines()]
        print("\n".join(table([r for r in rows if "drop" in r], [r for r in rows if "drop" not in r])))
        return 0
    chosen = [one for one in _planted() if options.only in (None, one.game)][: options.planted]
    games = [options.only] if options.only else IN_TURN
    before = library.default_path()
    planted, clean = [], []
    try:
        with tempfile.TemporaryDirectory() as folder:
            variants = Variants(Path(folder))
            original = variants.build("clean")
            refactored = Variants(Path(folder) / "refactored", optimise="-O2").build("refactored")
            for number, one in enumerate(chosen):
                if number < options.skip:
                    continue
                planted.append(run_planted(one, variants, original, number))
                _note(planted[-1], options.output)
            for number in range(options.clean_from, options.clean_from + options.clean):
                clean.append(run_clean(games[number % len(games)], (original, refactored), number))
                _note(clean[-1], options.output)
    finally:
        library.use(before)
    print("\n".join(table(planted, clean)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
