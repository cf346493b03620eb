"""Who takes part in an examination or a league, what it says, and that it says the same twice."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from trained import train

from sandlot.cli import main
from sandlot.errors import CheckpointError, ConfigError, SpecMismatch, UnknownName
from sandlot.evaluate.anchors import anchor_ratings
from sandlot.evaluate.bots import Contender
from sandlot.evaluate.examination import (
    Bout,
    Stage,
    bouts,
    check_expectations,
    deltas,
    expectations,
    pilots,
    rating_of,
    rivals_of,
)
from sandlot.evaluate.judge import Tally, config_of, judge
from sandlot.evaluate.league import labels, league, rated
from sandlot.evaluate.players import (
    Player,
    open_checkpoint,
    read_checkpoint,
    same_rules,
    scripted,
    scripted_by_name,
    trail,
)
from sandlot.evaluate.statistics import Estimate
from sandlot.games import Spec
from sandlot.games.vector import HEAD
from sandlot.runs.store import Store
from sandlot.seeding import held_out


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with one short run of each game, and their ids."""
    root = tmp_path_factory.mktemp("runs")
    return root, {game: train(root, game) for game in ("tag", "prospector")}


def the_run(runs, game):
    root, ids = runs
    return open_checkpoint(ids[game], root)


# ---------------------------------------------------------------- who plays


def test_a_run_stands_for_its_newest_checkpoint_while_none_was_judged(runs):
    assert the_run(runs, "tag").name == f"{runs[1]['tag']}@2"
    assert set(the_run(runs, "tag").policies) == {"seeker", "hider"}


def test_a_judged_run_stands_for_its_best_checkpoint(tmp_path):
    run_id = train(tmp_path, "tag")
    Store(tmp_path).open(run_id).promote(1, 5.0)
    assert open_checkpoint(run_id, tmp_path).name == f"{run_id}@1"
    assert open_checkpoint("latest", tmp_path).origin["window_id"] == 1


def test_a_policy_file_of_one_role_plays_that_role(runs):
    root, ids = runs
    checkpoint = open_checkpoint(str(root / ids["tag"] / "checkpoints" / "policy_hider.pt"))
    assert checkpoint.player("hider").role == "hider"
    with pytest.raises(ConfigError, match="weights for hider, not for 'seeker'"):
        checkpoint.player("seeker")


def test_a_trail_holds_every_nth_checkpoint_and_the_newest(runs):
    root, ids = runs
    assert [c.origin["window_id"] for c in trail(Store(root).open(ids["tag"]), 5)] == [0, 2]


def test_a_file_that_holds_no_policy_is_refused(tmp_path):
    (tmp_path / "notes.pt").write_text("hello")
    with pytest.raises(CheckpointError, match=r"notes\.pt cannot be read as weights"):
        read_checkpoint(tmp_path / "notes.pt")


def test_players_of_other_rules_are_refused_with_what_differs(runs):
    with pytest.raises(SpecMismatch, match="time_max = 300"):
        same_rules([the_run(runs, "prospector")], Spec("prospector"))
    with pytest.raises(SpecMismatch, match="plays tag, not prospector"):
        same_rules([the_run(runs, "tag")], Spec("prospector"))


def test_scripted_players_are_known_by_name_and_level():
    spec = Spec("tag")
    assert scripted_by_name(spec, "seeker", "chase").name == "chase:3"
    assert scripted_by_name(spec, "seeker", "chase:1").policy.level == 1
    assert {p.name for p in scripted(spec, "hider", "top")} == {"evade:3", "wander:3"}


@pytest.mark.parametrize(
    ("word", "error", "sentence"),
    [
        ("chase", ConfigError, "chase plays seeker, not hider"),
        ("evade:x", ConfigError, "BOT:LEVEL"),
        ("evade:9", ConfigError, "levels 1 to 3"),
        ("evada", UnknownName, "Did you mean 'evade'"),
    ],
)
def test_a_scripted_player_that_does_not_exist_is_refused(word, error, sentence):
    with pytest.raises(error, match=sentence):
        scripted_by_name(Spec("tag"), "hider", word)


