"""Our PPO beside Stable-Baselines3's on tasks that are neither's own: equal env steps, held-out episodes.

    python benchmarks/outside_proof.py --seeds 5     # goes on from outside_proof.jsonl, then writes the page
    python benchmarks/outside_proof.py --page        # the page alone

Ours plays every task with the preset generic.quick as it is. Stable-Baselines3 has the hyperparameters of
RL Baselines3 Zoo where it has some for the task, else its own defaults; they are in TASKS and on the page.
Needs the extras gymnasium-tasks and sb3. One core; each result is kept as soon as it is there.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch

from sandlot import seeding
from sandlot.evaluate.play import play
from sandlot.evaluate.speed import machine
from sandlot.evaluate.statistics import bootstrap
from sandlot.runs.paths import git_revision
from sandlot.train.compose import compose
from sandlot.train.trainer import Trainer
from sandlot.worlds.gym import SEED_BITS

HERE = Path(__file__).parent
RESULTS, PAGE = HERE / "outside_proof.jsonl", HERE / "outside_proof.md"
PIXELS = "SandlotEmptyRoomPixels-v0"
TILE = 6  # pixels of a cell: 42 x 42 in all, the least that Stable-Baselines3's CNN takes
LEAST_SEEDS = 3  # of which an interval is given; of fewer, the values
EPISODES = 50  # held-out, of each trained policy


def linear(start: float) -> Callable[[float], float]:
    """Falls to zero over the run, as the zoo writes `lin_0.001`."""
    return lambda left: left * start


@dataclass(frozen=True)
class Task:
    """What is learned for how long, and Stable-Baselines3's hyperparameters for it."""

    env: str
    steps: int
    source: str  # of the hyperparameters
    policy: str = "MlpPolicy"
    envs: int = 1
    normalize: bool = False
    options: dict[str, Any] = field(default_factory=dict)


ZOO, DEFAULTS = "RL Baselines3 Zoo", "Stable-Baselines3's defaults"
TASKS = {
    "CartPole-v1": Task("CartPole-v1", 50_000, ZOO, envs=8, options={
        "n_steps": 32, "batch_size": 256, "gae_lambda": 0.8, "gamma": 0.98, "n_epochs": 20,
        "learning_rate": linear(0.001), "clip_range": linear(0.2),
    }),
    "Acrobot-v1": Task("Acrobot-v1", 100_000, ZOO, envs=16, normalize=True, options={
        "n_steps": 256, "gae_lambda": 0.94, "gamma": 0.99, "n_epochs": 4,
    }),
    "LunarLander-v3": Task("LunarLander-v3", 300_000, ZOO, envs=16, options={
        "n_steps": 1024, "batch_size": 64, "gae_lambda": 0.98, "gamma": 0.999, "n_epochs": 4,
        "ent_coef": 0.01,
    }),
    "InvertedPendulum-v5": Task("InvertedPendulum-v5", 40_960, DEFAULTS),
    "MiniGrid-Empty-5x5, pixels": Task(PIXELS, 24_576, DEFAULTS, "CnnPolicy"),
}  # fmt: skip


def empty_room(**options: Any) -> gymnasium.Env:
    """MiniGrid's smallest room as a picture of what the agent sees: an image task that one core can learn."""
    from minigrid.wrappers import ImgObsWrapper, RGBImgPartialObsWrapper

    options.setdefault("render_mode", "rgb_array")
    room = gymnasium.make("MiniGrid-Empty-5x5-v0", **options)
    return ImgObsWrapper(RGBImgPartialObsWrapper(room, tile_size=TILE))


# ---------------------------------------------------------------- the two trainers


