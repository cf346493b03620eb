"""The runs that browser tests look at: trained in seconds, kept as long as they would come out the same."""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from visitor import ROOT

# Short, and yet with more than one window each, replays, stages of learning, checkpoints and judgements.
TRAININGS = {
    "prospector": (
        "--windows",
        "3",
        "--set",
        "run.window_env_steps=131072",
        "--set",
        "evaluation.episodes=2",
        "--set",
        "ppo.rollouts_per_iteration=1",
        "--set",
        "ppo.num_steps=128",  # long enough for episodes to end
    ),
    "tag": (
        *("--windows", "4", "--set", "run.window_env_steps=20000", "--set", "ppo.num_envs=512"),
        *("--set", "evaluation.episodes=8"),
    ),
}
WHOLE_MATCH_STEPS = 200  # of three ticks: ten seconds


def sandlot(*words: str) -> None:
    command = [sys.executable, "-m", "sandlot", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def trained_runs() -> Path:
    """A run of each game; that of tag is the newest."""
    return kept("runs", _train, Path(__file__))


def _train(folder: Path) -> None:
    for game, settings in TRAININGS.items():
        sandlot("train", game, "--runs", str(folder), "--no-tensorboard", *settings)
    _record_whole_matches(folder)


def kept(name: str, make: Callable[[Path], None], *made_by: Path) -> Path:
    """A folder as `make` leaves it: made once for these files, the engine and the presets, then kept.

    Another engine plays other episodes, another preset learns others. Who uses it must not change it.
    """
    folder = ROOT / "build" / "test_runs" / f"{name}-{_digest(made_by)}"
    if not folder.is_dir():
        making = folder.with_suffix(f".{os.getpid()}")
        make(making)
        if folder.is_dir():
            shutil.rmtree(making)  # another session was quicker
        else:
            making.rename(folder)
    return folder


def _digest(made_by: tuple[Path, ...]) -> str:
    made_with = [*(ROOT / "src/sandlot/lib").iterdir(), *(ROOT / "src/sandlot/train/presets").glob("*.toml")]
    digest = hashlib.sha256()
    for file in sorted([*made_with, *made_by]):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _record_whole_matches(runs: Path) -> None:
    """Matches of scripted players beside the learners': these last the whole ten seconds."""
    from sandlot import bot
    from sandlot.evaluate.replay_recorder import Origin, record
    from sandlot.runs import Store

    store = Store(runs)
    run = store.open(next(record.run_id for record in store.runs() if record.game == "tag"))
    config = run.config["settings"]  # as the learners know the game, so that they can judge these too
    players = {
        "seeker": bot("tag", "chase", level=1, config=config),
        "hider": bot("tag", "evade", config=config),
    }
    seeds = itertools.count(3)
    for window_id in (0, run.windows()[-1].window_id):
        replay = None
        while replay is None or len(replay.actions) < WHOLE_MATCH_STEPS:  # the seeker may win
            replay = record(
                "tag", players, seed=next(seeds), config=config, origin=Origin(run.run_id, window_id)
            )
        run.add_replay(replay.with_tags(["milestone:survival:10"]))