# ---------------------------------------------------------------- what is said


def contender(name, profits, survivals=None, per_tick=None):
    """A player who earned so much on seeds 0, 1, 2, …"""
    columns = {
        "net_profit": profits,
        "survival": survivals or [1.0] * len(profits),
        "profit_per_tick": per_tick or profits,
    }
    heads = np.zeros(len(profits), HEAD)
    heads["seed"] = np.arange(len(profits))
    episodes = SimpleNamespace(heads=heads, column=lambda c: np.array(columns[c]))
    figures = {
        "net_profit_mean": float(np.mean(profits)),
        "survival_rate": float(np.mean(columns["survival"])),
        "profit_per_tick_mean": float(np.mean(columns["profit_per_tick"])),
    }
    return Contender(name, Played(episodes), figures, Estimate(0, 0, 0), Estimate(0, 0, 0))


class Played:
    """What a contender needs of its episodes."""

    def __init__(self, told):
        self.heads, self.column = told.heads, told.column

    def __len__(self):
        return len(self.heads)


def noisy(mean, spread=1.0, count=300, seed=0):
    return (mean + spread * np.random.default_rng(seed).normal(size=count)).tolist()


def verdicts(mine, others, wished, margin=0.0):
    return {(e.bot, e.figure): e.verdict for e in expectations(mine, others, wished, margin)}


def test_expectations_compare_one_figure_with_one_bot_each_and_profit_with_all():
    mine = contender("mine", noisy(10), [1.0] * 270 + [0.0] * 30)
    others = [
        contender("tour", noisy(9)),
        contender("greedy_miner", noisy(11)),
        contender("cautious_scanner", noisy(5), [1.0] * 300),
        contender("market_timer:6", noisy(9), per_tick=noisy(99)),
    ]
    assert verdicts(mine, others, ["all"]) == {
        ("tour", "net_profit_mean"): "met",
        ("greedy_miner", "net_profit_mean"): "missed",
        ("cautious_scanner", "survival_rate"): "missed",
        ("cautious_scanner", "net_profit_mean"): "met",
        ("market_timer", "profit_per_tick_mean"): "missed",
        ("market_timer", "net_profit_mean"): "met",
    }, "the best bot is among them, whatever it is called"
    assert verdicts(mine, others, ["cautious_scanner"]) == {("cautious_scanner", "survival_rate"): "missed"}
    assert deltas(mine, others)["tour"]["net_profit_mean"] == pytest.approx(1.0)


def test_a_difference_that_may_be_luck_is_undecided_and_says_how_many_episodes_would_tell():
    mine, bot = contender("mine", noisy(10.02, seed=1)), contender("greedy_miner", noisy(10.0, seed=2))
    (found,) = expectations(mine, [bot], ["greedy_miner"])
    assert found.verdict == "undecided" and found.difference.low < 0 < found.difference.high
    assert found.episodes_needed > 300
    assert verdicts(mine, [bot], ["greedy_miner"], margin=0.05) == {
        ("greedy_miner", "net_profit_mean"): "met"
    }


def test_the_same_seeds_are_compared_so_that_small_differences_show():
    """Profits differ by thousands from seed to seed and by ten between the players."""
    profits = np.random.default_rng(0).normal(0, 5000, 300)
    mine = contender("mine", (profits + 10).tolist())
    assert verdicts(mine, [contender("tour", profits.tolist())], ["tour"]) == {
        ("tour", "net_profit_mean"): "met"
    }


def test_survival_of_all_beside_survival_of_all_is_no_proof():
    """Thirty of thirty beside thirty of thirty: nobody knows whether the rarest loss is as rare."""
    mine, bot = contender("mine", noisy(1, count=30)), contender("cautious_scanner", noisy(1, count=30))
    (found,) = expectations(mine, [bot], ["cautious_scanner"])
    assert found.verdict == "undecided" and found.difference.low < -0.1


def test_an_unknown_expectation_is_refused_by_name():
    with pytest.raises(UnknownName, match="Did you mean 'greedy_miner'"):
        check_expectations(Spec("prospector"), ["greedy_minor"])