def ours(task: Task, seed: int) -> Callable[[], list[float]]:
    """Train; returns a function that gives the returns of the held-out episodes."""
    config = compose(f"gym:{task.env}", words=[f"run.seed={seed}"])
    per_iteration = config.ppo.num_envs * config.ppo.num_steps
    trainer = Trainer(config)
    iterations = -(-task.steps // per_iteration)
    for i in range(iterations):
        trainer.iterate(i / iterations)
    policy = trainer.policies["agent"]
    trainer.close()
    policy.greedy = True

    def returns() -> list[float]:
        return play(f"gym:{task.env}", policy, held_out()).column("return").tolist()

    return returns


def theirs(task: Task, seed: int) -> Callable[[], list[float]]:
    """The same with Stable-Baselines3's PPO."""
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import VecNormalize

    worlds: Any = make_vec_env(task.env, task.envs, seed=seed)
    normalizer = worlds = VecNormalize(worlds) if task.normalize else worlds
    model = PPO(task.policy, worlds, seed=seed, device="cpu", **task.options)
    model.learn(task.steps)

    def returns() -> list[float]:
        env = gymnasium.make(task.env)
        made = []
        for number in held_out():
            seen, _ = env.reset(seed=number & SEED_BITS)
            total, over = 0.0, False
            while not over:
                known = normalizer.normalize_obs(seen) if task.normalize else seen
                action, _ = model.predict(known, deterministic=True)
                seen, reward, terminated, truncated, _ = env.step(action)
                total, over = total + float(reward), terminated or truncated
            made.append(total)
        return made

    return returns


def held_out() -> list[int]:
    """Seeds of episodes on which nobody trained."""
    return seeding.held_out("benchmark", EPISODES)


TRAINERS = {"sandlot": ours, "sb3": theirs}


# ---------------------------------------------------------------- results


def results() -> list[dict[str, Any]]:
    """What was measured so far."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return [json.loads(line) for line in lines]


def measure(name: str, trainer: str, seed: int) -> dict[str, Any]:
    """One training and its evaluation."""
    task = TASKS[name]
    start, cpu = time.perf_counter(), time.process_time()
    returns = TRAINERS[trainer](task, seed)
    trained, cpu = time.perf_counter() - start, time.process_time() - cpu
    row = {"task": name, "trainer": trainer, "seed": seed, "steps": task.steps}
    means = {"return": float(np.mean(returns())), "episodes": EPISODES}
    spent = {"seconds": round(trained, 1), "cpu_seconds": round(cpu, 1)}
    return row | means | spent | {"revision": git_revision()}


def page(rows: list[dict[str, Any]]) -> str:
    """The table and what one must know to read it."""
    here = machine()
    lines = [
        "# PPO on tasks of others",
        "",
        "Our PPO (preset `generic.quick`, unchanged, for every task) and Stable-Baselines3's on equal env",
        f"steps. A number is the mean over seeds of the mean return of {EPISODES} held-out episodes, the",
        "same for all, played with the likeliest actions; in brackets the 95 % bootstrap interval over",
        "seeds. CPU seconds are of training alone, the median; others used the machine too: compare them",
        "within a row.",
        "",
        "| task | env steps | seeds | ours | SB3 | CPU s, ours | CPU s, SB3 | SB3's hyperparameters |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, task in TASKS.items():
        cells, seeds, spent = [], [], []
        for trainer in TRAINERS:
            own = [row for row in rows if (row["task"], row["trainer"]) == (name, trainer)]
            seeds.append(len(own))
            cells.append(_interval([row["return"] for row in own]))
            spent.append(f"{np.median([row['cpu_seconds'] for row in own]):.0f}" if own else "–")
        count = str(seeds[0]) if len(set(seeds)) == 1 else " / ".join(map(str, seeds))
        steps = f"{task.steps:,}"
        lines.append(
            f"| {name} | {steps} | {count} | {' | '.join(cells)} | {' | '.join(spent)} | {task.source} |"
        )
    lines += [
        "",
        "MiniGrid's empty room is the image task: what the agent sees as 42 x 42 x 3 bytes, through a CNN on",
        "both sides. Atari's Pong needs millions of steps, which one core does not do in minutes. Both",
        "trainers round env steps up to whole rollouts. With so few seeds an interval is a rough one. The",
        "zoo's hyperparameters of Acrobot and LunarLander are meant for a million steps, so a row says",
        "that ours learns it sooner, not that it ends higher.",
        "",
        "```sh",
        "nice -n 10 .venv/bin/python benchmarks/outside_proof.py --seeds 5",
        "```",
        "",
        f"{here['processor']}, {here['cores']} cores, one used; gymnasium {gymnasium.__version__}, "
        f"torch {torch.__version__}; commits {', '.join(sorted({row['revision'] for row in rows}))}.",
        "Each training is a line of `outside_proof.jsonl`. Ours on InvertedPendulum was trained there; the",
        "other rows on a 16-core Intel Xeon with torch 2.11, sixteen trainings at a time, one core each.",
    ]
    return "\n".join(lines) + "\n"


def _interval(values: list[float]) -> str:
    if not values:
        return "–"
    if len(values) < LEAST_SEEDS:
        return ", ".join(f"{value:.4g}" for value in values)
    estimate = bootstrap(np.array(values))
    return f"{estimate.value:.4g} ({estimate.low:.4g} to {estimate.high:.4g})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--task", action="append", choices=TASKS, help="only this one; may be repeated")
    parser.add_argument("--page", action="store_true", help="write the page from what is there")
    given = parser.parse_args()
    torch.set_num_threads(1)
    gymnasium.register(PIXELS, entry_point=empty_room)
    done = {(row["task"], row["trainer"], row["seed"]) for row in results()}
    for seed in range(1, 1 if given.page else given.seeds + 1):
        for name in given.task or TASKS:
            for trainer in TRAINERS:
                if (name, trainer, seed) in done:
                    continue
                row = measure(name, trainer, seed)
                print(json.dumps(row), flush=True)
                with RESULTS.open("a") as lines:
                    lines.write(json.dumps(row) + "\n")
    PAGE.write_text(page(results()))


if __name__ == "__main__":
    main()
