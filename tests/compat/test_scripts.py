"""The brief's own commands, as a person types them: what each leaves behind, and how it ends."""

import csv
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from media.filming import check_pictures, need_a_camera

from sandlot.bridge.godot_engine import find
from sandlot.compat.outputs import MATCH_COLUMNS, collect, revision
from sandlot.compat.trajectories import read_trajectory
from sandlot.media.mp4 import read_frames, video_info
from sandlot.policies.policy import SHARED, unpack
from sandlot.runs.episodes import read_episodes
from sandlot.runs.store import Store

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = ROOT / "scripts"
LIMIT_S = 300
# ends after so many ticks, not seconds, so that a busy machine leaves the same
SETTINGS = (
    "ppo.num_envs=8", "ppo.num_steps=16", "ppo.num_minibatches=2",
    "run.windows=2", "run.window_env_steps=200",
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


@pytest.mark.slow
def test_policy_pt_holds_both_networks_where_each_role_has_its_own(session):
    both = unpack((session / "trainer/policy.pt").read_bytes(), "policy.pt")["policies"]
    for role, state in both.items():
        own = unpack((session / f"trainer/policy_{role}.pt").read_bytes(), role)
        assert state["role"] == role and same_weights(state, own)
    assert not same_weights(both["seeker"], both["hider"])


def same_weights(one, other):
    return all(torch.equal(tensor, other["network"][name]) for name, tensor in one["network"].items())


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
    video = video_info(film)
    assert (video.size, video.fps) == ((640, 360), 5.0) and video.frames >= 5
    check_pictures([picture.astype(float) for picture in read_frames(film)])
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
    end = lines[-1]
    shown = f"The {end['winner']} won by {end['terminal_reason']} after {end['duration_s']:.1f} s."
    assert done.stdout.splitlines()[0] == shown
    assert lines[0]["roles"] == ["hider", "seeker"]
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "plot_paths_from_trajectory.py"), "--output", "again.png"],
        cwd=session, capture_output=True, text=True, timeout=LIMIT_S,
    )  # fmt: skip
    assert done.returncode == 0 and (session / "again.png").exists(), done.stderr


@pytest.mark.slow
def test_a_recorded_match_leaves_frames_that_the_next_command_makes_a_film_of(session):
    recorded = bash("record_gui.sh", "seeker", folder=session, AI_RENDER_QUALITY="low", AI_RECORD_FPS="5")
    assert recorded.returncode == 0 and "encode_frames.sh" in recorded.stdout, recorded.stderr
    frames = sorted(session.glob("data/frames/frame_*.png"))
    assert len(frames) >= 5 and json.loads((session / "data/frames/frames.json").read_text()) == {"fps": 5}
    done = bash("encode_frames.sh", "--output", "recorded.mp4", folder=session)
    assert done.returncode == 0, done.stderr
    film = video_info(session / "recorded.mp4")
    assert (film.frames, film.fps, film.size) == (len(frames), 5.0, (960, 540))
    check_pictures([picture.astype(float) for picture in read_frames(session / "recorded.mp4")])
    assert not list((session / "data/frames").iterdir())


@pytest.mark.slow
def test_self_play_alternates_and_goes_on_with_its_shared_weights(tmp_path):
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
    shared = unpack((tmp_path / "trainer/policy.pt").read_bytes(), "policy.pt")
    assert shared["role"] == SHARED
    for role in ("seeker", "hider"):
        own = unpack((tmp_path / f"trainer/policy_{role}.pt").read_bytes(), role)
        assert own["role"] == role and same_weights(shared, own)
    played = [read_episodes(path) for path in sorted(tmp_path.glob("runs/*/metrics/episodes.csv"))]
    check_metrics(tmp_path / "trainer/logs/metrics.csv", played)
    check_metrics(tmp_path / "trainer/logs/runs/self-play/pair/metrics.csv", played)


def check_metrics(path, runs):
    """One row per match of all these runs, numbered through."""
    rows = read_episodes(path)
    assert len(runs) == 2 and all(runs) and len(rows) == sum(map(len, runs))
    assert [row["episode"] for row in rows] == [str(i) for i in range(len(rows))]
    assert [row["reward_sum"] for row in rows] == [row["reward_sum"] for run in runs for row in run]