def test_a_draw_is_half_a_win_for_both_whoever_is_named_first():
    """Nobody wins in mode switch: the match ends with the time."""
    spec = Spec("tag", {"mode": "switch", "time_limit": 2.0})
    stage = Stage(spec, held_out("eval", 8))
    seeker, hider = scripted_by_name(spec, "seeker", "chase"), scripted_by_name(spec, "hider", "evade")
    for first, second in ((seeker, hider), (hider, seeker)):
        (fought,) = bouts(stage, [first], [second])
        told = fought.as_json()
        assert (told["wins"], told["draws"], told["score"]) == (0.0, 1.0, 0.5)
        low, high = told["interval"]
        assert low < 0.5 < high
        standings = rated([fought], {})
        assert [s.rating for s in standings] == pytest.approx([1000.0, 1000.0])


def test_a_bot_that_plays_as_a_contender_has_the_figures_of_the_table_of_bots():
    stage = Stage(Spec("prospector", {"time_max": 300}), held_out("eval", 8))
    first, second = pilots(stage, [scripted_by_name(stage.spec, "pilot", "tour")] * 2)
    assert first.figures == second.figures
    assert first.figures["capped_episodes"] == 0


def test_a_strong_scripted_player_is_rated_near_its_own_fixed_rating():
    stage = Stage(Spec("tag"), held_out("eval", 40))
    chase = scripted_by_name(stage.spec, "seeker", "chase:2")
    found = rating_of(stage.spec, bouts(stage, [chase], rivals_of(stage.spec, "seeker")))
    assert found.low <= anchor_ratings("tag", config_of(stage.spec))["seeker chase:2"] <= found.high


def test_a_league_of_one_pilot_is_a_ranking_by_profit(runs):
    checkpoint = the_run(runs, "prospector")
    report = league(Stage(checkpoint.spec, held_out("eval", 6)), [checkpoint])
    profits = [c["net_profit_mean"] for c in report["ranking"]]
    assert profits == sorted(profits, reverse=True)
    assert [c["name"] for c in report["ranking"] if not c["scripted"]] == [checkpoint.name]


def test_a_league_of_two_roles_is_a_matrix_with_ratings_and_comes_out_the_same_twice(runs):
    root, ids = runs
    checkpoints = trail(Store(root).open(ids["tag"]), 2)
    stage = Stage(checkpoints[0].spec, held_out("eval", 4))
    report = league(stage, checkpoints)
    assert report == league(stage, checkpoints)
    m = report["matrix"]
    assert np.shape(m["row_wins"]) == (len(m["rows"]), len(m["columns"])) == (2 + 9, 2 + 6)
    for s in report["standings"]:
        low, high = s["rating_interval"]
        assert low <= s["rating"] <= high and low < high, "scripted players were measured too"
    json.dumps(report, allow_nan=False)


