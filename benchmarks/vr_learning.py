"""What is learned in landing and navigation: one table per claim, several training seeds, held-out episodes.

.venv/bin/python benchmarks/vr_learning.py landing navigation --jobs 2
.venv/bin/python benchmarks/vr_learning.py landing navigation --sb3 --jobs 12 --out results
.venv/bin/python benchmarks/vr_learning.py presets tasks --jobs 16 --out results

`landing`, `navigation`: five minutes on two cores, beside scripted players; --sb3: Stable-Baselines3's PPO in
place of ours, same worlds and network. `presets`: full_training, curriculum_learning and comfort_optimized of
scripts/ml under our PPO. `tasks`: one policy over three layouts against one for each. These two compare at
equal steps.

--jobs: cores in use at once; each run is pinned to its own one or two, so that runs beside each other do not
share any. Evaluation plays seeds on which nothing was ever chosen, with the likeliest actions and with
sampled ones. An interval is the 95 % one of Student's t over training seeds; of a scripted player it is that
over episodes. Prints a Markdown table for each claim and writes CLAIM.md and CLAIM.json to --out.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import multiprocessing
import os
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from sandlot.compat.vr.config import TASKS, RLConfig
from sandlot.compat.vr.own_ppo import settings_for
from sandlot.evaluate.play import play
from sandlot.evaluate.speed import machine
from sandlot.evaluate.statistics import bootstrap, proportion
from sandlot.games import bot
from sandlot.policies import load_policy
from sandlot.runs.store import Store
from sandlot.seeding import held_out
from sandlot.train.compose import compose
from sandlot.train.config import as_dict, build
from sandlot.train.loop import Loop, begin

T_95 = {1: 12.71, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365}  # by degrees of freedom
TESTS: dict[str, dict[str, Any]] = {layout: {"layout": layout} for layout in TASKS}
Row = dict[str, Any]


@dataclass(frozen=True)
class Variant:
    """One way to train. tests: under which further settings it is judged, by the name of the table's row."""

    name: str
    game: str
    settings: dict[str, Any] = field(default_factory=dict)  # of the game, over the preset's
    values: dict[str, Any] = field(default_factory=dict)  # of other sections, over the preset's
    words: tuple[str, ...] = ()  # as of `sandlot train --set`
    minutes: float = 0.0
    steps: int = 0
    cores: int = 1
    tests: dict[str, dict[str, Any]] = field(default_factory=lambda: {"": {}})


@dataclass(frozen=True)
class Claim:
    """A table: what is trained, which scripted players stand beside it, which columns are shown."""

    variants: tuple[Variant, ...]
    columns: dict[str, str]
    bots: tuple[str, ...] = ()
    tests: dict[str, dict[str, Any]] = field(default_factory=lambda: {"": {}})  # of the scripted players


LANDING = {
    "success": "soft, within 2 m",
    "soft_landing": "soft",
    "distance_to_pad": "from the pad, m",
    "touchdown_speed": "touchdown, m/s",
    "fuel_efficiency": "fuel efficiency",
    "return": "return",
}
NAVIGATION = {
    "success": "goals reached",
    "collisions": "collisions",
    "comfort_score": "comfort score",
    "vignette_share": "time with vignette",
    "jerk_share": "ticks above 100 m/s³",
    "duration_s": "seconds",
}


def claims(paced: Row, scale: float, words: list[str]) -> dict[str, Claim]:
    """All tables. paced: how long landing and navigation last; scale: of the steps of the others."""
    paced = {**paced, "words": tuple(words)}
    ours = "our PPO, preset quick" + "".join(f", {word.removeprefix('settings.')}" for word in words)
    return {
        "landing": Claim(
            (Variant(ours, "landing", **paced),), LANDING, ("autopilot:3", "autopilot:2", "brake", "random")
        ),
        "navigation": Claim(
            (Variant(ours, "navigation", **paced),), NAVIGATION, ("pathfollower:2", "greedy_goal", "random")
        ),
        "presets": Claim(
            _presets(round(6_000_000 * scale)),
            NAVIGATION,
            ("pathfollower:2", "greedy_goal"),
            {name: RLConfig.preset(name).game_settings() for name in ("full_training", "comfort_optimized")},
        ),
        "tasks": Claim(
            _tasks(round(5_000_000 * scale)), NAVIGATION, ("pathfollower:2", "greedy_goal"), TESTS
        ),
    }