@pytest.mark.slow
def test_rounds_duration_and_first_role_are_those_of_the_variables(tmp_path):
    variables = {"SELF_PLAY_ROUNDS": "1", "SELF_PLAY_DURATION": "1", "SELF_PLAY_START_ROLE": "hider"}
    words = ("--engine", "native", "--no-film", *SMALL, "--set", "run.windows=0")
    done = bash("train.sh", "self-play", *words, folder=tmp_path, SELF_PLAY_SESSION_ID="one", **variables)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "debug/one/self_play_rounds.csv").open() as file:
        assert [row["role"] for row in csv.DictReader(file)] == ["hider", "seeker"], (
            "an odd count gets one more"
        )
    runs = sorted(Store(tmp_path / "runs").runs(), key=lambda run: run.run_id)
    configs = [json.loads((tmp_path / "runs" / run.run_id / "config.json").read_text()) for run in runs]
    assert [config["settings"]["first_is_seeker"] for config in configs] == [False, True]
    assert [config["run"]["minutes"] * 60 for config in configs] == pytest.approx([1, 1])
    assert all(run.status == "completed" for run in runs)
    for run in runs:
        rows = (tmp_path / "runs" / run.run_id / "metrics/windows.jsonl").read_text().splitlines()
        assert rows and 0.3 < json.loads(rows[-1])["seconds"] < 20


@pytest.mark.parametrize(
    ("name", "value"),
    [("SELF_PLAY_START_ROLE", "goalkeeper"), ("SELF_PLAY_ROUNDS", "0"), ("SELF_PLAY_DURATION", "-1")],
)
def test_self_play_variables_that_make_no_sense_are_named_and_nothing_is_written(tmp_path, name, value):
    done = bash("train.sh", "self-play", "--engine", "native", folder=tmp_path, **{name: value})
    assert done.returncode == 2 and f"{name}={value}" in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []


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
        _, shown = program.communicate(timeout=60)
    assert program.returncode == 130 and "Stopped." in shown
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


# ---------------------------------------------------------------- without an engine


def no_engine(tmp_path, **more):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return {**QUICK, "GODOT_BIN": str(tmp_path / "none"), "TRAIN_PORT": str(port), **more}


def test_a_session_that_shall_not_wait_for_an_engine_ends_with_code_3(tmp_path):
    done = bash("train.sh", folder=tmp_path, **no_engine(tmp_path, KEEP_SERVER="0"))
    assert done.returncode == 3 and "GODOT_BIN" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_an_engine_the_server_waits_for_a_scene_until_its_deadline(tmp_path):
    variables = no_engine(tmp_path, AI_TRAIN_DURATION="2", TRAIN_RUN_ID="alone")
    done = bash("train.sh", "live-seeker", folder=tmp_path, **variables)
    assert done.returncode == 3, done.stderr
    assert "project.godot in Godot and press F5" in done.stderr and "until 2 s from now" in done.stderr
    assert f"Listening at ws://127.0.0.1:{variables['TRAIN_PORT']}" in done.stdout
    assert "No scene connected within" in done.stderr
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {name for name in left if not name.startswith("runs/")} == {"debug/alone/metadata.txt"}


