"""What `sandlot train` refuses instead of ignoring it, and before it writes anything."""

import importlib
import signal
from types import SimpleNamespace

import pytest
from media.making import window_row

from sandlot.cli.train import Restarts
from sandlot.runs.store import Store
from sandlot.train.compose import compose

from .documented import assert_documented

module = importlib.import_module("sandlot.cli.train")

SMALL = (
    *("--set", "ppo.num_envs=8", "--set", "ppo.num_steps=16", "--set", "ppo.num_minibatches=2"),
    *("--set", "run.window_env_steps=140", "--no-evaluate", "--no-tensorboard", "--json"),
)
WATCHED = SMALL[-3:]


@pytest.fixture
def trained(sandlot, tmp_path):
    done = sandlot("train", "tag", "--windows", "1", *SMALL)
    assert done.code == 0, done.err
    return Store(tmp_path / "runs")


@pytest.mark.parametrize(
    "words",
    [
        ("--set", "ppo.update_epochs=2"),
        ("--preset", "full"),
        ("--trainer", "sb3"),
        ("--engine", "godot"),
        ("--seed", "2"),
        ("prospector",),
    ],
)
def test_a_run_goes_on_as_it_began_or_not_at_all(sandlot, trained, words):
    done = sandlot("train", "--resume", "latest", "--windows", "2", *words, *WATCHED)
    assert done.code == 2
    assert (words[0] in done.err and "new run" in done.err) or "is of tag" in done.err
    assert len(trained.latest().windows()) == 1


def test_a_run_goes_on_with_its_game_named_and_another_number_of_threads(sandlot, trained):
    done = sandlot("train", "tag", "--resume", "latest", "--windows", "2", "--threads", "1", *WATCHED)
    assert done.code == 0, done.err
    assert len(trained.latest().windows()) == 2


def test_a_run_on_a_gpu_goes_on_without_one(sandlot, tmp_path, monkeypatch):
    """The kernels are emulated; what is resumed on the CPU plays in the CPU's engine."""
    monkeypatch.setenv("SANDLOT_EMULATE_GPU", "1")
    done = sandlot("train", "landing", "--windows", "1", "--engine", "cuda", *SMALL)
    assert done.code == 0, done.err
    monkeypatch.delenv("SANDLOT_EMULATE_GPU")
    done = sandlot("train", "--resume", "latest", "--windows", "2", "--device", "cpu", *WATCHED)
    assert done.code == 0, done.err
    assert len(Store(tmp_path / "runs").latest().windows()) == 2


@pytest.mark.parametrize("words", [(), ("--device", "cuda"), ("--trainer", "sb3")])
def test_worlds_on_a_gpu_that_is_not_there_leave_no_run_behind(sandlot, tmp_path, words):
    done = sandlot("train", "tag", "--windows", "1", "--engine", "cuda", *words, *SMALL)
    assert done.code == 2 and ("--device cuda" in done.err or "cpu" in done.err or "GPU" in done.err)
    assert not Store(tmp_path / "runs").runs()


@pytest.mark.parametrize("words", [("--device", "cuda:99"), ("--set", "run.device=gpu")])
def test_a_device_that_is_not_there_leaves_no_run_behind(sandlot, tmp_path, words):
    done = sandlot("train", "tag", "--windows", "1", *words, *SMALL)
    assert done.code == 2 and "run.device" in done.err
    assert not Store(tmp_path / "runs").runs()


# ---------------------------------------------------------------- limits from the command line


def limited(config, windows=0, minutes=0.0, seed=None, threads=None, device=None, resumed=False):
    given = {"seed": seed, "threads": threads, "device": device}
    run = module._with_limits(config, windows, minutes, resumed, **given).run
    return run.windows, run.minutes, run.seed, run.threads, run.device


@pytest.fixture
def config():
    made = compose("tag", "quick", None, ["run.seed=3", "run.threads=2"])
    return made.replace(run=made.run.replace(windows=0, minutes=0.0))


def test_a_new_run_without_any_limit_stops_after_five_minutes(config):
    assert limited(config)[:2] == (0, 5.0)
    assert limited(config, resumed=True)[:2] == (0, 0.0)


@pytest.mark.parametrize("words", [{"windows": 7}, {"minutes": 7.0}])
def test_a_limit_of_the_configuration_stays_and_one_of_the_command_line_replaces_it(config, words):
    own = config.replace(run=config.run.replace(**words))
    expected = (words.get("windows", 0), words.get("minutes", 0.0))
    assert limited(own)[:2] == limited(own, resumed=True)[:2] == expected
    assert limited(own, windows=2)[:2] == (2, 0.0) and limited(own, minutes=1.5)[:2] == (0, 1.5)


def test_seed_threads_and_device_change_only_when_given(config):
    device = config.run.device
    assert limited(config)[2:] == (3, 2, device)
    assert limited(config, seed=0, threads=1, device="cuda:1")[2:] == (0, 1, "cuda:1")