def _presets(steps: int) -> tuple[Variant, ...]:
    """The presets of scripts/ml, all for so many steps; the stages of the curriculum in proportion."""
    made = []
    for name in ("full_training", "curriculum_learning", "comfort_optimized"):
        config = RLConfig.preset(name)
        config.training.total_timesteps = steps
        config.training.save_freq = max(1, steps // 12)  # a window, between which stages change
        made.append(Variant(name, "navigation", values=as_dict(settings_for(config)), steps=steps))
    return tuple(made)


def _tasks(steps: int) -> tuple[Variant, ...]:
    """One policy over all layouts has as many steps as the three of one layout together."""
    together = {"layout": "any", "task_id": True}
    many = Variant("one policy, task id", "navigation", together, steps=len(TESTS) * steps, tests=TESTS)
    single = [
        Variant("a policy of its own", "navigation", test, steps=steps, tests={layout: test})
        for layout, test in TESTS.items()
    ]
    return (many, *single)


def with_sb3(claim: Claim) -> Claim:
    """Stable-Baselines3's PPO in place of ours: same worlds, network and minutes; it knows no stages."""
    values: Row = {"trainer": "sb3", "curriculum": []}
    settings = {"collision_penalty": 2.0} if claim.variants[0].game == "navigation" else {}
    variants = [
        replace(variant, name="Stable-Baselines3's PPO", values=values, settings=settings)
        for variant in claim.variants
    ]
    return replace(claim, variants=tuple(variants), bots=())


# ---------------------------------------------------------------- one run, in a process of its own


def configuration(variant: Variant, seed: int, threads: int) -> Any:
    """The preset under the variant's values."""
    config = as_dict(compose(variant.game, words=variant.words))
    for section, values in variant.values.items():
        if isinstance(values, dict):
            config[section] |= values
        else:
            config[section] = values
    config["settings"] |= variant.settings
    run = config["run"]
    if variant.steps:
        run["window_env_steps"] = min(run["window_env_steps"], variant.steps)
        run["windows"] = math.ceil(variant.steps / run["window_env_steps"])
    run |= {"minutes": variant.minutes, "seed": seed, "threads": threads, "keep_checkpoints": 1}
    return build(config)


@dataclass(frozen=True)
class Job:
    """One training run of a claim."""

    claim: str
    variant: Variant
    seed: int


def train_and_judge(job: Job, episodes: int, cores: list[int], root: str) -> list[Row]:
    """Train once; a row for each test."""
    variant, seed = job.variant, job.seed
    os.sched_setaffinity(0, cores)
    import torch

    torch.set_num_threads(len(cores))
    config = configuration(variant, seed, len(cores))
    store = Store(Path(root) / f"{time.monotonic_ns()}_{os.getpid()}")
    with begin(store, config) as run:
        began = time.monotonic()
        Loop(config, run).go()
        seconds = time.monotonic() - began
        steps = run.windows()[-1].env_steps_total if run.windows() else 0
        policy = load_policy(run.newest_checkpoint())
    rows = []
    for (name, changes), policy.greedy in itertools.product(variant.tests.items(), (True, False)):
        # judged as a curriculum ends: under the run's settings, not those of a stage
        means = judge(variant.game, policy, config.settings | changes, episodes, len(cores))
        player = f"{variant.name}, {'likeliest' if policy.greedy else 'sampled'} actions"
        facts = {"player": player, "test": name, "seed": seed, "env_steps": steps, "seconds": seconds}
        rows.append({**facts, "means": {key: value[0] for key, value in means.items()}})
    return rows


def judge(
    game: str, player: Any, settings: dict[str, Any], episodes: int, threads: int
) -> dict[str, list[float]]:
    """Every measure and flag over held-out episodes: mean, and the ends of its interval over episodes."""
    played = play(game, player, held_out("benchmark", episodes), settings, threads)
    if len(played) != episodes:
        raise SystemExit(f"{len(played)} of {episodes} episodes ended.")
    found, flags = {}, player.spec.flags
    for name in [one.name for one in player.spec.episode if one.size == 1]:
        column = played.column(name).astype(float)
        value = proportion(column.sum(), episodes) if name in flags else bootstrap(column)
        found[name] = [value.value, value.low, value.high]
    return found


def judge_bot(game: str, name: str, test: str, settings: dict[str, Any], episodes: int) -> Row:
    """A scripted player under these settings, else the default ones."""
    word, _, level = name.partition(":")
    player = bot(game, word, int(level or 1), settings, seed=1)
    means = judge(game, player, settings, episodes, 1)
    return {"player": name, "test": test, "intervals": means}


# ---------------------------------------------------------------- many at once


def run_all(plan: list[Job], episodes: int, jobs: int) -> Iterator[tuple[Job, list[Row]]]:
    """Every run of every claim, the longest first, each on cores that nobody else has; as they end."""
    free = sorted(os.sched_getaffinity(0))[:jobs]
    waiting = sorted(plan, key=lambda job: (-job.variant.cores, -job.variant.steps))
    running: dict[Future[list[Row]], tuple[Job, list[int]]] = {}
    context = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory() as root,
        ProcessPoolExecutor(jobs, mp_context=context, max_tasks_per_child=1) as pool,
    ):
        while waiting or running:
            for job in list(waiting):
                if (count := job.variant.cores) <= len(free):
                    cores, free = free[:count], free[count:]
                    running[pool.submit(train_and_judge, job, episodes, cores, root)] = job, cores
                    waiting.remove(job)
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                job, cores = running.pop(future)
                free += cores
                yield job, future.result()


