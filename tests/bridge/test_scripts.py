"""The brief's own commands, as a person types them: what each leaves behind, and how it ends."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from media.filming import check_pictures, need_a_camera

from sandlot.bridge.godot_engine import find
from sandlot.media.mp4 import facts, pictures
from sandlot.runs.episodes import MATCH_COLUMNS
from sandlot.runs.trajectories import read_trajectory

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = ROOT / "scripts"
LIMIT_S = 300
# ends after so many ticks, not seconds, so that a busy machine leaves the same
SETTINGS = (
    "ppo.worlds=8", "ppo.horizon=16", "ppo.minibatches=2", "run.windows=2", "run.window_env_steps=200",
)  # fmt: skip
SMALL = ("--no-evaluate", *(word for setting in SETTINGS for word in ("--set", setting)))
QUICK = {"AI_TIME_LIMIT_SEC": "1", "AI_TRAIN_DURATION": "120"}
FILM = {"AI_RECORD_FPS": "5"}  # a dozen pictures

godot = pytest.mark.skipif(find() is None, reason="no Godot: sandlot godot install")


def clean():
    """The environment without what would change a session."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("AI_", "TRAIN_", "SELF_PLAY_"))}


def bash(script, *words, folder, **variables):
    return subprocess.run(
        ["bash", str(SCRIPTS / script), *words],
        cwd=folder,
        env=clean() | variables,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """A few seconds of `train.sh live-seeker` in the real engine."""
    folder = tmp_path_factory.mktemp("session")
    need_a_camera()
    variables = {**QUICK, **FILM, "AI_LOG_TRAJECTORIES": "1", "TRAIN_RUN_ID": "first"}
    done = bash("train.sh", "live-seeker", *SMALL, folder=folder, **variables)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_training_leaves_every_file_that_the_brief_names(session):
    expected = [
        *("trainer/policy_seeker.pt", "trainer/policy_hider.pt", "trainer/policy.pt"),
        *("trainer/logs/metrics.csv", "trainer/logs/latest_run.txt"),
        *("charts/reward_mean.png", "charts/win_rates.png"),
        *("debug/first/server.log", "debug/first/godot.log", "debug/first/metadata.txt"),
        *("debug/first/policy_seeker.pt", "debug/first/metrics.csv"),
        *(f"trainer/logs/runs/live-seeker/first/{n}" for n in ("metrics.csv", "summary.json")),
    ]  # fmt: skip
    assert [name for name in expected if not (session / name).exists()] == []
    assert [left.name for left in session.rglob("*.part")] + [*session.glob(".server.pid")] == []
    with (session / "trainer/logs/metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == MATCH_COLUMNS and {row["winner"] for row in rows} <= {"seeker", "hider"}
    assert "git head" in (session / "debug/first/metadata.txt").read_text()


@pytest.mark.slow
def test_trajectories_are_written_when_asked(session):
    lines = list(read_trajectory(session / "data/trajectories/ep_00001.jsonl"))
    assert lines[0]["engine"] == "godot" and lines[-1]["type"] == "episode_end"


def newest_match(folder):
    (*_, newest) = sorted(folder.glob("data/trajectories/ep_*.jsonl"))
    return list(read_trajectory(newest))


def check_film(folder, debug):
    """One film of learned play: whole, moving, both cubes in it; a copy in the bundle."""
    (film,) = folder.glob("learn_progress-*.mp4")
    told = facts(film)
    assert (told.size, told.fps) == ((640, 360), 5.0) and told.frames >= 5
    check_pictures([picture.astype(float) for picture in pictures(film)])
    assert (folder / debug / film.name).read_bytes() == film.read_bytes()


@pytest.mark.slow
def test_training_ends_with_a_match_of_its_weights_and_a_film_of_it(session):
    start, *steps, end = newest_match(session)
    assert start["players"] == ["trained", "trained"] and start["engine"] == "godot"
    assert start["roles"] == ["seeker", "hider"] and end["winner"] in ("seeker", "hider")
    assert {line["agent"] for line in steps if line["type"] == "step"} == {"Agent1", "Agent2"}
    check_film(session, "debug/first")


@pytest.mark.slow
def test_plotting_leaves_the_metrics_as_they_are(session):
    before = (session / "trainer/logs/metrics.csv").read_bytes()
    done = bash("plot_metrics.sh", folder=session)
    assert done.returncode == 0, done.stderr
    assert (session / "trainer/logs/metrics.csv").read_bytes() == before


@pytest.mark.slow
def test_an_evaluation_plays_one_match_and_draws_its_paths(session):
    words = ("--start-role", "hider", "--output", "map.png", "--title", "One match")
    done = bash("eval_episode.sh", *words, folder=session, EVAL_RUN_ID="judged")
    assert done.returncode == 0, done.stderr
    assert (session / "map.png").stat().st_size > 5000
    lines = list(read_trajectory(session / "debug/judged_eval/trajectory.jsonl"))
    assert lines[0]["roles"] == ["hider", "seeker"]
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "plot_paths_from_trajectory.py"), "--output", "again.png"],
        cwd=session, capture_output=True, text=True, timeout=LIMIT_S,
    )  # fmt: skip
    assert done.returncode == 0 and (session / "again.png").exists(), done.stderr