def test_a_rating_interval_narrows_with_more_matches():
    new, old = Player("new", "seeker", None, False), Player("old", "hider", None, True)
    widths = []
    for games in (20, 2000):
        fought = [Bout(new, old, Tally(games * 7 // 10, 0, games), 1.0)]
        best = next(s for s in rated(fought, {"hider old": 1000.0}) if s.player is new)
        assert best.low <= best.rating <= best.high
        widths.append(best.high - best.low)
    assert widths[1] < widths[0] / 3


def test_labels_name_windows_of_one_run_and_runs_among_several(runs):
    tag, prospector = the_run(runs, "tag"), the_run(runs, "prospector")
    assert list(labels([tag]).values()) == ["window 2"]
    assert list(labels([tag, prospector]).values()) == ["run 1 @2", "run 2 @2"]


def test_a_judgement_names_a_value_and_is_the_same_twice(runs):
    policies = the_run(runs, "prospector").policies
    first = judge(policies, held_out("select", 6))
    assert first == judge(policies, held_out("select", 6))
    assert first["value_low"] <= first["value"] <= first["value_high"]
    assert first["value"] == pytest.approx(first["net_profit_mean"], rel=1e-5)


def test_a_judgement_of_two_roles_rates_both(runs):
    told = judge(the_run(runs, "tag").policies, held_out("select", 4))
    assert told["value"] == pytest.approx((told["seeker_rating"] + told["hider_rating"]) / 2)
    assert 0 <= told["seeker_win_rate"] <= 1 and "seeker_beats_evade_3" in told


# ---------------------------------------------------------------- the commands


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    def run(*words):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["sandlot", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        said = capsys.readouterr()
        return stop.value.code or 0, said.out, said.err

    return run


def test_eval_reports_a_pilot_with_bots_beside_it(runs, call, tmp_path):
    root, ids = runs
    words = ("eval", ids["prospector"], "--runs", root, "--episodes", 6, "--json")
    code, said, _ = call(*words, "--output", tmp_path / "deep" / "report.json")
    told = json.loads(said)
    assert code == 0
    assert told["run_id"] == ids["prospector"] and told["checkpoints"][0]["window_id"] == 2
    assert {c["name"].partition(":")[0] for c in told["contenders"][1:]} == set(Spec("prospector").bots)
    assert "greedy_miner" in told["deltas"] and told["config"]["time_max"] == 300
    assert json.loads((tmp_path / "deep" / "report.json").read_text()) == told


def test_eval_exits_with_1_when_an_expectation_is_missed(runs, call):
    root, ids = runs
    code, said, _ = call(
        "eval", ids["prospector"], "--runs", root, "--episodes", 6, "--require", "all", "--seeds", "7,19"
    )
    said = " ".join(said.split())
    verdicts = [word for word in ("Met:", "Missed:", "Undecided:") for _ in range(said.count(word))]
    assert len(verdicts) == len(Spec("prospector").bots) + 2
    assert code == (0 if set(verdicts) == {"Met:"} else 1)
    assert "greedy_miner" in said and "survival_rate" in said and "95 %" in said


def test_eval_of_a_role_against_a_rival_shows_both_and_scripted_players(runs, call):
    root, ids = runs
    words = ("eval", ids["tag"], "--runs", root, "--episodes", 4, "--role", "hider")
    code, said, _ = call(*words, "--against", "chase:2")
    assert code == 0 and "chase:2" in said and "evade:3" in said
    code, said, _ = call(*words, "--against", root / ids["tag"], "--json")
    assert code == 0 and len(json.loads(said)["checkpoints"]) == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--against", "chase"), "--against needs --role"),
        (("--role", "pilot"), "tag has seeker, hider"),
        (("--require", "all"), "tag has rivals"),
        (("--seeds", "7,x"), "expected whole numbers"),
        (("--role", "hider", "--against", "evade"), "evade plays hider, not seeker"),
    ],
)
def test_eval_refuses_what_makes_no_sense_with_a_sentence(runs, call, words, sentence):
    code, said, told = call("eval", runs[1]["tag"], "--runs", runs[0], "--episodes", 2, *words)
    assert code == 2 and sentence in " ".join(told.split()) and not said


def test_league_of_all_runs_writes_its_report_and_a_picture(runs, call):
    root, ids = runs
    code, said, told = call("league", "prospector", "--runs", root, "--every", 2, "--episodes", 4)
    assert code == 0 and "window 0" in said and ids["prospector"] in said
    (folder,) = (root / "league").glob("prospector-*")
    assert json.loads((folder / "league.json").read_text())["episodes"] == 4
    assert (folder / "league.png").read_bytes().startswith(b"\x89PNG")
    assert "league.png" in told
    assert {r.run_id for r in Store(root).runs()} == set(ids.values()), "a league is no run"


def test_league_draws_a_matrix(runs, call, tmp_path):
    root, ids = runs
    code, said, _ = call(
        "league", "tag", ids["tag"], "--runs", root, "--episodes", 2, "--output", tmp_path / "out"
    )
    assert code == 0 and "Seeker wins in %" in said
    assert (tmp_path / "out" / "league.png").stat().st_size > 10_000
