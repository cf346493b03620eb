"""What a session consists of, by the variables: rounds, settings, weights to begin with, and its verdict."""

import csv
from datetime import datetime
from pathlib import Path

import pytest
import torch
import typer

from sandlot.cli import session as module
from sandlot.cli.session import Mode, RoundTable, rounds_of
from sandlot.errors import ConfigError, GodotMissing
from sandlot.games import Spec
from sandlot.policies import Policy
from sandlot.policies.policy import Shape


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(rounds):
    return [(r.role, r.seconds, r.log, r.self_play) for r in rounds]


@pytest.mark.parametrize(("mode", "role"), [(Mode.live_seeker, "seeker"), (Mode.live_hider, "hider")])
def test_a_live_session_is_one_round_of_its_role(mode, role, monkeypatch):
    monkeypatch.setenv("AI_TRAIN_DURATION", "90")
    assert told(rounds_of(mode)) == [(role, 90.0, "godot.log", False)]


@pytest.mark.parametrize(
    ("count", "first", "roles"),
    [
        ("1", "seeker", ["seeker", "hider"]),
        ("2", "hider", ["hider", "seeker"]),
        ("3", "seeker", ["seeker", "hider", "seeker", "hider"]),
    ],
)
def test_self_play_takes_roles_in_turn_and_an_even_number_of_rounds(count, first, roles, monkeypatch):
    monkeypatch.setenv("SELF_PLAY_ROUNDS", count)
    monkeypatch.setenv("SELF_PLAY_DURATION", "30")
    monkeypatch.setenv("SELF_PLAY_START_ROLE", first)
    expected = [(role, 30.0, f"godot_round{i}.log", True) for i, role in enumerate(roles, 1)]
    assert told(rounds_of(Mode.self_play)) == expected


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("SELF_PLAY_ROUNDS", "0", "expected 1 or more"),
        ("SELF_PLAY_START_ROLE", "referee", "expected seeker or hider"),
        ("SELF_PLAY_DURATION", "0", "expected seconds above 0"),
        ("SELF_PLAY_DURATION", "-5", "expected seconds above 0"),
    ],
)
def test_self_play_that_cannot_be_is_refused_by_its_variable(name, value, sentence, monkeypatch, here):
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=f"{name}.*{sentence}"):
        rounds_of(Mode.self_play)
    assert list(here.iterdir()) == []


