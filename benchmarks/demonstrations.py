"""What demonstrations are worth where rewards are sparse: training with and without them.

    .venv/bin/python benchmarks/demonstrations.py          # --seeds 3 --episodes 20 --windows 8

MountainCarContinuous pays 100 when the car is on the hill and takes a little for every push, so whoever has
not found the hill by chance learns to stand still: 0. The demonstrations are those of a script of one line,
which pushes in the direction of travel. Three trainings per seed, of equal length: rewards alone, behavior
cloning before the first rollout, and cloning with the decaying imitation term. Judged on 100 held-out
episodes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

import sandlot
from sandlot.evaluate.play import play
from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin

GAME = "gym:MountainCarContinuous-v0"
REACHED = 0.0  # a return above it: the hill was found
WINDOW = 16_384
CASES = {
    "rewards alone": [],
    "behavior cloning first": ["imitation.coef=0"],
    "cloning and the imitation term": [],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--episodes", type=int, default=20, help="that are demonstrated")
    parser.add_argument("--windows", type=int, default=8, help=f"of {WINDOW} env steps, a training")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sandlot-demos-") as folder:
        file = Path(folder) / "demos.json"
        shown = record(file, asked.episodes)
        print(f"{asked.episodes} demonstrations, mean return {shown:.1f}; nobody moving 0.0\n")
        print("| training | return, by seed | mean | reached the hill |\n|---|---|---:|---:|")
        for name, words in CASES.items():
            demos = [] if name == "rewards alone" else [f"imitation.demos={json.dumps([str(file)])}"]
            results = [
                judge(train(Path(folder), [*words, *demos], seed, asked.windows))
                for seed in range(1, asked.seeds + 1)
            ]
            print(row(name, results), flush=True)


def record(file: Path, episodes: int) -> float:
    """Demonstrations as godot-rl's recorder writes them; their mean return."""
    written, returns = [], []
    with sandlot.make(GAME, worlds=1, autoreset=False) as world:
        for seed in range(episodes):
            world.reset(seed)
            seen, acted = [world.observations[0].tolist()], []
            while not (world.terminated[0] or world.truncated[0]) or not acted:
                acted.append([1.0 if seen[-1][1] >= 0 else -1.0])
                world.step(np.array([acted[-1]], np.float32))
                seen.append(world.observations[0].tolist())
            written.append([seen, acted])
            returns.append(world.finished()[0]["return"])
    file.write_text(json.dumps(written), encoding="utf-8")
    return float(np.mean(returns))


def train(folder: Path, words: list[str], seed: int, windows: int) -> Path:
    """One training; its run folder."""
    words = [*words, f"run.seed={seed}", f"run.windows={windows}", f"run.window_env_steps={WINDOW}"]
    config = compose(GAME, words=words)
    run = begin(Store(folder / "runs"), config)
    with run:
        Loop(config, run).go()
    return run.paths.folder


def judge(folder: Path) -> np.ndarray:
    """Returns of 100 held-out episodes, the newest weights."""
    policy = sandlot.load_policy(folder)
    return np.asarray(play(GAME, policy, range(10_000, 10_100)).column("return"))


def row(name: str, results: list[np.ndarray]) -> str:
    """A line of the table."""
    means = [float(returns.mean()) for returns in results]
    reached = np.mean([(returns > REACHED).mean() for returns in results])
    by_seed = ", ".join(f"{mean:.0f}" for mean in means)
    return f"| {name} | {by_seed} | {np.mean(means):.0f} | {100 * reached:.0f} % |"


if __name__ == "__main__":
    main()
