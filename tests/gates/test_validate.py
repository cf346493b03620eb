"""Thresholds on reports and event files of anybody; "no finished episode" is no pass."""

import pytest
from gate_reports import report
from torch.utils.tensorboard import SummaryWriter

from sandlot.errors import ConfigError, Damaged, StoreError, UnknownName
from sandlot.gates.validate import open_source, validate

TAG = "rollout/ep_rew_mean"


@pytest.fixture
def events(tmp_path):
    """A folder as another trainer leaves it: the file lies in a subfolder."""

    def write(name="PPO_1", **scalars):
        writer = SummaryWriter(str(tmp_path / "logs" / name))
        for tag, values in scalars.items():
            for step, value in enumerate(values):
                writer.add_scalar(tag.replace("__", "/"), value, step)
        writer.close()
        return tmp_path / "logs"

    return write


def check(folder, minimum=None, maximum=None, **more):
    return validate(open_source(str(folder)), minimum or {}, maximum or {}, **more)


def test_the_last_value_counts_from_below_and_the_largest_from_above(events):
    folder = events(rollout__ep_rew_mean=[-50, -5], performance__ratio=[1.0, 3.0, 0.5])
    assert check(folder, {TAG: -10}, {"performance/ratio": 3.0}).result == "pass"
    assert check(folder, {TAG: -4}).result == "fail"
    assert check(folder, {}, {"performance/ratio": 2.9}).result == "fail"


def test_no_finished_episode_is_its_own_result_and_no_pass(events):
    folder = events(time__fps=[100, 200])
    verdict = check(folder, {TAG: -10})
    assert verdict.result == "no_data" and verdict.exit_code() == verdict.exit_code("pass") == 1
    assert "no episode ended in 1 steps" in verdict.checks[0].sentence


def test_the_newest_file_is_read(events, tmp_path):
    events("PPO_1", rollout__ep_rew_mean=[100])
    folder = events("PPO_2", rollout__ep_rew_mean=[-100])
    assert check(folder, {TAG: 0}).result == "fail"


def test_a_name_that_is_no_tag_is_refused(events):
    with pytest.raises(UnknownName, match="time/fps"):
        check(events(time__fps=[1]), {"time/fsp": 1})


def test_a_number_that_is_not_finite_fails(events):
    assert check(events(rollout__ep_rew_mean=[1, float("nan")]), {TAG: -10}).result == "fail"


@pytest.mark.parametrize("left", [0.4, 0.999])
def test_a_cut_off_event_file_is_refused(events, left):
    folder = events(rollout__ep_rew_mean=list(range(50)))
    path = next(folder.rglob("*tfevents*"))
    data = path.read_bytes()
    path.write_bytes(data[: int(left * len(data))])
    with pytest.raises(Damaged, match="cut off"):
        open_source(str(folder))


def test_an_empty_event_file_and_an_empty_folder_are_refused(events, tmp_path):
    folder = events(a=[1])
    next(folder.rglob("*tfevents*")).write_bytes(b"")
    with pytest.raises(Damaged, match="is empty"):
        open_source(str(folder))
    with pytest.raises((ConfigError, StoreError)):
        open_source(str(tmp_path))


def test_a_report_is_judged_by_its_names_and_by_the_briefs(tmp_path):
    report([1, 1, 1, 0] * 25, reward=-3.0).write(tmp_path / "r.json")
    source = open_source(str(tmp_path / "r.json"))
    for name in ("success", "done", "success_rate"):
        assert validate(source, {name: 0.7}, {}).result == "pass"
        assert validate(source, {name: 0.8}, {}).result == "fail"
    assert validate(source, {"mean_reward": -10}, {"episode_length": 100}).result == "pass"


def test_sure_asks_for_the_whole_interval(tmp_path):
    report([1, 1, 1, 0] * 25).write(tmp_path / "r.json")
    source = open_source(str(tmp_path / "r.json"))
    assert validate(source, {"success": 0.7}, {}, sure=True).result == "undecided"
    assert validate(source, {"success": 0.6}, {}, sure=True).result == "pass"
    assert validate(source, {"success": 0.9}, {}, sure=True).result == "fail"
    assert "holds both answers" in validate(source, {"success": 0.7}, {}).checks[0].sentence


def test_without_limits_there_is_nothing_to_pass(tmp_path):
    report().write(tmp_path / "r.json")
    with pytest.raises(ConfigError, match="Nothing to check"):
        validate(open_source(str(tmp_path / "r.json")), {}, {})