@pytest.mark.slow
def test_self_play_alternates_and_goes_on_with_its_weights(tmp_path):
    need_a_camera()
    variables = {"SELF_PLAY_ROUNDS": "1", "SELF_PLAY_DURATION": "120", "AI_TIME_LIMIT_SEC": "1", **FILM}
    done = bash("train.sh", "self-play", *SMALL, folder=tmp_path, SELF_PLAY_SESSION_ID="pair", **variables)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "debug/pair/self_play_rounds.csv").open() as file:
        rounds = list(csv.DictReader(file))
    assert [(r["round_index"], r["role"]) for r in rounds] == [("1", "seeker"), ("2", "hider")]
    assert all((tmp_path / row["log_path"]).exists() for row in rounds)
    assert "Going on with the weights" in done.stderr
    asked = [json.loads(path.read_text())["settings"] for path in sorted(tmp_path.glob("runs/*/config.json"))]
    assert [one["first_is_seeker"] for one in asked] == [True, False]
    assert newest_match(tmp_path)[0]["players"] == ["trained", "trained"]
    check_film(tmp_path, "debug/pair")


@pytest.mark.slow
@godot
def test_a_session_ends_with_its_training_when_no_film_is_wanted(tmp_path):
    done = bash("train.sh", "live-hider", *SMALL, folder=tmp_path, TRAIN_FILM="0", **QUICK)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "trainer/policy_hider.pt").exists()
    assert [*tmp_path.glob("data"), *tmp_path.glob("*.mp4")] == []


