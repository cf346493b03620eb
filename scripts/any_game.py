"""Runs every command of the README on a game of each kind, and writes docs/any_game.md from what happened.

python scripts/any_game.py               # a few minutes; needs Godot
python scripts/any_game.py --game tag    # one native game alone: what became of each command, as JSON
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandlot.cli import main, show
from sandlot.runs.store import open_run

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "any_game.md"
EXAMPLE = ROOT / "examples" / "godot_minimal"
PROJECT = "my_game"  # the copy of the example that is trained
LIMIT_S = 120.0  # for a server to answer
WORKS = "yes"
NATIVE = ("tag", "prospector", "landing", "navigation")
GYM, SCENE = "gym:CartPole-v1", "examples/godot_minimal"
GAMES = (*NATIVE, GYM, SCENE)

# Settings of a run that is over in seconds and has two evaluated windows with whole episodes.
SMALL = (
    "run.window_env_steps=2048", "ppo.num_envs=16", "ppo.num_steps=64", "ppo.num_minibatches=4",
    "ppo.update_epochs=1", "ppo.rollouts_per_iteration=1", "ppo.stagger_steps=0", "evaluation.episodes=2",
)  # fmt: skip
SMALLER = {
    "tag": ("settings.time_limit=3",),
    "prospector": ("settings.time_max=300",),
    "navigation": ("settings.time_limit=10",),
    SCENE: ("run.window_env_steps=512", "ppo.num_envs=8", "ppo.num_steps=32"),
}

# Each command as typed. GAME is the game, RUNS a folder with the runs of this game alone.
COMMANDS = {
    "games": "games GAME",
    "train": "train GAME --windows 2 --no-tensorboard --runs RUNS",
    "train --resume": "train --resume latest --windows 3 --no-tensorboard --no-evaluate --runs RUNS",
    "runs": "runs verify latest --runs RUNS",
    "plot": "plot latest --no-anchors --runs RUNS",
    "eval": "eval latest --episodes 2 --runs RUNS",
    "league": "league GAME latest --every 1 --episodes 2 --runs RUNS",
    "bots": "bots GAME --episodes 1",
    "parity": "parity GAME --suites random --seeds 1 --steps 50",
    "bench": "bench GAME --worlds 1,2 --rounds 2 --seconds 0.05 --no-twin",
    "serve": "serve --port 0 --no-open --runs RUNS",
    "play": "play GAME --no-open --runs RUNS",
    "replay": "replay REPLAY --verify",
    "film": "film latest --quick --seconds 10 --size 128x72 --runs RUNS",
    "demo": "demo GAME --minutes 0 --speed 100",
    "export": "export latest --runs RUNS",
    "bridge": "bridge GAME --port 0 --policy random --runs RUNS",
    "baseline": "baseline save main latest --episodes 4 --runs RUNS --baselines RUNS/baselines",
    "gate": "gate regression --baseline main --current latest --pairs 4 --undecided pass"
    " --output RUNS/verdict.json --runs RUNS --baselines RUNS/baselines",
    "report": "report RUNS/verdict.json --output RUNS/verdict.html",
}
# What must have worked before: a run, or what another command leaves.
NEEDS = {"games": (), "train": (), "gate": ("baseline",), "report": ("gate",)}
SERVERS = ("serve", "play", "bridge")
READY = re.compile(r"(?:Serving .*|Listening) at ((?:http|ws)://\S+)")  # what a server prints
# Commands about this machine, which take no game.
MACHINE = {"doctor": "doctor", "godot": "godot path", "assets": "assets list"}


@dataclass(frozen=True)
class Done:
    """How a command ended: its exit code and what it printed."""

    code: int
    out: str
    err: str


class AnyGame:
    """Runs the commands in a folder, each once; `cell` is what the page says about one."""

    def __init__(self, folder: Path, settings: Sequence[str] = ()):
        """settings: further `--set` words of trainings."""
        self.folder, self.settings = folder, settings
        self._cells: dict[tuple[str, str], str] = {}

    def prepare_scene(self) -> None:
        """Copy the example's project, with the addon."""
        if not (self.folder / PROJECT).exists():
            shutil.copytree(EXAMPLE, self.folder / PROJECT)
            prepared = self.run(["godot", "addon", PROJECT])
            assert prepared.code == 0, prepared.err

    def cell(self, command: str, game: str) -> str:
        """`yes`, or the sentence in which the command refuses; AssertionError where it does neither."""
        if game == SCENE:
            self.prepare_scene()
        if (command, game) not in self._cells:
            self._cells[command, game] = self._cell(command, game)
        return self._cells[command, game]

    def _cell(self, command: str, game: str) -> str:
        for earlier in NEEDS.get(command, ("train",)):
            assert self.cell(earlier, game) == WORKS
        words, before = self.words(command, game), self._files()
        serves = command in SERVERS and (command, game) != ("play", SCENE)  # which opens a window
        if serves and (served := self._served(command, words, game)):
            return served
        done = self.run(words)
        if done.code == 0:
            EFFECTS[command](self, done, game)
            return WORKS
        assert done.code == 2, f"sandlot {' '.join(words)}: {done.code}\n{done.out}\n{done.err}"
        assert self._files() == before, "a command that refuses writes nothing"
        return self._sentence(done.err, game)

    def words(self, command: str, game: str) -> list[str]:
        """The command's words for this game."""
        words = COMMANDS[command].split()
        if command == "train":
            words += [
                part for each in (*SMALL, *SMALLER.get(game, ()), *self.settings) for part in ("--set", each)
            ]
        if game == SCENE and command == "play":
            words = [*words[:2], "--headless", "--episodes", "1"]
        whole = game == SCENE and command in ("train", "play")
        name = ["--project", PROJECT] if whole else [self.address(game)]
        stands_for = {"GAME": name, "RUNS": [self.runs(game)], "REPLAY": []}
        if "REPLAY" in words:
            stands_for["REPLAY"] = [str(self.newest_replay(game))]
        inside = [word.replace("RUNS/", f"{self.runs(game)}/") for word in words]
        return [part for word in inside for part in stands_for.get(word, [word])]

    def address(self, game: str) -> str:
        """What opens the game."""
        return f"godot:{PROJECT}" if game == SCENE else game

    def runs(self, game: str) -> str:
        """The folder with the runs of this game."""
        return "runs_" + re.sub(r"\W+", "_", game)

    def last_run(self, game: str) -> Any:
        """The run of this game."""
        return open_run("latest", self.folder / self.runs(game))

    def newest_replay(self, game: str) -> Path:
        """Its newest replay."""
        run = self.last_run(game)
        return Path(run.paths.replay(run.index.newest_id()))

    def _files(self) -> set[Path]:
        engine_own = (".godot", ".import", ".uid")  # what Godot makes of a project
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return {path for path in found if not any(mark in str(path) for mark in engine_own)}

    def _sentence(self, error: str, game: str) -> str:
        """The one line of a refusal, without names that depend on the game or the folder."""
        lines = [line for line in error.strip().splitlines() if line]
        assert len(lines) == 1 and lines[0].startswith("sandlot: ") and lines[0].endswith("."), error
        text = lines[0].removeprefix("sandlot: ")
        for name in (str(self.folder / PROJECT), self.address(game), game):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "GAME", text)
        return text

    # ------------------------------------------------------------ within this process

    def run(self, words: list[str]) -> Done:
        """The command in this process, which has imported everything already."""
        out, err, code = io.StringIO(), io.StringIO(), 0
        typed, widths = sys.argv, [(console, console.width) for console in (show.out, show.err)]
        with contextlib.chdir(self.folder), _redirected(out, err):
            sys.argv = ["sandlot", *words]
            for console, _ in widths:
                console.width = show.PIPE_WIDTH
            try:
                main.run()
            except SystemExit as stop:
                code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
            finally:
                sys.argv = typed
                for console, width in widths:
                    console.width = width
        return Done(code, out.getvalue(), err.getvalue())

    # ------------------------------------------------------------ servers

    def _served(self, command: str, words: list[str], game: str) -> str | None:
        """`yes` from a server that answered and stopped at Ctrl-C; None where it ended by itself."""
        environment = os.environ | {"NO_COLOR": "1", "TERM": "dumb"}
        server = subprocess.Popen(
            [sys.executable, "-m", "sandlot", *words],
            cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        try:
            assert server.stdout is not None
            found = next((match for line in server.stdout if (match := READY.match(line))), None)
            if found is None:
                return None
            ASKED[command](self, found[1], game)
            server.send_signal(signal.SIGINT)
            code = server.wait(LIMIT_S)
            assert code in (0, 130), f"{command} ended with {code} after Ctrl-C"
            return WORKS
        finally:
            server.kill()
            server.communicate()


@contextlib.contextmanager
def _redirected(out: io.StringIO, err: io.StringIO) -> Iterator[None]:
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield


# ---------------------------------------------------------------- what shows that a command did its work


def _shows_tables(at: AnyGame, done: Done, game: str) -> None:
    assert "Observation" in done.out and "Action" in done.out, done.out


def _trained(at: AnyGame, done: Done, game: str) -> None:
    run = at.last_run(game)
    assert run.record.status == "completed" and len(run.windows()) == 2
    assert not run.unevaluated() and run.index.count() >= 2


def _resumed(at: AnyGame, done: Done, game: str) -> None:
    run = at.last_run(game)
    assert len(run.windows()) == 3 and len(run.record.resumes) == 1


def _verified(at: AnyGame, done: Done, game: str) -> None:
    assert "files are undamaged" in done.out, done.out


def _drew(at: AnyGame, done: Done, game: str) -> None:
    assert len(list(at.last_run(game).paths.charts.glob("*.png"))) > 3


def _judged(at: AnyGame, done: Done, game: str) -> None:
    assert at.last_run(game).run_id in done.out, done.out


def _rated(at: AnyGame, done: Done, game: str) -> None:
    (report,) = (at.folder / at.runs(game) / "league").glob("*/league.json")
    names = json.dumps(json.loads(report.read_text()))
    assert all(f"{at.last_run(game).run_id}@{window}" in names for window in (0, 1)), names


def _measured(at: AnyGame, done: Done, game: str) -> None:
    assert len(re.findall(r"\d+\.?\d*", done.out)) >= 3, done.out


def _equal(at: AnyGame, done: Done, game: str) -> None:
    assert "differences: 0" in done.out, done.out


def _filmed(at: AnyGame, done: Done, game: str) -> None:
    from sandlot.media.mp4 import video_info

    (film,) = at.last_run(game).paths.videos.glob("learn_progress*.mp4")
    assert video_info(film).size == (128, 72) and video_info(film).frames > 20


def _same_again(at: AnyGame, done: Done, game: str) -> None:
    assert "Verified" in done.out or "frames agree" in done.out, done.out


def _ended(at: AnyGame, done: Done, game: str) -> None:
    assert done.out.startswith("After "), done.out


def _exported(at: AnyGame, done: Done, game: str) -> None:
    assert list(at.last_run(game).paths.exports.glob("*.onnx"))


def _played(at: AnyGame, done: Done, game: str) -> None:
    assert "sandlot episode {" in done.out, done.out


def _saved(at: AnyGame, done: Done, game: str) -> None:
    from sandlot.gates.baselines import Baselines

    assert Baselines(at.folder / at.runs(game) / "baselines").report("main").episodes == 4


def _verdict(at: AnyGame, done: Done, game: str) -> None:
    verdict = json.loads((at.folder / at.runs(game) / "verdict.json").read_text())
    assert verdict["result"] in ("pass", "undecided") and verdict["checks"], verdict


def _page(at: AnyGame, done: Done, game: str) -> None:
    page = (at.folder / at.runs(game) / "verdict.html").read_text()
    assert "</html>" in page and game.split("/")[-1] in page, page[:2000]


EFFECTS: dict[str, Callable[[AnyGame, Done, str], None]] = {
    "games": _shows_tables, "train": _trained, "train --resume": _resumed, "runs": _verified, "plot": _drew,
    "eval": _judged, "league": _rated, "bots": _measured, "parity": _equal, "bench": _measured,
    "replay": _same_again, "film": _filmed, "demo": _ended, "export": _exported, "play": _played,
    "baseline": _saved, "gate": _verdict, "report": _page,
}  # fmt: skip


def _get(address: str) -> Any:
    with urllib.request.urlopen(address, timeout=LIMIT_S) as answer:
        text = answer.read().decode()
    return json.loads(text) if answer.headers.get_content_type() == "application/json" else text


def _ask_site(at: AnyGame, address: str, game: str) -> None:
    """The run, its windows, and the frames of its newest replay."""
    (run,) = _get(f"{address}/api/runs")["runs"]
    place = f"{address}/api/runs/{run['run_id']}"
    assert run["run_id"] == at.last_run(game).run_id and _get(f"{place}/metrics/windows")["windows"]
    replay = _get(f"{place}/replays")["replays"][0]["replay_id"]
    assert _get(f"{place}/replays/{replay}/frames?limit=2")["frames"]


def _ask_page(at: AnyGame, address: str, game: str) -> None:
    """The page of the game, and that the API knows it."""
    host, query, _ = address.partition("/play")
    assert query and address.endswith(f"game={game}") and "<script" in _get(address)
    assert any(one["name"] == game for one in _get(f"{host}/api/games")["games"])


def _ask_action(at: AnyGame, address: str, game: str) -> None:
    """An observation is answered with as many numbers as the game's action has."""
    from websockets.sync.client import connect

    import sandlot

    spec = sandlot.load_spec(game)
    with connect(address, open_timeout=LIMIT_S) as game_side:
        game_side.send(json.dumps({"type": "act", "obs": [0.0] * spec.observation_size}))
        answer = json.loads(game_side.recv(LIMIT_S))
    assert answer["type"] == "action" and len(answer["action"]) == spec.action_size, answer


ASKED: dict[str, Callable[[AnyGame, str, str], None]] = {
    "serve": _ask_site, "play": _ask_page, "bridge": _ask_action,
}  # fmt: skip

# ---------------------------------------------------------------- the page

HEAD = """\
# Any game, every command

Generated by `python scripts/any_game.py`, which runs each command below on each game and looks at what
came of it: files, answers, results. A test runs them again (`tests/system/test_any_game.py`) and fails
where this page says something else. *yes*: it worked; a number: it refuses, with exit code 2, in that
sentence.
"""
GAMES_TEXT = """\
`tag` and `prospector` are the first two games; `landing` and `navigation` were added later, in the places
that [engine](engine.md#adding-a-game) lists; `gym:CartPole-v1` stands for any
[Gymnasium env](gym_games.md), `examples/godot_minimal` for a Godot project of [your own](your_game.md).
"""


def page(cell: Callable[[str, str], str]) -> str:
    """The page as Markdown. cell: what a command does with a game."""
    notes: list[str] = []

    def shown(command: str, game: str) -> str:
        text = cell(command, game)
        if text == WORKS:
            return text
        if text not in notes:
            notes.append(text)
        return f"[{notes.index(text) + 1}](#refusals)"

    lines = [HEAD, GAMES_TEXT, f"| `sandlot …` | {' | '.join(f'`{game}`' for game in GAMES)} |"]
    lines.append("|---" * (len(GAMES) + 1) + "|")
    for command in COMMANDS:
        cells = " | ".join(shown(command, game) for game in GAMES)
        lines.append(f"| `{command}` | {cells} |")
    machine = ", ".join(f"`sandlot {words}`" for words in MACHINE.values())
    lines += ["", f"About the machine, not about a game: {machine}.", "", "## Refusals", ""]
    lines += [f"{i + 1}. {note}" for i, note in enumerate(notes)]
    lines += [
        "",
        "## As they were run",
        "",
        "With `GAME` a scene is named by `--project DIR` in `train` and `play`,",
    ]
    lines += [
        "elsewhere as `godot:DIR`. Trainings are tiny; what they learn is not the point here.",
        "",
        "```sh",
    ]
    lines += [f"sandlot {words}" for words in COMMANDS.values()]
    return "\n".join([*lines, "```", ""])


def cells_of(text: str) -> dict[tuple[str, str], str]:
    """What a page says, by command and game."""
    notes = dict(re.findall(r"^(\d+)\. (.*)$", text, re.MULTILINE))
    found = {}
    for line in text.splitlines():
        parts = [part.strip() for part in line.strip("|").split("|")]
        if len(parts) == len(GAMES) + 1 and (command := parts[0].strip("`")) in COMMANDS:
            for game, part in zip(GAMES, parts[1:], strict=True):
                number = re.match(r"\[(\d+)\]", part)
                found[command, game] = notes[number[1]] if number else part
    return found


def write_page() -> None:
    """Run every command on every game."""
    with tempfile.TemporaryDirectory() as folder:
        at = AnyGame(Path(folder))

        def cell(command: str, game: str) -> str:
            began = time.perf_counter()
            text = at.cell(command, game)
            print(f"{time.perf_counter() - began:6.1f} s  {command:15} {game:24} {text}", flush=True)
            return text

        PAGE.write_text(page(cell), encoding="utf-8")


def main_program() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", help="a native game")
    parser.add_argument("--set", action="append", default=[], help="of its trainings")
    options = parser.parse_args()
    if options.game is None:
        write_page()
        return 0
    with tempfile.TemporaryDirectory() as folder:
        at = AnyGame(Path(folder), options.set)
        print(json.dumps({command: at.cell(command, options.game) for command in COMMANDS}))
    return 0


if __name__ == "__main__":
    sys.exit(main_program())
