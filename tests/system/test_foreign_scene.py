"""A game that is only Godot's, from an empty runs folder to a film: the commands of docs/your_game.md.

One run of examples/godot_minimal, whose engine is killed on the way, is trained for all of these tests.
"""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

import sandlot
from sandlot.bridge.godot_engine import find
from sandlot.media.mp4 import video_info
from sandlot.policies.exported import load_onnx
from sandlot.runs.store import Store

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find() is None, reason="no Godot: sandlot godot install"),
]
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/your_game.md"
PROGRAM = [sys.executable, "-m", "sandlot"]
LIMIT_S = 600
RANDOM_RETURN = -1.5  # random play has -2.3 on average, of -3 at worst


def run(*words, folder):
    return subprocess.run([*PROGRAM, *words], cwd=folder, capture_output=True, text=True, timeout=LIMIT_S)


def good(*words, folder):
    done = run(*words, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def commands():
    """The commands of the page, in their order, without their comments."""
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return [shlex.split(line, comments=True) for line in "".join(blocks).splitlines()]


def command(name):
    """The words of the page's first `sandlot NAME …`, without `sandlot`."""
    return next(words[1:] for words in commands() if words[:2] == ["sandlot", name])


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The example as a person has it who did what the page says before it trains."""
    folder = tmp_path_factory.mktemp("example")
    (folder / "examples").symlink_to(ROOT / "examples")
    for words in commands()[: commands().index(["sandlot", *command("play")])]:
        if words[0] == "sandlot":
            good(*words[1:], folder=folder)
        else:
            subprocess.run(words, cwd=folder, check=True)
    return folder / "my_game"


@pytest.fixture(scope="module")
def trained(project):
    """A folder with a run of three windows, whose engine was killed after the first."""
    folder = project.parent
    words = [*command("train"), "--minutes", "9", "--windows", "3", "--seed", "1", "--no-evaluate"]
    trainer = subprocess.Popen(
        [*PROGRAM, *words, "--no-tensorboard", "--json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while '"Committed"' not in trainer.stdout.readline():
            assert trainer.poll() is None, trainer.stderr.read()
        for child in psutil.Process(trainer.pid).children(recursive=True):
            child.kill()
        errors = trainer.communicate(timeout=LIMIT_S)[1]
    finally:
        trainer.kill()
        trainer.wait()
    assert trainer.returncode == 0, errors
    assert "killed by signal 9" in errors and "started again (1 of 3)" in errors
    return folder


def newest(folder):
    return Store(folder / "runs").latest()


def test_the_run_goes_on_after_its_engine_was_killed_and_knows_its_game(trained, project):
    made = newest(trained)
    assert made.record.status == "completed" and [row.window_id for row in made.windows()] == [0, 1, 2]
    assert made.spec["address"] == f"godot:{project}"
    assert made.spec["document"]["name"] == "apple_catcher"
    assert made.config["run"]["engine"] == "godot" and made.config["ppo"]["num_envs"] == 16


def test_it_learned_and_is_judged_against_random_play(trained):
    report = json.loads(good(*command("eval"), "--episodes", "20", "--json", folder=trained))
    returns = {row["name"]: row["return_mean"] for row in report["results"]}
    assert returns["random"] < RANDOM_RETURN, returns
    assert max(returns.values()) > returns["random"] + 3.0, returns
    assert report["headline"]["metric"] == "success_rate"


def test_an_exported_policy_plays_in_the_scene_as_it_does_here(trained, project):
    place = newest(trained).paths.exports
    good(*command("export"), folder=trained)
    (file,) = place.glob("agent-*.onnx")
    policy, seeds = load_onnx(file), [5]
    policy.greedy = True
    expected = []
    for seed in seeds:
        with sandlot.make(f"godot:{project}", worlds=1) as world:
            world.reset(seeds=[seed])
            ended = 0
            while not ended:
                world.actions[:] = policy.act(world.observations)[0]
                ended = world.step()
            expected.append(world.finished()[0])
    for seed, episode in zip(seeds, expected, strict=True):
        words = ("play", "latest", "--headless", "--episodes", "1", "--seed", str(seed))
        shown = good(*words, folder=trained)
        (line,) = [line for line in shown.splitlines() if line.startswith("sandlot episode ")]
        played = json.loads(line.removeprefix("sandlot episode "))
        assert (played["return"], played["steps"]) == (episode["return"], episode["steps"])
        assert played["success"] == episode["success"]


def test_an_episode_is_recorded_shown_and_filmed_in_its_own_scene(trained):
    report = json.loads(good("eval", "latest", "--episodes", "1", "--record", "--json", folder=trained))
    file = newest(trained).paths.folder / report["replay"]["replay_path"]
    shown = json.loads(good("replay", str(file), "--verify", "--json", folder=trained))
    assert shown["verdict"]["agrees"] and shown["header"]["played_in"] == "godot"
    assert shown["end"]["episode"]["apples"] >= 0
    good(*command("film"), folder=trained)
    (film,) = newest(trained).paths.videos.glob("*.mp4")
    assert video_info(film).frames > 10 * 5


def test_the_scene_plays_by_hand_where_nobody_trains(project):
    shown = good(*command("play"), "--headless", "--episodes", "1", folder=project.parent)
    (line,) = [line for line in shown.splitlines() if line.startswith("sandlot episode ")]
    played = json.loads(line.removeprefix("sandlot episode "))
    assert played["terminated"] and played["return"] < 0, "nobody touched a key"


def test_the_page_shows_the_glue_of_the_example_and_nothing_else_is_commanded():
    glue = re.search(r"```gdscript\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
    assert glue == (ROOT / "examples/godot_minimal/catcher_agent.gd").read_text()
    run_here = ["godot", "godot", "play", "train", "eval", "play", "film", "export"]
    assert [words[1] for words in commands() if words[0] == "sandlot"] == run_here
