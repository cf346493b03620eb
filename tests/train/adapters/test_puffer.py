"""PufferLib's trainer trains our games and leaves a run as our own trainer does."""

import signal
import warnings
from pathlib import Path

import pytest
import torch

pytest.importorskip("pufferlib")

from . import checks


@pytest.mark.parametrize("game", ["tag", "prospector"])
def test_puffer_leaves_a_whole_run(trained, game):
    run = trained(game, "puffer")
    checks.has_the_files_of_a_run(run, "puffer")
    checks.learned_something(run)
    checks.can_be_judged_and_replayed(run)


def test_a_resumed_puffer_run_goes_on_with_the_next_window(trained):
    checks.goes_on(trained("tag", "puffer", "adapter.role=both"))


def test_puffer_learns_to_catch(trained):
    checks.catches_a_stroller(trained("tag", "puffer", *checks.EASY_TAG))


def test_puffers_own_dashboard_is_shown_when_asked_for(trained, capsys):
    trained("tag", "puffer", "adapter.dashboard=true")
    result = capsys.readouterr()
    assert "PufferLib" in result.err and "SPS" in result.err and "entropy" in result.err
    assert result.out == ""


def test_otherwise_puffers_screen_is_dark(trained, capsys):
    trained("tag", "puffer")
    assert "PufferLib" not in capsys.readouterr().err


def test_this_pufferlib_has_no_constellation_to_forward_to():
    """docs/trainers.md says so; a release that brings one makes this fail, and P-027 can be done."""
    import pufferlib

    sources = Path(pufferlib.__file__).parent.rglob("*.py")
    assert not any("constellation" in path.read_text(errors="replace").lower() for path in sources)


def test_importing_puffers_trainer_leaves_ctrl_c_and_warnings_to_us():
    before = signal.getsignal(signal.SIGINT)
    from sandlot.train.adapters import puffer  # noqa: F401

    assert signal.getsignal(signal.SIGINT) is before
    assert not any(f[0] == "error" and f[2] is RuntimeWarning for f in warnings.filters)


def test_puffer_leaves_automatic_precision_as_it_was(tiny):
    from sandlot.train.adapters.puffer import PufferRunner

    runner = PufferRunner(tiny("tag", "puffer"), "run")
    runner.learn()
    runner.close()
    depth = torch.autocast_increment_nesting()
    torch.autocast_decrement_nesting()
    assert depth == 1


def test_advantages_look_ahead_until_an_episode_ends():
    from sandlot.train.adapters.puffer import advantages_by_numpy

    values = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    rewards = torch.tensor([[9.0, 1.0, 1.0, 1.0]])  # each beside the observation that it came with
    ends = torch.tensor([[0.0, 0.0, 1.0, 0.0]])
    ones = torch.ones(1, 4)
    result = advantages_by_numpy(values, rewards, ends, ones, torch.zeros(1, 4), 0.5, 0.5, 1.0, 1.0)
    last, ended = 1 + 0.5 * 4 - 3, 1 - 2
    assert result.tolist() == [[1 + 0.5 * 2 - 1 + 0.25 * ended, ended, last, 0.0]]
