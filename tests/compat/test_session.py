"""What a session consists of, by the variables: rounds, settings, weights to begin with, and its verdict."""

import csv
from datetime import datetime
from pathlib import Path

import pytest
import torch
import typer

from sandlot.compat import session as module
from sandlot.compat.session import Mode, RoundTable, rounds_of
from sandlot.compat.trajectories import read_trajectory
from sandlot.errors import ConfigError, GodotMissing
from sandlot.policies import Policy
from sandlot.policies.config import NetworkConfig
from sandlot.worlds import godot, load_spec


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fields_of(rounds):
    return [(r.role, r.seconds, r.log, r.self_play) for r in rounds]


@pytest.mark.parametrize(("mode", "role"), [(Mode.live_seeker, "seeker"), (Mode.live_hider, "hider")])
def test_a_live_session_is_one_round_of_its_role(mode, role, monkeypatch):
    monkeypatch.setenv("AI_TRAIN_DURATION", "90")
    assert fields_of(rounds_of(mode)) == [(role, 90.0, "godot.log", False)]


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
    assert fields_of(rounds_of(Mode.self_play)) == expected


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
    assert fields_of(rounds) == [
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


def test_a_pid_file_that_was_removed_meanwhile_does_no_harm(here, monkeypatch):
    monkeypatch.setenv("TRAIN_RUN_ID", "mine")
    with module._session(Mode.self_play, here, "native", True):
        Path(".server.pid").unlink()
    assert (here / "debug" / "mine" / "metadata.txt").exists()


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
def test_old_frames_are_removed_only_where_it_is_asked_for(here, monkeypatch, clean, left):
    frames = here / "frames"
    frames.mkdir()
    (frames / "frame_0.png").write_bytes(b"x")
    monkeypatch.setenv("AI_FRAMES_DIR", str(frames))
    monkeypatch.setenv("TRAIN_CLEAN_FRAMES", clean)
    with module._session(Mode.live_seeker, here, "native", True):
        assert [path.name for path in frames.iterdir()] == left


def test_an_engine_that_is_none_is_refused_and_a_missing_one_only_where_nobody_waits(monkeypatch):

    def missing(game):
        raise GodotMissing("there is no Godot")

    monkeypatch.setattr(godot, "check_playable", missing)
    with pytest.raises(ConfigError, match="--engine unity: expected"):
        module._missing_engine("unity", True)
    assert module._missing_engine("native", False) is None
    with pytest.raises(GodotMissing):
        module._missing_engine("godot", False)
    assert isinstance(module._missing_engine("godot", True), GodotMissing)


# ---------------------------------------------------------------- weights to begin with


def policy(role, seed, hidden=(8,)):
    return Policy(load_spec("tag"), role, NetworkConfig(hidden_sizes=hidden), seed=seed)


def same(one, other):
    pairs = zip(one.network.state_dict().values(), other.network.state_dict().values(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


def test_weights_in_the_trainers_folder_are_gone_on_with_and_others_are_left(capsys):
    Path("trainer").mkdir()
    saved, other = policy("seeker", 1), policy("hider", 2, hidden=(16,))
    saved.normalizer.update(torch.randn(9, saved.spec.observation_size).numpy())
    Path("trainer/policy_seeker.pt").write_bytes(saved.to_bytes())
    Path("trainer/policy_hider.pt").write_bytes(other.to_bytes())
    fresh = {"seeker": policy("seeker", 3), "hider": policy("hider", 4)}
    assert module.warm_start(fresh) == ["seeker"]
    assert same(fresh["seeker"], saved) and fresh["seeker"].normalizer.count == saved.normalizer.count
    shown = capsys.readouterr().err.replace("\n", " ")
    assert "policy_hider.pt does not fit and is left" in shown and "Going on with the weights" in shown


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
            module._check_win_rate(None)
        assert ended.value.exit_code == code
    else:
        module._check_win_rate(None)


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


# ---------------------------------------------------------------- round after round


class Trained:
    """A session whose training takes no time: notes each round, and is stopped in the one that is named."""

    def __init__(self, folder, stop_in=None):
        self.debug, self.stop_in, self.played = folder, stop_in, []

    def train(self, round, config):
        self.played.append((round.role, config))
        return len(self.played) == self.stop_in


def rounds_in_table(folder):
    path = folder / "self_play_rounds.csv"
    return [row["role"] for row in csv.DictReader(path.open())] if path.exists() else None


@pytest.fixture
def kept(monkeypatch):
    """How often a hider was put aside."""
    calls = []
    monkeypatch.setattr(module, "_keep_hider", lambda: calls.append(1))
    return calls


def test_rounds_of_self_play_are_counted_announced_and_written_down(here, monkeypatch, capsys, kept):
    monkeypatch.setenv("SELF_PLAY_ROUNDS", "2")
    now = Trained(here)
    assert module._play(now, Mode.self_play, rounds_of(Mode.self_play), ["a", "b"]) is False
    assert now.played == [("seeker", "a"), ("hider", "b")] and rounds_in_table(here) == ["seeker", "hider"]
    shown = capsys.readouterr().out
    assert "Round 1 of 2: the first agent is the seeker" in shown
    assert "Round 2 of 2: the first agent is the hider" in shown
    assert kept == [], "only a curriculum keeps hiders"


def test_a_live_session_has_no_table_of_rounds(here, capsys, kept):
    assert module._play(Trained(here), Mode.live_seeker, rounds_of(Mode.live_seeker), ["a"]) is False
    assert rounds_in_table(here) is None and "Round" not in capsys.readouterr().out


def test_a_stopped_round_is_written_down_and_is_the_last(here, monkeypatch, kept):
    monkeypatch.setenv("SELF_PLAY_ROUNDS", "4")
    now = Trained(here, stop_in=2)
    assert module._play(now, Mode.self_play, rounds_of(Mode.self_play), list("abcd")) is True
    assert len(now.played) == 2 and rounds_in_table(here) == ["seeker", "hider"]


def test_each_round_has_its_own_configuration(here, kept):
    with pytest.raises(ValueError, match="shorter"):
        module._play(Trained(here), Mode.live_seeker, rounds_of(Mode.live_seeker), [])


def test_a_curriculum_keeps_a_hider_after_each_warm_up_and_at_the_end(here, monkeypatch, kept, capsys):
    monkeypatch.setenv("WARM_START_RUNS", "3")
    monkeypatch.setenv("CURRICULUM_SELF_ROUNDS", "2")
    rounds = rounds_of(Mode.curriculum)
    assert module._play(Trained(here), Mode.curriculum, rounds, list("abcde")) is False
    assert len(kept) == 4 and "Round 1 of 2" in capsys.readouterr().out
    kept.clear()
    assert module._play(Trained(here, stop_in=4), Mode.curriculum, rounds, list("abcde")) is True
    assert len(kept) == 3, "not where somebody stopped it"


@pytest.mark.parametrize(
    ("mode", "stopped", "film_code", "code"),
    [
        (Mode.live_seeker, False, 0, 0),
        (Mode.live_seeker, True, 0, 130),
        (Mode.live_seeker, False, 2, 2),
        (Mode.curriculum, False, 0, 1),
        (Mode.curriculum, True, 0, 130),
    ],
)
def test_the_exit_code_says_what_became_of_a_session(here, monkeypatch, mode, stopped, film_code, code):
    from sandlot.compat.last_match import LastMatch

    roles = []

    def filmed(role, engine, options, debug):
        roles.append(role)
        return LastMatch(code=film_code)

    def judged(now):
        raise typer.Exit(1)

    monkeypatch.setattr(module, "_play", lambda *_: stopped)
    monkeypatch.setattr(module, "play_and_film", filmed)
    monkeypatch.setattr(module, "_check_win_rate", judged)
    ended = 0
    try:
        module.session(mode, engine="native", film=True, runs=here / "runs")
    except typer.Exit as stop:
        ended = stop.exit_code
    assert ended == code and roles == ([] if stopped else ["seeker"])


@pytest.mark.parametrize(
    ("engine", "film", "variable", "filmed"),
    [
        ("native", None, "1", False),
        ("native", True, "0", True),
        ("native", False, "1", False),
    ],
)
def test_a_film_is_made_where_it_is_asked_for(here, monkeypatch, engine, film, variable, filmed):
    from sandlot.compat.last_match import LastMatch

    roles = []
    monkeypatch.setenv("TRAIN_FILM", variable)
    monkeypatch.setattr(module, "_play", lambda *_: False)
    monkeypatch.setattr(module, "play_and_film", lambda role, *_: roles.append(role) or LastMatch())
    module.session(Mode.live_hider, engine=engine, film=film, runs=here / "runs")
    assert roles == (["hider"] if filmed else [])


# ---------------------------------------------------------------- one round, natively


@pytest.fixture
def native(here, monkeypatch):
    """A session that trains without an engine."""
    monkeypatch.setenv("SANDLOT_GODOT_LOG", "")  # which a round sets: given back after the test
    folder = Path("trainer/logs/runs/live/one")
    folder.mkdir(parents=True), (here / "debug").mkdir()
    return module.Session("one", folder, here / "debug", here / "runs", "native", False, {"fact": 1})


def test_a_round_leaves_its_log_matches_charts_and_rows(native, here, monkeypatch):
    for name, value in {
        "AI_LOG_TRAJECTORIES": "1",
        "AI_DATA_ROOT": "data",
        "AI_TRAIN_DURATION": "60",
    }.items():
        monkeypatch.setenv(name, value)
    (seeker,) = rounds_of(Mode.live_seeker)
    words = ["ppo.num_envs=4", "ppo.num_steps=32", "network.hidden_sizes=[8]", "run.window_env_steps=256"]
    config = module._config(seeker, "native", [*words, "run.windows=3", "settings.time_limit=1.0"])
    assert native.train(seeker, config) is False, "nobody stopped it"
    kinds = [line.split()[1] for line in (native.debug / "server.log").read_text().splitlines()]
    assert kinds.count("WindowClosed") == 3 and "Progressed" in kinds
    progressed = next(
        line for line in (native.debug / "server.log").read_text().splitlines() if "Progressed" in line
    )
    assert "decisions_per_second" in progressed and "episodes_total" in progressed
    charts = {path.name for path in (native.folder / "charts").glob("*.png")}
    assert charts == {path.name for path in Path("charts").glob("*.png")} != set()
    matches = [
        list(read_trajectory(path)) for path in sorted((here / "data/trajectories").glob("ep_*.jsonl"))
    ]
    assert len(matches) > 3 and {match[-1]["type"] for match in matches} == {"episode_end"}
    assert matches[0][0]["engine"] == "native"
    assert module.METRICS.exists() and module.policy_file("seeker").exists()


def test_a_round_goes_on_with_the_weights_that_are_there_unless_told_not_to(native, monkeypatch, capsys):
    (seeker,) = rounds_of(Mode.live_seeker)
    words = ["ppo.num_envs=4", "ppo.num_steps=16", "network.hidden_sizes=[8]", "run.window_env_steps=64"]
    config = module._config(seeker, "native", [*words, "run.windows=1"])
    native.train(seeker, config)
    assert "Going on with" not in capsys.readouterr().err
    native.train(seeker, config)
    assert "Going on with the weights in trainer: seeker, hider" in capsys.readouterr().err
    monkeypatch.setenv("DISABLE_POLICY_LOAD", "1")
    native.train(seeker, config)
    assert "Going on with" not in capsys.readouterr().err