@pytest.mark.slow
def test_without_an_engine_to_film_with_what_was_trained_stays_and_the_exit_code_says_so(tmp_path):
    variables = {**QUICK, "GODOT_BIN": str(tmp_path / "none"), "TRAIN_RUN_ID": "dark"}
    done = bash(
        "train.sh", "live-hider", "--engine", "native", "--film", *SMALL, folder=tmp_path, **variables
    )
    assert done.returncode == 3, done.stderr
    assert "There will be no film" in done.stderr and "No film was made: GODOT_BIN" in done.stderr
    assert newest_match(tmp_path)[0]["roles"] == ["hider", "seeker"]
    assert (tmp_path / "debug/dark/policy_seeker.pt").exists() and not list(tmp_path.glob("*.mp4*"))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_session_stopped_in_its_film_keeps_its_weights_and_leaves_no_half_file(tmp_path, number):
    need_a_camera()
    rooms = tmp_path / "rooms"
    rooms.mkdir()
    words = ["bash", str(SCRIPTS / "train.sh"), "live-seeker", "--engine", "native", "--film", *SMALL]
    variables = clean() | QUICK | {"TRAIN_RUN_ID": "cut", "TMPDIR": str(rooms)}
    with subprocess.Popen(words, cwd=tmp_path, env=variables, stderr=subprocess.PIPE, text=True) as program:
        end_at = time.monotonic() + LIMIT_S
        while not list(rooms.glob("sandlot-film-*/frame_*.png")):
            assert program.poll() is None and time.monotonic() < end_at
            time.sleep(0.05)
        engines = children(program.pid)
        program.send_signal(number)
        _, said = program.communicate(timeout=60)
    assert program.returncode == 130 and "Stopped." in said
    assert [*tmp_path.glob("*.mp4*"), *tmp_path.glob(".*"), *rooms.glob("sandlot*")] == []
    assert (tmp_path / "debug/cut/policy_seeker.pt").exists() and (
        tmp_path / "debug/cut/ep_00001.jsonl"
    ).exists()
    assert engines and not any(Path(f"/proc/{pid}").exists() for pid in engines)


def children(pid):
    if sys.platform != "linux":
        pytest.skip("looks into /proc")
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


@pytest.mark.slow
@pytest.mark.parametrize(("wanted", "code"), [("0", 0), ("1", 1)])
def test_a_curriculum_keeps_hiders_and_is_judged_by_the_seekers_last_matches(tmp_path, wanted, code):
    variables = {
        "WARM_START_RUNS": "1", "WARM_START_DURATION": "120", "AI_TIME_LIMIT_SEC": "1",
        "CURRICULUM_SELF_ROUNDS": "2", "CURRICULUM_SELF_DURATION": "120", "CURRICULUM_TARGET_WIN": wanted,
    }  # fmt: skip
    done = bash("self_play_curriculum.sh", "--engine", "native", *SMALL, folder=tmp_path, **variables)
    assert done.returncode == code, done.stderr
    assert f"{float(wanted):.2f} is wanted" in done.stdout and "Against hider_" in done.stdout
    assert "nothing to plot" not in done.stderr
    assert len(list(tmp_path.glob("trainer/policy_pool/hider/hider_*.pt"))) >= 1
    assert len(list(tmp_path.glob("runs/*/config.json"))) == 3  # one warm-up, two rounds


def test_a_session_without_an_engine_ends_with_code_3(tmp_path):
    done = bash("train.sh", folder=tmp_path, GODOT_BIN=str(tmp_path / "none"), **QUICK)
    assert done.returncode == 3 and "GODOT_BIN" in done.stderr
    assert not (tmp_path / "runs").exists()


def test_an_unknown_mode_is_refused(tmp_path):
    done = bash("train.sh", "fly", folder=tmp_path)
    assert done.returncode == 2 and "live-seeker" in done.stderr


@pytest.mark.slow
def test_a_session_in_the_native_engine_honours_the_variables(tmp_path):
    variables = {**QUICK, "AI_WIN_BONUS": "20", "AI_IS_IT": "1", "PPO_MAX_CHECKPOINTS": "3"}
    done = bash("train.sh", "live-hider", "--engine", "native", *SMALL, folder=tmp_path, **variables)
    assert done.returncode == 0, done.stderr
    (config,) = [json.loads(path.read_text()) for path in tmp_path.glob("runs/*/config.json")]
    asked = {"first_is_seeker": False, "time_limit": 1.0, "tag_bonus": 20.0, "tagged_penalty": 20.0}
    assert config["settings"] | asked == config["settings"]
    assert config["run"]["keep_checkpoints"] == 3


