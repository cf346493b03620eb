"""Make the trained policies that ship with Sandlot: train a game here, or take a run, and pack it.

    python scripts/pretrain.py landing --windows 12       train with one thread, then pack
    python scripts/pretrain.py landing --run runs/ID      pack a run that exists

Packed are the newest checkpoint as ONNX, one file per role, and how the run came to it: STAGES checkpoints,
the weights of step 0 first, each with its replays of the same seeds and its results on EPISODES held-out
ones. Nothing is chosen by its result. README.md and manifest.json beside them say what made them.
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from sandlot import seeding
from sandlot.evaluate.players import read_checkpoint
from sandlot.evaluate.replay_recorder import Origin
from sandlot.evaluate.scoring import evaluate
from sandlot.evaluate.speed import machine
from sandlot.evaluate.stages import record_stage, stage_row
from sandlot.policies.export import export_onnx
from sandlot.runs import Run, Store
from sandlot.runs.atomic import write_json, write_text
from sandlot.runs.learning import Learning, LearningRow
from sandlot.runs.pretrained import FOLDER, MANIFEST, pretrained, pretrained_games
from sandlot.runs.run import sha256

STAGES = 7
EPISODES = 200
MOST_BYTES = 1 << 20  # of all games together


def train(game: str, windows: int, seed: int, root: Path) -> Path:
    """A run of so many windows on one thread; returns its folder."""
    words = ["train", game, "--windows", str(windows), "--threads", "1", "--seed", str(seed)]
    command = [sys.executable, "-m", "sandlot", *words, "--no-evaluate", "--no-tensorboard"]
    subprocess.run([*command, "--runs", str(root)], check=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    return root / Store(root).latest(with_checkpoint=True).run_id


def stage_files(run: Run) -> list[Path]:
    """The weights of step 0, then checkpoints as evenly spread as they are kept, the newest last."""
    kept = list(run.checkpoints().values())
    wanted = min(STAGES - 1, len(kept))
    places = sorted({round((i + 1) * len(kept) / wanted) - 1 for i in range(wanted)})
    return [run.paths.initial, *(kept[place] for place in places)]


def pack(run: Run, command: str, note: str) -> None:
    """Write the folder of the run's game anew."""
    folder = FOLDER / run.record.game
    shutil.rmtree(folder, ignore_errors=True)
    learning = Learning(folder / "learning")
    seconds = {row.window_id: row.metrics.get("seconds") for row in run.windows()}
    for path in stage_files(run):
        row = add_stage(learning, path, seconds)
        print(path.name, "; ".join(f"{one.label} {one.value:.3g}" for one in row.results), flush=True)
    newest = read_checkpoint(run.newest_checkpoint())
    for role, policy in newest.policies.items():
        export_onnx(policy, folder / f"{role}.onnx", run_id=run.run_id, window_id=newest.window_of(role))
    manifest = {
        "schema_version": 1,
        "game": run.record.game,
        "game_version": newest.spec.version,
        "roles": list(newest.policies),
        "command": command,
        "machine": "{processor}, {cores} cores".format(**machine()),
        "trained_s": seconds.get(newest.origin["window_id"]),
        "env_steps_total": newest.origin["env_steps_total"],
        "window_id": newest.origin["window_id"],
        "note": note,
    }
    write_json(folder / MANIFEST, manifest)


def add_stage(learning: Learning, path: Path, seconds: dict[int, float | None]) -> LearningRow:
    """Play, count and record one checkpoint."""
    checkpoint = read_checkpoint(path)
    window, steps = checkpoint.origin["window_id"], checkpoint.origin["env_steps_total"]
    origin = None if window is None else Origin(checkpoint.origin["run_id"], window)
    name = "before training" if window is None else f"of window {window}"
    replays = record_stage(checkpoint.policies, origin, name)
    metrics = evaluate(checkpoint.policies, seeding.held_out("report", EPISODES))
    trained = 0.0 if window is None else seconds.get(window)
    digest = sha256(path.read_bytes())
    row = stage_row(checkpoint.spec, metrics, replays, window, steps or 0, trained, digest)
    learning.add(row, replays)
    return row


def write_readme() -> None:
    """README.md beside the folders: what made each, and its evaluation."""
    lines = [
        "# Trained policies that ship with Sandlot",
        "",
        "So that one can watch and play before anything was trained here. Made by `scripts/pretrain.py`; one",
        "training seed each, so they show what such a training gives, not how much seeds differ.",
        "Results are of the newest checkpoint on held-out seeds, with 95 % intervals.",
        "",
        "| game | made by | minutes | env steps | seeds | result | before training | after |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for game in pretrained_games():
        one = pretrained(game)
        first, *_, last = one.learning.stages()
        facts = f"{(one.trained_s or 0) / 60:.0f} | {one.env_steps_total / 1e6:.1f} M | {last.episodes}"
        for before, after in zip(first.results, last.results, strict=True):
            ends = (f"{each.value:.3g} ({each.low:.3g} to {each.high:.3g})" for each in (before, after))
            lines.append(f"| {game} | `{one.command}` | {facts} | {after.label} | {' | '.join(ends)} |")
    machines = sorted({pretrained(game).machine for game in pretrained_games()})
    lines += ["", f"Minutes are wall time on {', '.join(machines)}, shared with other work."]
    lines += [f"\n{game}: {pretrained(game).note}" for game in pretrained_games() if pretrained(game).note]
    write_text(FOLDER / "README.md", "\n".join(lines) + "\n")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Make the trained policies that ship with Sandlot.")
    parser.add_argument("game")
    parser.add_argument("--windows", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run", type=Path, help="pack this run instead of training one")
    parser.add_argument("--command", help="that made --run, for the manifest")
    parser.add_argument("--note", default="", help="what the command alone does not say")
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    options = parser.parse_args()
    folder = options.run or train(options.game, options.windows, options.seed, options.runs)
    again = ["python", "scripts/pretrain.py", options.game, "--windows", str(options.windows)]
    pack(Run(folder), options.command or shlex.join([*again, "--seed", str(options.seed)]), options.note)
    write_readme()
    size = sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file())
    print(json.dumps({"bytes": size, "limit": MOST_BYTES}))
    if size > MOST_BYTES:
        sys.exit(f"The trained policies have {size} bytes together; at most {MOST_BYTES} ship.")


if __name__ == "__main__":
    main()