@pytest.mark.slow
@godot
def test_a_scene_that_somebody_opens_is_trained_with(tmp_path):
    from sandlot.bridge.godot_process import GodotProcess
    from sandlot.bridge.godot_project import project_folder

    engine, variables = find(), no_engine(tmp_path, TRAIN_RUN_ID="opened")
    words = ["bash", str(SCRIPTS / "train.sh"), "live-hider"]
    with subprocess.Popen(
        words,
        cwd=tmp_path,
        env=clean() | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert "Listening" in program.stdout.readline()
        url = f"ws://127.0.0.1:{variables['TRAIN_PORT']}"
        arguments = ["--fixed-fps", "60", "--", "--matches=3"]
        with GodotProcess(
            arguments, project=project_folder(), engine=engine, environment={"SANDLOT_URL": url}
        ) as scene:
            ended = scene.wait(120)
        program.send_signal(signal.SIGINT)
        _, shown = program.communicate(timeout=60)
    assert ended.code == 0 and program.returncode == 0, ended.output + shown
    assert len(read_episodes(tmp_path / "trainer/logs/metrics.csv")) == 3
    names = ("policy.pt", "policy_seeker.pt", "policy_hider.pt", "metrics.csv", "metadata.txt")
    assert all((tmp_path / "debug/opened" / name).exists() for name in names)
    state = unpack((tmp_path / "trainer/policy_hider.pt").read_bytes(), "policy")
    assert state["config"]["first_is_seeker"] is False and state["config"]["recall"] is True


# ---------------------------------------------------------------- stopping


@pytest.mark.slow
@godot
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "Ctrl-C"])
def test_a_stopped_session_stops_server_and_game_and_saves_everything(tmp_path, how):
    words = ["bash", str(SCRIPTS / "train.sh"), "live-seeker", *SMALL, "--set", "run.windows=0"]
    variables = clean() | QUICK | {"TRAIN_RUN_ID": "cut"}
    with subprocess.Popen(
        words, cwd=tmp_path, env=variables, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as program:
        end_at = time.monotonic() + LIMIT_S
        while not (tmp_path / "trainer/policy.pt").exists():
            assert program.poll() is None and time.monotonic() < end_at
            time.sleep(0.05)
        engines = children(program.pid)
        if how == "Ctrl-C":  # a terminal tells the whole group
            os.killpg(program.pid, signal.SIGINT)
        else:
            program.send_signal(getattr(signal, how))
        _, shown = program.communicate(timeout=60)
    assert program.returncode == 130 and "Traceback" not in shown, shown
    assert engines and not any(Path(f"/proc/{pid}").exists() for pid in engines)
    assert not (tmp_path / ".server.pid").exists() and not list(tmp_path.rglob("*.part"))
    run = Store(tmp_path / "runs").latest()
    assert run.record.status == "stopped"
    newest = unpack(run.newest_checkpoint().read_bytes(), "checkpoint")
    assert newest["env_steps_total"] == run.record.env_steps_total > 0, "what came after the last window too"
    for role, state in newest["policies"].items():
        assert same_weights(unpack((tmp_path / f"trainer/policy_{role}.pt").read_bytes(), role), state)
    rows = read_episodes(run.paths.episodes)
    assert len(read_episodes(tmp_path / "trainer/logs/metrics.csv")) == len(rows)
    assert {"policy.pt", "policy_seeker.pt", "godot.log", "server.log", "metadata.txt"} <= {
        path.name for path in (tmp_path / "debug/cut").iterdir()
    }


# ---------------------------------------------------------------- session after session


@pytest.mark.slow
def test_a_second_session_appends_its_matches_and_a_refused_one_changes_nothing(tmp_path):
    words = ("train.sh", "live-seeker", "--engine", "native", *SMALL)
    for name in ("one", "two"):
        done = bash(*words, folder=tmp_path, TRAIN_RUN_ID=name, **QUICK)
        assert done.returncode == 0, done.stderr
    assert "Going on with the weights" in done.stderr
    runs = [read_episodes(path) for path in sorted(tmp_path.glob("runs/*/metrics/episodes.csv"))]
    check_metrics(tmp_path / "trainer/logs/metrics.csv", runs)
    assert len(read_episodes(tmp_path / "trainer/logs/runs/live-seeker/two/metrics.csv")) == len(runs[1])

    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    refused = bash(*words, folder=tmp_path, TRAIN_RUN_ID="three", AI_DISTANCE_REWARD_SCALE="0.5")
    assert refused.returncode == 2, refused.stderr
    assert "AI_DISTANCE_REWARD_SCALE=0.5: seeker_progress could pay" in refused.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert not (tmp_path / "debug/three").exists()


def test_a_bundle_of_a_session_leaves_out_what_an_earlier_one_wrote(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("trainer/logs/metrics.csv", "trainer/policy.pt", "charts/steps.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"old")
        os.utime(tmp_path / name, (1_000_000, 1_000_000))
    (tmp_path / "trainer/policy_seeker.pt").write_bytes(b"new")
    assert collect(tmp_path / "bundle", since_ns=2_000_000 * 10**9) == ["policy_seeker.pt", "metadata.txt"]


def test_an_unknown_mode_of_the_game_is_refused_by_the_name_of_its_variable(tmp_path):
    done = bash("train.sh", "live-seeker", "--engine", "native", folder=tmp_path, AI_MODE="hockey")
    assert done.returncode == 2 and "AI_MODE=hockey" in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []


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


def test_frames_are_encoded_at_the_rate_they_were_drawn_at(tmp_path):
    from PIL import Image

    (tmp_path / "data/frames").mkdir(parents=True)
    for i in range(31):
        Image.new("RGB", (64, 48), (8 * i, 60, 90)).save(tmp_path / f"data/frames/frame_{i:05d}.png")
    (tmp_path / "data/frames/frames.json").write_text('{"fps": 10}')
    done = bash("encode_frames.sh", "--keep", "--output", "film.mp4", folder=tmp_path)
    assert done.returncode == 0 and "31 frames, 3.1 s" in done.stdout, done.stderr
    assert (video_info(tmp_path / "film.mp4").fps, video_info(tmp_path / "film.mp4").frames) == (10.0, 31)
    asked = bash("encode_frames.sh", "--keep", "--fps", "31", "--output", "quick.mp4", folder=tmp_path)
    assert asked.returncode == 0 and video_info(tmp_path / "quick.mp4").fps == 31.0
    (tmp_path / "data/frames/frames.json").write_text('{"fps": "fast"}')
    wrong = bash("encode_frames.sh", "--output", "none.mp4", folder=tmp_path)
    assert wrong.returncode == 2 and "frames.json" in wrong.stderr and not (tmp_path / "none.mp4").exists()
    assert len(list(tmp_path.glob("data/frames/*.png"))) == 31


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


def test_the_bundle_names_the_revision_that_runs(tmp_path):
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, timeout=30)
    done = bash("collect_debug_artifacts.sh", "here", folder=tmp_path)
    assert done.returncode == 0 and len(head.stdout.strip()) == 40, done.stderr
    assert f"git head: {head.stdout}" in (tmp_path / "here/metadata.txt").read_text()
    assert revision(tmp_path)["git head"].startswith("none: sandlot"), (
        "an archive has no revision and says so"
    )


def test_every_script_takes_its_folders_from_the_shared_helper(tmp_path):
    """Each becomes a program that prints what it got: whole paths, whatever was set."""
    program = tmp_path / "python"
    folders = ("AI_DATA_ROOT", "AI_FRAMES_DIR", "AI_TRAJECTORIES_DIR", "AI_MIGRATION_BACKUP_DIR")
    program.write_text("#!/bin/sh\n" + "".join(f'echo "${name}"\n' for name in folders))
    program.chmod(0o755)
    (tmp_path / "trainer/logs").mkdir(parents=True)
    (tmp_path / "trainer/logs/metrics.csv").touch()
    for script in sorted(path.name for path in SCRIPTS.glob("*.sh")):
        if script == "set_training_env.sh":  # to be sourced, starts nothing
            continue
        for given, root in (({}, "data"), ({"AI_DATA_ROOT": "mine"}, "mine"), ({"AI_DATA_ROOT": "/d"}, "/d")):
            shown = bash(script, folder=tmp_path, TRAIN_PYTHON=str(program), **given).stdout.splitlines()
            place = tmp_path / root
            wanted = [place, place / "frames", place / "trajectories", place / "_imported"]
            assert shown == list(map(str, wanted)), script
        own = {"AI_FRAMES_DIR": "pictures", "TRAIN_PYTHON": str(program)}
        assert bash(script, folder=tmp_path, **own).stdout.splitlines()[1] == str(tmp_path / "pictures")


@pytest.mark.parametrize(
    ("script", "variables", "shown"),
    [
        ("train.sh", {"TRAIN_USE_PIXI": "1"}, "no pixi on the PATH"),
        ("eval_episode.sh", {"EVAL_USE_PIXI": "1"}, "no pixi on the PATH"),
        ("train.sh", {"TRAIN_PYTHON": "/none/python"}, "TRAIN_PYTHON=/none/python"),
        ("train.sh", {"TRAIN_BIN_DIR": "/none"}, "TRAIN_BIN_DIR=/none"),
        ("train.sh", {"TRAIN_ENV_DIR": "/none"}, "TRAIN_ENV_DIR=/none"),
    ],
)
def test_a_program_that_is_not_there_is_said_in_a_sentence(tmp_path, script, variables, shown):
    done = bash(script, folder=tmp_path, PATH="/usr/bin:/bin", **variables)
    assert done.returncode == 2 and shown in done.stderr and "line " not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("script", sorted(path.name for path in SCRIPTS.glob("*.sh")))
def test_every_script_is_correct_shell(script):
    assert subprocess.run(["bash", "-n", str(SCRIPTS / script)], timeout=30).returncode == 0