@pytest.mark.slow
def test_an_old_metrics_file_with_other_columns_is_kept_aside(tmp_path):
    (tmp_path / "trainer/logs").mkdir(parents=True)
    (tmp_path / "trainer/logs/metrics.csv").write_text("episode,old\n1,2\n")
    done = bash("train.sh", "--engine", "native", folder=tmp_path, **QUICK)
    assert done.returncode == 2  # the mode comes first
    done = bash("train.sh", "live-seeker", "--engine", "native", *SMALL, folder=tmp_path, **QUICK)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "trainer/logs/metrics.csv.legacy").read_text() == "episode,old\n1,2\n"


def test_evaluation_without_weights_says_what_to_do(tmp_path):
    done = bash("eval_episode.sh", folder=tmp_path)
    assert done.returncode == 2 and "policy_seeker.pt" in done.stderr and "train.sh" in done.stderr


def test_plotting_nothing_is_code_1(tmp_path):
    assert bash("plot_metrics.sh", folder=tmp_path).returncode == 1


def test_frames_become_a_film_and_go(tmp_path):
    from PIL import Image

    (tmp_path / "data/frames").mkdir(parents=True)
    for i in range(8):
        Image.new("RGB", (65, 48), (30 * i, 60, 90)).save(tmp_path / f"data/frames/frame_{i:05d}.png")
    kept = bash("encode_frames.sh", folder=tmp_path, AI_PRESERVE_FRAMES="1")
    assert kept.returncode == 0 and len(list(tmp_path.glob("data/frames/*.png"))) == 8, kept.stderr
    done = bash("encode_frames.sh", "--output", "film.mp4", folder=tmp_path)
    assert done.returncode == 0 and not list(tmp_path.glob("data/frames/*.png"))
    import av

    with av.open(str(tmp_path / "film.mp4")) as film:
        stream = film.streams.video[0]
        assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("h264", "yuv420p")
        assert float(stream.average_rate) == 60 and len(list(film.decode(stream))) == 8
    assert len(list(tmp_path.glob("learn_progress-*.mp4"))) == 1
    assert bash("encode_frames.sh", folder=tmp_path).returncode == 2


def test_old_user_data_is_copied_and_put_away(tmp_path):
    old = tmp_path / "old"
    old.mkdir()
    (old / "ep_00003.jsonl").write_text("{}\n")
    variables = {"AI_LEGACY_TRAJECTORY_DIRS": str(old), "HOME": str(tmp_path)}
    dry = bash("migrate_user_data.sh", "--dry-run", folder=tmp_path, **variables)
    assert "1 files would be copied" in dry.stdout and not (tmp_path / "data").exists()
    bash("migrate_user_data.sh", "--archive-legacy", folder=tmp_path, **variables)
    assert (tmp_path / "data/trajectories/ep_00003.jsonl").exists() and not list(old.iterdir())
    assert len(list(tmp_path.glob("data/_imported/*/trajectories/ep_00003.jsonl"))) == 1


def test_the_bundle_takes_a_destination_and_logs(tmp_path):
    (tmp_path / "s.log").write_text("server")
    done = bash("collect_debug_artifacts.sh", "here", "--server-log", "s.log", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "here/s.log").read_text() == "server" and (tmp_path / "here/metadata.txt").exists()
    assert bash("collect_debug_artifacts.sh", "--godot-log", "no.log", folder=tmp_path).returncode == 2


def test_the_shared_path_helper_says_what_python_says(tmp_path):
    program = f"source {SCRIPTS}/lib/data_paths.sh; data_root; frames_dir; trajectories_dir; imports_dir"
    said = subprocess.run(
        ["bash", "-c", program],
        env={"AI_DATA_ROOT": "/d", "PATH": os.environ["PATH"]},
        capture_output=True, text=True, timeout=30, cwd=tmp_path,
    )  # fmt: skip
    assert said.stdout.split() == ["/d", "/d/frames", "/d/trajectories", "/d/_imported"]


@pytest.mark.parametrize("script", sorted(path.name for path in SCRIPTS.glob("*.sh")))
def test_every_script_is_correct_shell(script):
    assert subprocess.run(["bash", "-n", str(SCRIPTS / script)], timeout=30).returncode == 0
