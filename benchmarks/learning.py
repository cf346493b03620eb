"""How much is learned in so many minutes: several seeds of one preset, evaluated beside scripted players.

.venv/bin/python benchmarks/learning.py tag --minutes 5 --seeds 1 2 3
.venv/bin/python benchmarks/learning.py prospector --minutes 10 --seeds 1 2 3

Runs follow one another, each with all threads, so that the machine is theirs. With several roles the best
pair counts, as `sandlot train` keeps it: an evaluator works meanwhile, on its own seeds, and takes its share
of the machine. A single agent is taken as it is at the end. The evaluation uses seeds on which neither
presets nor windows were ever chosen. Prints one JSON line a run, then a Markdown table for
benchmarks/README.md.
Minutes depend on the machine: the metrics are no promise, their ratios to the scripted players are.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from sandlot.evaluate.bots import rank_bots
from sandlot.evaluate.play import play
from sandlot.evaluate.scoring import evaluate
from sandlot.evaluate.speed import machine
from sandlot.games import bot
from sandlot.policies import load_policy
from sandlot.runs.store import Store
from sandlot.seeding import held_out
from sandlot.worlds import load_spec

SHOWN = {
    "tag": {
        "seeker_beats_evade_3": "seeker catches evade:3",
        "best_seeker_bot_beats_evade_3": "best scripted seeker does",
        "hider_beats_chase_3": "hider escapes chase:3",
        "best_hider_bot_beats_chase_3": "best scripted hider does",
        "seeker_win_rate": "seeker wins in self-play",
        "seeker_rating_gain": "seeker's rating rose by",
        "hider_rating_gain": "hider's rating rose by",
    },
    "prospector": {
        "net_profit_mean": "profit",
        "times_best_bot": "times the best scripted pilot",
        "survival_rate": "survival",
        "return_mean": "return",
        "return_follows_headline": "correlation of return and profit, by episode",
        "stranded_rate": "stranded",
        "destroyed_rate": "destroyed",
    },
}


def train(game: str, preset: str, minutes: float, seed: int, root: Path) -> Any:
    command = [sys.executable, "-m", "sandlot", "train", game, "--preset", preset, "--minutes", str(minutes)]
    command += ["--set", "run.keep_checkpoints=10000"]  # the first is evaluated too
    command += [] if judged(game) else ["--no-evaluate"]
    subprocess.run([*command, "--seed", str(seed), "--runs", str(root), "--no-tensorboard"], check=True)
    return Store(root).latest()


def judged(game: str) -> bool:
    """Whether windows are judged while training, to keep the best of each role."""
    return len(roles_of(game)) > 1


def roles_of(game: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(load_spec(game).roles))


def speed(game: str, run: Any) -> float:
    """Decisions per second of all agents: a window counts a world's step once, however many agents decide."""
    rows = run.windows()
    return (
        len(roles_of(game)) * rows[-1].env_steps_total / rows[-1].metrics["seconds"] if rows else float("nan")
    )


def measure(game: str, run: Any, episodes: int) -> dict[str, Any]:
    taken = run.paths.best if judged(game) else run.newest_checkpoint()
    learned = {role: load_policy(taken, role) for role in roles_of(game)}
    metrics = evaluate(learned, held_out("benchmark", episodes), threads=2)
    if judged(game):
        first = {role: load_policy(run.paths.checkpoint(0), role) for role in roles_of(game)}
        began = evaluate(first, held_out("benchmark", episodes), threads=2)
        metrics |= {
            f"{role}_rating_gain": metrics[f"{role}_rating"] - began[f"{role}_rating"]
            for role in roles_of(game)
        }
        metrics |= best_bots(learned["seeker"].spec, episodes)
    else:
        metrics["return_follows_headline"] = agreement(next(iter(learned.values())), episodes)
    return metrics


def agreement(policy: Any, episodes: int) -> float:
    """Whether what is paid is what is wanted: correlation of return and headline over the same episodes."""
    spec = policy.spec
    played = play(spec.game, policy, held_out("benchmark", episodes), spec.settings, threads=2)
    both = played.column("return"), played.column(spec.headline.name)
    return float(np.corrcoef(*both)[0, 1]) if min(np.ptp(both[0]), np.ptp(both[1])) > 0 else float("nan")


def best_bots(spec: Any, episodes: int) -> dict[str, float]:
    """How the best scripted player of each role does against the same opponent as the learner."""
    seeds, config = held_out("benchmark", episodes), spec.settings

    def share(seeker: str, hider: str, winner: int) -> float:
        sides = {
            "seeker": bot("tag", seeker, 3, config, seed=1),
            "hider": bot("tag", hider, 3, config, seed=2),
        }
        return float((play("tag", sides, seeds, config, 2).column("winner") == winner).mean())

    return {
        "best_seeker_bot_beats_evade_3": max(share(s, "evade", 1) for s in ("chase", "ambush", "wander")),
        "best_hider_bot_beats_chase_3": max(share("chase", h, 2) for h in ("evade", "wander")),
    }


def interval(values: list[float]) -> str:
    """The mean over runs and its standard error: three runs allow no more."""
    mean, error = float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))
    digits = 0 if abs(mean) >= 100 else 3
    return f"{mean:,.{digits}f} ± {error:,.{digits}f}"


def table(game: str, results: list[dict[str, Any]]) -> str:
    heads = " | ".join(f"seed {row['seed']}" for row in results)
    lines = [f"| | {heads} | mean ± standard error |", "|---|" + "---|" * (len(results) + 1)]
    for key, label in {**SHOWN[game], "decisions_per_second": "decisions a second"}.items():
        values = [row[key] for row in results]
        cells = " | ".join(f"{v:,.0f}" if abs(v) >= 100 else f"{v:.3f}" for v in values)
        lines.append(f"| {label} | {cells} | {interval(values) if len(values) > 1 else ''} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", choices=sorted(SHOWN))
    parser.add_argument("--preset", default="quick")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--runs", type=Path, help="where to keep the runs; else they are thrown away")
    asked = parser.parse_args()
    best = (
        rank_bots("prospector", asked.episodes, threads=2)[0].metrics["net_profit_mean"]
        if asked.game == "prospector"
        else 1.0
    )
    results = []
    with tempfile.TemporaryDirectory() as thrown_away:
        for seed in asked.seeds:
            run = train(asked.game, asked.preset, asked.minutes, seed, asked.runs or Path(thrown_away))
            metrics = measure(asked.game, run, asked.episodes)
            metrics["times_best_bot"] = metrics.get("net_profit_mean", 0.0) / best
            kept = {key: metrics[key] for key in SHOWN[asked.game]}
            results.append({"seed": seed, "decisions_per_second": speed(asked.game, run), **kept})
            print(json.dumps(results[-1]), flush=True)
    print(json.dumps({"machine": machine(), **vars(asked)}, default=str))
    print(table(asked.game, results))


if __name__ == "__main__":
    main()