# ---------------------------------------------------------------- tables


def over_seeds(values: list[float]) -> str:
    """The mean with its 95 % interval."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return f"{mean:.3f}"
    error = T_95[len(values) - 1] * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return f"{mean:.3f} ± {error:.3f}"


def lines_of(claim: Claim, rows: list[Row], bots: list[Row]) -> list[str]:
    """The table of a claim."""
    head = ["player", "steps, million", *claim.columns.values()]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    groups = dict.fromkeys((row["test"], row["player"]) for row in rows)
    for test, player in sorted(groups, key=lambda group: group[0]):
        same = [row for row in rows if (row["test"], row["player"]) == (test, player)]
        steps = np.mean([row["env_steps"] for row in same]) / 1e6
        cells = [over_seeds([row["means"][key] for row in same]) for key in claim.columns]
        lines.append(_line(test, player, f"{steps:.1f}", cells))
    for row in bots:
        found = [row["intervals"][key] for key in claim.columns]
        cells = [f"{mean:.3f} ({low:.3f} to {high:.3f})" for mean, low, high in found]
        lines.append(_line(row["test"], row["player"], "", cells))
    return lines


def _line(test: str, player: str, steps: str, cells: list[str]) -> str:
    return f"| {', '.join(filter(None, (test, player)))} | {steps} | " + " | ".join(cells) + " |"


def report(name: str, claim: Claim, rows: list[Row], facts: Row, out: Path | None) -> None:
    """Judge the scripted players, print the table, and write both files."""
    game = claim.variants[0].game
    bots = [
        judge_bot(game, player, test, settings, facts["episodes"])
        for test, settings in claim.tests.items()
        for player in claim.bots
    ]
    text = "\n".join(lines_of(claim, rows, bots))
    print(f"\n{name}\n\n{text}\n", flush=True)
    if out is None:
        return
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.md").write_text(text + "\n", encoding="utf-8")
    variants = [asdict(variant) for variant in claim.variants]
    payload = {**facts, "claim": name, "variants": variants, "runs": rows, "scripted": bots}
    (out / f"{name}.json").write_text(json.dumps(payload, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Parse, train, judge, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("claim", nargs="+", choices=list(claims({}, 1, [])))
    parser.add_argument("--jobs", type=int, default=2, help="cores in use at once")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=5.0, help="of landing and navigation")
    parser.add_argument(
        "--steps", type=int, default=0, help="of these two, in place of minutes: on a busy machine"
    )
    parser.add_argument("--cores", type=int, default=2, help="of each run of these two")
    parser.add_argument("--scale", type=float, default=1.0, help="of the steps of the other claims")
    parser.add_argument("--sb3", action="store_true", help="landing, navigation: Stable-Baselines3's PPO")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="of these two")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.sb3 and {"presets", "tasks"} & set(given.claim):
        parser.error("--sb3 is for landing and navigation.")
    here = len(os.sched_getaffinity(0))
    if not 1 <= given.cores <= given.jobs <= here:
        parser.error(f"--jobs {given.jobs}: expected --cores, {given.cores}, to {here}, the cores here.")
    if min(given.episodes, given.minutes, given.scale) <= 0 or len(given.seeds) > max(T_95) + 1:
        parser.error("--episodes, --minutes and --scale are above 0, and --seeds at most eight.")
    paced = {"minutes": 0.0 if given.steps else given.minutes, "steps": given.steps, "cores": given.cores}
    chosen = {
        name: with_sb3(claim) if given.sb3 else claim
        for name, claim in claims(paced, given.scale, given.set).items()
        if name in given.claim
    }
    plan = [
        Job(name, variant, seed)
        for name, claim in chosen.items()
        for variant in claim.variants
        for seed in given.seeds
    ]
    facts = {"machine": machine(), "episodes": given.episodes, "seeds": given.seeds}
    left, rows = Counter(job.claim for job in plan), defaultdict(list)
    for job, more in run_all(plan, given.episodes, given.jobs):
        rows[job.claim] += more
        left[job.claim] -= 1
        for row in more:
            print(json.dumps({"claim": job.claim, **row}), flush=True)
        if not left[job.claim]:
            report(job.claim, chosen[job.claim], rows[job.claim], facts, given.out)


if __name__ == "__main__":
    main()