def test_a_curriculum_warms_up_as_seeker_and_then_plays_itself(monkeypatch):
    for name, value in {
        "WARM_START_RUNS": "2", "WARM_START_DURATION": "20", "CURRICULUM_SELF_ROUNDS": "2",
        "CURRICULUM_SELF_DURATION": "40", "CURRICULUM_SEEKER_PENALTY": "0.03",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    rounds = rounds_of(Mode.curriculum)
    assert told(rounds) == [
        ("seeker", 20.0, "godot_warm1.log", False), ("seeker", 20.0, "godot_warm2.log", False),
        ("seeker", 40.0, "godot_round1.log", True), ("hider", 40.0, "godot_round2.log", True),
    ]  # fmt: skip
    assert all(r.changes["AI_SEEKER_TIME_PENALTY"] == "0.03" for r in rounds)
    assert rounds[0].environment["AI_SEEKER_TIME_PENALTY"] == "0.03"


def test_a_round_trains_for_its_time_with_its_role_and_the_words_that_were_typed(monkeypatch):
    monkeypatch.setenv("AI_TRAIN_DURATION", "90")
    (hider,) = rounds_of(Mode.live_hider)
    made = module._config(hider, "native", ["run.seed=5"])
    assert made.run.minutes == 1.5 and made.run.engine == "native" and made.run.seed == 5
    assert made.settings["first_is_seeker"] in (False, 0) and made.curriculum == ()
    (seeker,) = rounds_of(Mode.live_seeker)
    assert module._config(seeker, "native", []).settings["first_is_seeker"] in (True, 1)


def test_one_network_for_both_is_for_self_play_and_for_passing_roles_on(monkeypatch):
    monkeypatch.setenv("AI_CONTROL_ALL_AGENTS", "1")
    (live,) = rounds_of(Mode.live_seeker)
    play = rounds_of(Mode.self_play)[0]
    assert not module._shares(live, {}) and module._shares(live, {"mode": "switch"})
    assert module._shares(play, {})
    assert not module._shares(rounds_of(Mode.curriculum)[-1], {}), "a curriculum keeps a network per role"
    monkeypatch.setenv("AI_CONTROL_ALL_AGENTS", "0")
    assert not module._shares(play, {"mode": "switch"})


def test_a_setting_that_the_game_refuses_names_the_variable_as_it_was_typed(monkeypatch):
    monkeypatch.setenv("AI_SEEKER_TIME_PENALTY", "-999999")
    (live,) = rounds_of(Mode.live_seeker)
    with pytest.raises(ConfigError, match="AI_SEEKER_TIME_PENALTY=-999999"):
        module._config(live, "native", [])
    monkeypatch.setenv("CURRICULUM_SEEKER_PENALTY", "-999999")
    with pytest.raises(ConfigError, match="CURRICULUM_SEEKER_PENALTY=-999999"):
        module._config(rounds_of(Mode.curriculum)[0], "native", [])


def test_the_table_of_rounds_has_one_heading_and_a_line_a_round(here):
    table = RoundTable(here / "rounds.csv")
    (here / "rounds.csv").write_text("of an earlier session\n")
    table.add("seeker", datetime(2026, 1, 2, 3, 4, 5), Path("a.log"))
    table.add("hider", datetime(2026, 1, 2, 3, 5, 5), Path("b.log"))
    with (here / "rounds.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["round_index", "role", "start_ts", "end_ts", "log_path"] and len(rows) == 3
    assert [row[:3] for row in rows[1:]] == [
        ["1", "seeker", "2026-01-02T03:04:05"],
        ["2", "hider", "2026-01-02T03:05:05"],
    ]
    assert rows[2][4] == "b.log"


# ---------------------------------------------------------------- one session's folders


def test_a_session_leaves_a_bundle_and_no_pid_file_also_after_a_failure(here, monkeypatch):
    monkeypatch.setenv("TRAIN_RUN_ID", "mine")
    with (
        pytest.raises(ValueError, match="in the middle"),
        module._session(Mode.self_play, here, "native", True),
    ):
        assert int(Path(".server.pid").read_text()) > 0
        raise ValueError("in the middle")
    assert not Path(".server.pid").exists() and (here / "debug" / "mine" / "metadata.txt").exists()


@pytest.mark.parametrize("name", ["../x", "a/b", "..", "."])
@pytest.mark.parametrize("variable", ["TRAIN_RUN_ID", "TRAIN_APPROACH"])
def test_a_session_whose_name_leads_elsewhere_is_refused_and_leaves_nothing(
    here, monkeypatch, variable, name
):
    monkeypatch.setenv(variable, name)
    began = module._session(Mode.live_seeker, here, "native", True)
    with pytest.raises(ConfigError, match="name of a folder"), began:
        pytest.fail("it began")
    assert list(here.iterdir()) == []


def test_a_session_is_known_by_its_variables(here, monkeypatch):
    monkeypatch.setenv("SELF_PLAY_SESSION_ID", "night")
    monkeypatch.setenv("AI_SOMETHING", "1")
    monkeypatch.setenv("OTHER", "1")
    with module._session(Mode.self_play, here, "native", False) as now:
        assert now.name == "night" and now.folder == Path("trainer/logs/runs/self-play/night")
        assert now.facts["environment"]["AI_SOMETHING"] == "1" and "OTHER" not in now.facts["environment"]
        assert now.facts["variant"] == "self-play" and now.evaluate is False
    with module._session(Mode.live_seeker, here, "native", True) as now:
        assert now.name != "night", "of self-play alone"
        assert now.folder.parent == Path("trainer/logs/runs/live-seeker")
    monkeypatch.setenv("TRAIN_RUN_ID", "named")
    monkeypatch.setenv("TRAIN_APPROACH", "mine")
    monkeypatch.setenv("TRAIN_VARIANT", "b")
    with module._session(Mode.self_play, here, "native", True) as now:
        assert (now.name, now.facts["approach"], now.facts["variant"]) == ("named", "mine", "b")


@pytest.mark.parametrize(("clean", "left"), [("1", []), ("0", ["frame_0.png"])])
def test_old_frames_are_removed_only_where_it_is_wished(here, monkeypatch, clean, left):
    frames = here / "frames"
    frames.mkdir()
    (frames / "frame_0.png").write_bytes(b"x")
    monkeypatch.setenv("AI_FRAMES_DIR", str(frames))
    monkeypatch.setenv("TRAIN_CLEAN_FRAMES", clean)
    with module._session(Mode.live_seeker, here, "native", True):
        assert [path.name for path in frames.iterdir()] == left


def test_an_engine_that_is_none_is_refused_and_a_missing_one_only_where_nobody_waits(monkeypatch):
    from sandlot.bridge import godot_game

    def missing(game):
        raise GodotMissing("there is no Godot")

    monkeypatch.setattr(godot_game, "check_playable", missing)
    with pytest.raises(ConfigError, match="--engine unity: expected"):
        module._missing_engine("unity", True)
    assert module._missing_engine("native", False) is None
    with pytest.raises(GodotMissing):
        module._missing_engine("godot", False)
    assert isinstance(module._missing_engine("godot", True), GodotMissing)


# ---------------------------------------------------------------- weights to begin with


def policy(role, seed, hidden=(8,)):
    return Policy(Spec("tag"), role, Shape(hidden=hidden), seed=seed)


def same(one, other):
    pairs = zip(one.network.state_dict().values(), other.network.state_dict().values(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


def test_weights_in_the_trainers_folder_are_gone_on_with_and_others_are_left(capsys):
    Path("trainer").mkdir()
    saved, other = policy("seeker", 1), policy("hider", 2, hidden=(16,))
    saved.normaliser.update(torch.randn(9, saved.spec.observation_size).numpy())
    Path("trainer/policy_seeker.pt").write_bytes(saved.to_bytes())
    Path("trainer/policy_hider.pt").write_bytes(other.to_bytes())
    fresh = {"seeker": policy("seeker", 3), "hider": policy("hider", 4)}
    assert module.warm_start(fresh) == ["seeker"]
    assert same(fresh["seeker"], saved) and fresh["seeker"].normaliser.count == saved.normaliser.count
    said = capsys.readouterr().err.replace("\n", " ")
    assert "policy_hider.pt does not fit and is left" in said and "Going on with the weights" in said


def test_without_weights_nothing_is_said(capsys):
    assert module.warm_start({"seeker": policy("seeker", 3)}) == [] and capsys.readouterr().err == ""


# ---------------------------------------------------------------- the verdict of a curriculum


def matches(*winners):
    path = Path("trainer/logs/metrics.csv")
    path.parent.mkdir(parents=True)
    path.write_text("episode,winner\n" + "".join(f"{i},{who}\n" for i, who in enumerate(winners)))


@pytest.mark.parametrize(
    ("winners", "check", "wanted", "code"),
    [
        (["hider", "seeker"], 2, "0.5", 0),
        (["hider", "seeker"], 2, "0.51", 1),
        (["hider", "hider", "seeker"], 1, "1.0", 0),  # the last alone counts
        (["seeker", "seeker", "hider"], 1, "0.1", 1),
        ([], 5, "0.1", 1),
    ],
)
def test_a_curriculum_fails_where_the_seeker_wins_too_few_of_the_last(
    winners, check, wanted, code, monkeypatch
):
    matches(*winners)
    monkeypatch.setenv("CURRICULUM_CHECK_EPISODES", str(check))
    monkeypatch.setenv("CURRICULUM_TARGET_WIN", wanted)
    monkeypatch.setenv("CURRICULUM_POOL_EVAL", "0")
    if code:
        with pytest.raises(typer.Exit) as ended:
            module._judge(None)
        assert ended.value.exit_code == code
    else:
        module._judge(None)


def test_hiders_are_kept_up_to_a_number(here, monkeypatch):
    monkeypatch.setenv("CURRICULUM_POOL_DIR", str(here / "pool"))
    monkeypatch.setenv("CURRICULUM_POOL_KEEP", "2")
    module._keep_hider()
    assert not (here / "pool").exists(), "there is none yet"
    Path("trainer").mkdir()
    Path("trainer/policy_hider.pt").write_bytes(b"newest")
    (here / "pool").mkdir()
    for age in ("20200101_000000", "20210101_000000"):
        (here / "pool" / f"hider_{age}.pt").write_bytes(b"old")
    module._keep_hider()
    kept = sorted(path.name for path in (here / "pool").iterdir())
    assert len(kept) == 2 and kept[0] == "hider_20210101_000000.pt"
    assert (here / "pool" / kept[1]).read_bytes() == b"newest"
