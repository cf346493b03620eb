"""The whole pipeline for a Gymnasium env: no native world, preset, bot or rating."""

import json

import gymnasium
import numpy as np
import pytest
import torch
import toy_envs  # noqa: F401  (registers them)
from calling import caller
from fastapi.testclient import TestClient

import sandlot as package
from sandlot.cli import main
from sandlot.evaluate.replay_recorder import verify
from sandlot.media.mp4 import video_info
from sandlot.runs import Replay
from sandlot.runs.store import open_run
from sandlot.runs.verify import verify_run
from sandlot.serve import Settings, create_app
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin
from sandlot.train.trainer import Trainer
from sandlot.worlds import gym as gym_worlds
from sandlot.worlds.make import _described

GAME = "gym:CartPole-v1"
SMALL = ("run.window_env_steps=1024", "ppo.num_envs=8", "ppo.num_steps=64", "ppo.update_epochs=2",
         "ppo.num_minibatches=4", "evaluation.episodes=4")  # fmt: skip


def sets(*words):
    return [part for word in words for part in ("--set", word)]


@pytest.fixture
def closed(monkeypatch):
    """Nothing opens an env, and no spec is remembered from elsewhere."""
    monkeypatch.setattr(gym_worlds.GymWorld, "__init__", lambda *_, **__: pytest.fail("an env was opened"))
    _described.clear()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The folder with one run of CartPole that the command line trained: two windows, evaluated."""
    folder = tmp_path_factory.mktemp("gym")
    with pytest.MonkeyPatch.context() as patch:
        done = caller(patch, _Silent(), folder, main.app, "sandlot")(
            "train", GAME, "--windows", "2", *sets(*SMALL), "--runs", str(folder / "runs"), "--no-tensorboard"
        )
    assert done.code == 0
    return folder / "runs"


class _Silent:
    """In place of capsys, which lives no longer than one test."""

    def readouterr(self):
        return type("Output", (), {"out": "", "err": ""})


def test_a_run_is_evaluated_replayed_and_keeps_its_spec(runs, closed):
    run = open_run("latest", runs)
    assert (run.record.game, run.record.status, run.record.trainer_info["engine"]) == (
        GAME,
        "completed",
        "gym",
    )
    assert run.best().value > 0 and not run.unevaluated() and run.index.count() == 2
    assert run.spec["address"] == GAME and run.spec["document"]["source"] == "gymnasium"
    assert all(each.problem is None for each in verify_run(run))
    row = run.windows()[-1].to_json()
    assert row["length_mean"] > 0 and row["agent_explained_variance"] is not None
    policy = package.load_policy(run.paths.folder)
    assert policy.spec.address == GAME and policy.spec.hash == run.record.spec_hash


def test_eval_compares_with_random_play(sandlot, runs):
    report = json.loads(sandlot("eval", "latest", "--runs", str(runs), "--episodes", "6", "--json").out)
    assert [row["name"].split("@")[0] for row in report["results"]][1] == "random"
    assert report["headline"]["metric"] == "return_mean" and len(report["results"]) == 2


def test_a_recorded_episode_plays_again_and_a_changed_one_does_not(sandlot, runs):
    run = open_run("latest", runs)
    path = run.paths.replay(run.index.newest_id())
    replay = Replay.read(path)
    assert replay.header.played_in == "gym" and replay.header.spec["address"] == GAME
    verdict = verify(replay)
    assert verdict.agrees and verdict.simulated and verdict.steps == replay.end.steps
    assert "Verified" in sandlot("replay", str(path), "--verify").out
    replay.actions[:] = 1 - replay.actions
    assert not verify(replay).agrees


def test_reading_a_run_opens_no_env(sandlot, runs, closed):
    run = open_run("latest", runs)
    path = str(run.paths.replay(run.index.newest_id()))
    assert sandlot("plot", "latest", "--runs", str(runs)).code == 0
    assert sandlot("runs", "show", "latest", "--runs", str(runs)).code == 0
    shown = json.loads(sandlot("replay", path, "--frames", "0:2", "--json").out)
    assert len(shown["frames"]) == 2 and len(shown["frames"][0]["render_state"]["observation"]) == 4


def test_the_api_shows_a_run_its_metrics_and_its_episodes(runs, closed):
    with TestClient(create_app(Settings(runs=runs)), base_url="http://127.0.0.1") as site:
        (run,) = site.get("/api/runs").json()["runs"]
        at = f"/api/runs/{run['run_id']}"
        assert run["game"] == GAME
        replays = site.get(f"{at}/replays").json()["replays"]
        page = f"{at}/replays/{replays[0]['replay_id']}"
        paths = [
            at,
            f"{at}/checkpoints",
            f"{at}/policies",
            f"{at}/metrics/windows",
            page,
            f"{page}/frames?limit=3",
        ]
        answers = {path: site.get(path).status_code for path in paths}
        assert set(answers.values()) == {200}, answers
        frames = site.get(f"{page}/frames?limit=3").json()["frames"]
        assert len(frames) == 3 and len(frames[0]["render_state"]["observation"]) == 4
        assert "spec" not in site.get(page).json()["header"]


def test_a_policy_is_exported_and_the_file_plays_as_it_does(sandlot, runs, tmp_path):
    words = ("--onnx", "--int8", "--godot-rl", "--distill", "8", "--rounds", "1", "--output", str(tmp_path))
    report = json.loads(sandlot("export", "latest", "--runs", str(runs), *words, "--json").out)
    files = report["roles"]["agent"]["files"]
    assert [file["form"] for file in files] == ["onnx", "int8", "8", "8-int8", "godot_rl"]
    assert files[0]["max_difference"] < 1e-4 and files[0]["greedy_agreement"] == 1.0
    assert sandlot("eval", files[0]["path"], "--episodes", "2").code == 0


def test_a_run_and_an_episode_are_filmed(sandlot, runs, tmp_path):
    film, episode = tmp_path / "run.mp4", tmp_path / "episode.mp4"
    words = ("--runs", str(runs), "--quick", "--size", "128x72")
    assert sandlot("film", "latest", *words, "--seconds", "10", "--out", str(film)).code == 0
    assert sandlot("film", "latest", *words, "--match", "newest", "--out", str(episode)).code == 0
    assert video_info(film).size == video_info(episode).size == (128, 72)
    assert video_info(film).frames > 60 and video_info(episode).frames > 10


def test_a_run_goes_on_with_new_episodes(sandlot, runs):
    words = ("--windows", "3", "--runs", str(runs), "--no-evaluate", "--no-tensorboard")
    assert sandlot("train", "--resume", "latest", *words).code == 0
    run = open_run("latest", runs)
    assert run.record.env_steps_total == 3072 and len(run.record.resumes) == 1
    assert all(row.return_mean <= 500 for row in run.windows()), "no return is joined from two episodes"


def test_games_and_bench_know_an_env(sandlot):
    shown = json.loads(sandlot("games", "gym:LunarLander-v3", "--set", "continuous=true", "--json").out)
    assert shown["config"]["continuous"] and [a["kind"] for a in shown["actions"]] == ["axis", "axis"]
    assert "Action" in sandlot("games", GAME).out
    words = ("--rounds", "2", "--seconds", "0.05", "--worlds", "1,2", "--json")
    (report,) = json.loads(sandlot("bench", GAME, *words).out)["games"]
    assert [case["worlds"] for case in report["cases"]] == [1, 2]


REFUSED = {
    ("parity", GAME): "no Python twin",
    ("play", GAME): "not in a browser",
    ("bots", GAME): "no scripted players",
    ("league", GAME, "--runs", "none"): "needs two players",
    ("train", "gym:CartPol-v1"): "Did you mean 'CartPole-v1'?",
    ("train", "gym:SandlotToyText-v0"): "Text space",
    ("train", "gym:SandlotToyGraph-v0"): "action is a Graph space",
    ("train", "gym:SandlotUninstalled-v0"): "pip install 'sandlot[gymnasium-tasks]'",
    ("train", "gym:SandlotToyBadReset-v0", "--windows", "1"): "gym:SandlotToyBadReset-v0 raised in reset()",
    ("train", GAME, "--engine", "godot"): "runs in gym only",
    ("train", GAME, "--trainer", "puffer"): "trains native games only",
    ("train", GAME, "--set", "settings.gravity=2"): "no setting of gym:CartPole-v1 called 'gravity'",
    ("eval", "latest"): "There is no run",
}


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_what_makes_no_sense_says_so_in_a_sentence_and_writes_nothing(sandlot, tmp_path, words):
    done = sandlot(*words)
    assert done.code == 2 and REFUSED[words] in done.err and "Traceback" not in done.err
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_an_env_whose_observation_grows_in_a_later_episode_ends_training_and_loses_nothing(sandlot, tmp_path):
    small = ("run.window_env_steps=64", "ppo.num_envs=2", "ppo.num_steps=16", "ppo.num_minibatches=2")
    words = ("--windows", "50", "--no-evaluate", "--no-tensorboard")
    done = sandlot("train", "gym:SandlotToyGrown-v0", *words, *sets(*small))
    assert done.code == 2 and "has the shape (3,), declared is (2,)" in done.err
    assert "gym:SandlotToyGrown-v0" in done.err and "is saved" in done.err and "Traceback" not in done.err
    run = open_run("latest", tmp_path / "runs")
    assert run.record.status == "failed" and len(run.windows()) >= 3
    assert all(each.problem is None for each in verify_run(run))


def test_an_env_that_cannot_draw_itself_is_not_filmed(sandlot, tmp_path):
    config = compose("gym:SandlotWalk-v0", words=[*SMALL, "run.windows=1"])
    from sandlot.evaluate.evaluator import Evaluator
    from sandlot.runs.run import Run
    from sandlot.runs.store import Store

    with begin(Store(tmp_path / "runs"), config) as run:
        Loop(config, run).go()
    with Evaluator(Run(run.paths.folder)) as evaluator:
        assert evaluator.work()
    done = sandlot("film", "latest", "--quick", "--out", str(tmp_path / "film.mp4"))
    assert done.code == 2 and "cannot draw itself" in done.err and not (tmp_path / "film.mp4").exists()


# ---------------------------------------------------------------- other heads, pictures, other trainers


@pytest.mark.parametrize("name", ["ToyMulti", "ToyMany", "Pixels", "ToyDict"])
def test_any_spaces_are_trained_exported_and_resumed(name, tmp_path):
    from sandlot.policies.compare import compare
    from sandlot.policies.export import export_onnx
    from sandlot.policies.exported import load_onnx
    from sandlot.policies.godot_rl import export_godot_rl

    words = ("ppo.num_envs=4", "ppo.num_steps=16", "ppo.num_minibatches=2", "ppo.update_epochs=1")
    config = compose(f"gym:Sandlot{name}-v0", words=[*words, "run.window_env_steps=64"])
    trainer = Trainer(config)
    (row,) = trainer.iterate(0.0).rows
    saved = trainer.state()
    again = Trainer(config)
    again.load(saved, trainer.windows.to_dict())
    policy = again.policies["agent"]
    assert torch.equal(policy.network.last.weight, trainer.policies["agent"].network.last.weight)
    assert np.isfinite(row.return_mean)
    report = export_onnx(policy, tmp_path / "policy.onnx")
    assert report.max_difference < 1e-4
    assert compare(policy, load_onnx(tmp_path / "policy.onnx"), 4, 4).greedy_agreement == 1.0
    assert export_godot_rl(policy, tmp_path / "stock.onnx").max_difference < 1e-4
    trainer.close()
    again.close()


def test_pictures_go_through_convolutions_unless_they_are_switched_off():
    game = "gym:SandlotPixels-v0"
    trainer = Trainer(compose(game))
    policy = trainer.policies["agent"]
    trainer.close()
    assert len(policy.network.encoders) == 1 and policy.normalizer is None and trainer.world.worlds == 8
    plain = package.policies.Policy if hasattr(package, "policies") else type(policy)
    flat = plain(policy.spec, "agent", policy.config.replace(cnn="none"))
    assert not flat.network.encoders and flat.normalizer is not None


def test_what_a_picture_shows_is_learned():
    words = ("ppo.num_envs=16", "ppo.num_steps=32", "ppo.update_epochs=4", "ppo.num_minibatches=4")
    trainer = Trainer(compose("gym:SandlotPixels-v0", words=words))
    for _ in range(8):
        iteration = trainer.iterate(0.0)
    trainer.close()
    assert iteration.episodes.column("return").mean() > 7.0, "of 8; random play gets 4"


def test_stable_baselines3_trains_an_env_too(sandlot, tmp_path):
    words = ("--trainer", "sb3", "--windows", "1", "--no-evaluate", "--no-tensorboard")
    assert sandlot("train", GAME, *words, *sets(*SMALL)).code == 0
    assert open_run("latest", tmp_path / "runs").record.trainer_backend == "sb3"


@pytest.mark.slow
def test_cartpole_is_learned_in_two_windows():
    trainer = Trainer(compose(GAME))
    returns = []
    for i in range(16):
        returns.append(trainer.iterate(i / 16).episodes.column("return"))
    trainer.close()
    assert np.concatenate(returns[-3:]).mean() >= 195.0
    assert gymnasium.spec("CartPole-v1").reward_threshold == 475.0