@pytest.mark.parametrize(
    ("wanted", "enabled", "every"), [(True, True, 4), (False, True, 0), (True, False, 0)]
)
def test_checkpoints_are_evaluated_where_both_the_command_and_the_configuration_want_it(
    wanted, enabled, every
):
    settings = SimpleNamespace(evaluation=SimpleNamespace(every=4, enabled=enabled))
    assert module._evaluate_every(settings, wanted) == every


# ---------------------------------------------------------------- a start that is refused


@pytest.fixture
def new_run(tmp_path):
    run = Store(tmp_path).create({}, game="tag", trainer_backend="ppo", window_env_steps=10)
    yield run
    run.close()


def refuse(run):
    with pytest.raises(ZeroDivisionError), module._discard_if_empty(run):
        raise ZeroDivisionError


def test_a_refused_start_leaves_no_folder(new_run, tmp_path):
    refuse(new_run)
    assert list(tmp_path.iterdir()) == []


def test_a_start_that_is_not_refused_keeps_its_folder(new_run):
    with module._discard_if_empty(new_run):
        pass
    assert new_run.paths.record.is_file()


def test_a_run_with_something_in_it_stays(new_run):
    new_run.append_windows([window_row(new_run.run_id, 0)])
    refuse(new_run)
    assert new_run.paths.record.is_file()


def test_a_run_that_has_ended_stays(new_run):
    new_run.update(status="failed")
    refuse(new_run)
    assert new_run.paths.record.is_file()


def test_a_run_that_is_only_read_stays(new_run, tmp_path):
    new_run.close()
    refuse(Store(tmp_path).open(new_run.run_id))
    assert new_run.paths.record.is_file()


# ---------------------------------------------------------------- Ctrl-C


def test_ctrl_c_asks_to_stop_and_a_second_one_insists(capfd):
    before = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)}
    with pytest.raises(KeyboardInterrupt), module.stop_request() as stop:
        assert stop() is False
        signal.raise_signal(signal.SIGTERM)
        assert stop() is True
        signal.raise_signal(signal.SIGINT)
    assert {name: signal.getsignal(name) for name in before} == before
    assert capfd.readouterr().err == "Stopping after this step; once more to stop at once.\n"


@pytest.mark.parametrize(
    ("status", "incomplete", "code"),
    [("completed", False, 0), ("completed", True, 1), ("stopped", False, 130), ("stopped", True, 130)],
)
def test_the_exit_code_says_how_it_ended(sandlot, monkeypatch, status, incomplete, code):
    asked = []
    monkeypatch.setattr(module, "run_training", lambda *words: asked.append(words) or status)
    monkeypatch.setattr(module, "warn_unevaluated", lambda run, every: incomplete)
    done = sandlot("train", "tag", "--windows", "1", "--no-tensorboard")
    assert done.code == code
    assert ("sandlot train --resume" in done.err) is (status == "stopped")
    ((settings, _, evaluate, as_machine, _),) = asked
    assert (settings.run.windows, evaluate, as_machine) == (1, True, False)


def test_the_configuration_is_written_and_nothing_is_trained(sandlot, tmp_path):
    done = sandlot(
        "train", "tag", "--save-config", "mine.json", "--windows", "9", "--seed", "4", "--trainer", "sb3"
    )
    assert done.code == 0 and done.out == "Wrote mine.json.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.json"]
    saved = compose("tag", "quick", tmp_path / "mine.json", [])
    assert (saved.run.windows, saved.run.seed, saved.trainer) == (9, 4, "sb3")


def test_a_configuration_that_could_not_be_read_again_is_not_written(sandlot, tmp_path):
    done = sandlot("train", "tag", "--save-config", "mine.toml")
    assert done.code == 2 and "ends in .json" in done.err and list(tmp_path.iterdir()) == []


def test_no_game_and_no_run_is_a_sentence(sandlot, tmp_path):
    done = sandlot("train")
    assert done.code == 2 and "Name a game to train" in done.err and list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- a game that died


def committed(window):
    return SimpleNamespace(
        committed=None if window is None else SimpleNamespace(window_id=window), run_id="r"
    )


def test_a_game_that_never_came_is_not_started_again():
    assert Restarts().allowed(committed(None)) is False


def test_a_game_is_started_again_three_times_and_anew_after_each_saved_window():
    restarts = Restarts()
    restarts.began = True
    assert [restarts.allowed(committed(None)) for _ in range(4)] == [True, True, True, False]
    assert [restarts.allowed(committed(0)) for _ in range(4)] == [True, True, True, False]
    assert (
        restarts.sentence(committed(0)) == "It is started again (4 of 3); the run continues after window 0."
    )
    assert restarts.allowed(committed(1)) and "(1 of 3)" in restarts.sentence(committed(1))
    assert restarts.sentence(committed(None)).endswith("the run continues from the beginning.")


def test_the_way_to_go_on_is_named_once_something_is_saved():
    assert module._resume_hint(committed(None)) == ""
    expected = "Everything up to window 0 is saved. Continue with: sandlot train --resume r"
    assert module._resume_hint(committed(0)) == expected


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("train")
