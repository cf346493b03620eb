"""Who takes part in an evaluation or a league, what it says, and that it says the same twice."""

import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from trained import train

from sandlot.cli import main
from sandlot.errors import CheckpointError, ConfigError, SpecMismatch, UnknownName
from sandlot.evaluate.anchors import anchor_ratings
from sandlot.evaluate.bots import BotResult
from sandlot.evaluate.league import labels, league, rate_players
from sandlot.evaluate.players import (
    Player,
    checkpoint_history,
    open_checkpoint,
    read_checkpoint,
    same_rules,
    scripted,
    scripted_by_name,
)
from sandlot.evaluate.report import (
    EvalSetup,
    Matchup,
    check_expectations,
    deltas,
    expectations,
    opponents_of,
    play_matchups,
    play_pilots,
    rating_of,
)
from sandlot.evaluate.scoring import Tally, evaluate
from sandlot.runs.store import Store
from sandlot.seeding import held_out
from sandlot.worlds import HEAD, load_spec


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
    assert [c.origin["window_id"] for c in checkpoint_history(Store(root).open(ids["tag"]), 5)] == [0, 2]


def test_a_file_that_holds_no_policy_is_refused(tmp_path):
    (tmp_path / "notes.pt").write_text("hello")
    with pytest.raises(CheckpointError, match=r"notes\.pt cannot be read as weights"):
        read_checkpoint(tmp_path / "notes.pt")


def test_players_of_other_rules_are_refused_with_what_differs(runs):
    with pytest.raises(SpecMismatch, match="time_max = 300"):
        same_rules([the_run(runs, "prospector")], load_spec("prospector"))
    with pytest.raises(SpecMismatch, match="plays tag, not prospector"):
        same_rules([the_run(runs, "tag")], load_spec("prospector"))


def test_scripted_players_are_known_by_name_and_level():
    spec = load_spec("tag")
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
        scripted_by_name(load_spec("tag"), "hider", word)


# ---------------------------------------------------------------- what is said


PROSPECTOR = load_spec("prospector")


def bot_result(name, profits, survivals=None, per_tick=None):
    """A player who earned so much on seeds 0, 1, 2, …"""
    columns = {
        "net_profit": profits,
        "survival": survivals or [1.0] * len(profits),
        "profit_per_tick": per_tick or profits,
    }
    heads = np.zeros(len(profits), HEAD)
    heads["seed"] = np.arange(len(profits))
    episodes = SimpleNamespace(heads=heads, column=lambda c: np.array(columns[c]))
    metrics = {
        "net_profit_mean": float(np.mean(profits)),
        "survival_rate": float(np.mean(columns["survival"])),
        "profit_per_tick_mean": float(np.mean(columns["profit_per_tick"])),
    }
    return BotResult(name, Played(episodes), metrics)


class Played:
    """What a contender needs of its episodes."""

    def __init__(self, result):
        self.heads, self.column = result.heads, result.column

    def __len__(self):
        return len(self.heads)


def noisy(mean, spread=1.0, count=300, seed=0):
    return (mean + spread * np.random.default_rng(seed).normal(size=count)).tolist()


def verdicts(mine, others, required, margin=0.0):
    return {(e.bot, e.metric): e.verdict for e in expectations(PROSPECTOR, mine, others, required, margin)}


def test_expectations_compare_one_figure_with_one_bot_each_and_profit_with_all():
    mine = bot_result("mine", noisy(10), [1.0] * 270 + [0.0] * 30)
    others = [
        bot_result("tour", noisy(9)),
        bot_result("greedy_miner", noisy(11)),
        bot_result("cautious_scanner", noisy(5), [1.0] * 300),
        bot_result("market_timer:6", noisy(9), per_tick=noisy(99)),
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
    mine, bot = bot_result("mine", noisy(10.02, seed=1)), bot_result("greedy_miner", noisy(10.0, seed=2))
    (found,) = expectations(PROSPECTOR, mine, [bot], ["greedy_miner"])
    assert found.verdict == "undecided" and found.difference.low < 0 < found.difference.high
    assert found.episodes_needed > 300
    assert verdicts(mine, [bot], ["greedy_miner"], margin=0.05) == {
        ("greedy_miner", "net_profit_mean"): "met"
    }


def test_the_same_seeds_are_compared_so_that_small_differences_show():
    """Profits differ by thousands from seed to seed and by ten between the players."""
    profits = np.random.default_rng(0).normal(0, 5000, 300)
    mine = bot_result("mine", (profits + 10).tolist())
    assert verdicts(mine, [bot_result("tour", profits.tolist())], ["tour"]) == {
        ("tour", "net_profit_mean"): "met"
    }


def test_survival_of_all_beside_survival_of_all_is_no_proof():
    """Thirty of thirty beside thirty of thirty: nobody knows whether the rarest loss is as rare."""
    mine, bot = bot_result("mine", noisy(1, count=30)), bot_result("cautious_scanner", noisy(1, count=30))
    (found,) = expectations(PROSPECTOR, mine, [bot], ["cautious_scanner"])
    assert found.verdict == "undecided" and found.difference.low < -0.1


def test_an_unknown_expectation_is_refused_by_name():
    with pytest.raises(UnknownName, match="Did you mean 'greedy_miner'"):
        check_expectations(load_spec("prospector"), ["greedy_minor"])


def test_a_draw_is_half_a_win_for_both_whoever_is_named_first():
    """Nobody wins in mode switch: the match ends with the time."""
    spec = load_spec("tag", {"mode": "switch", "time_limit": 2.0})
    setup = EvalSetup(spec, held_out("eval", 8))
    seeker, hider = scripted_by_name(spec, "seeker", "chase"), scripted_by_name(spec, "hider", "evade")
    for first, second in ((seeker, hider), (hider, seeker)):
        (matchups,) = play_matchups(setup, [first], [second])
        result = matchups.as_json()
        assert (result["wins"], result["draws"], result["score"]) == (0.0, 1.0, 0.5)
        low, high = result["interval"]
        assert low < 0.5 < high
        standings = rate_players([matchups], {})
        assert [s.rating.value for s in standings] == pytest.approx([1000.0, 1000.0])


def test_a_bot_that_plays_as_a_player_has_the_metrics_of_the_table_of_bots():
    setup = EvalSetup(load_spec("prospector", {"time_max": 300}), held_out("eval", 8))
    first, second = play_pilots(setup, [scripted_by_name(setup.spec, "pilot", "tour")] * 2)
    assert first.metrics == second.metrics
    assert first.metrics["capped_episodes"] == 0


def test_a_strong_scripted_player_is_rated_near_its_own_fixed_rating():
    setup = EvalSetup(load_spec("tag"), held_out("eval", 40))
    chase = scripted_by_name(setup.spec, "seeker", "chase:2")
    found = rating_of(setup.spec, play_matchups(setup, [chase], opponents_of(setup.spec, "seeker")))
    assert found.low <= anchor_ratings("tag", setup.spec.settings)["seeker chase:2"] <= found.high


def test_a_league_of_one_pilot_is_a_ranking_by_profit(runs):
    checkpoint = the_run(runs, "prospector")
    report = league(EvalSetup(checkpoint.spec, held_out("eval", 6)), [checkpoint])
    profits = [c["net_profit_mean"] for c in report["ranking"]]
    assert profits == sorted(profits, reverse=True)
    assert [c["name"] for c in report["ranking"] if not c["scripted"]] == [checkpoint.name]


def test_a_league_of_two_roles_is_a_matrix_with_ratings_and_comes_out_the_same_twice(runs):
    root, ids = runs
    checkpoints = checkpoint_history(Store(root).open(ids["tag"]), 2)
    setup = EvalSetup(checkpoints[0].spec, held_out("eval", 4))
    report = league(setup, checkpoints)
    assert report == league(setup, checkpoints)
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
        matchups = [Matchup(new, old, Tally(games * 7 // 10, 0, games), 1.0)]
        best = next(s for s in rate_players(matchups, {"hider old": 1000.0}) if s.player is new)
        assert best.rating.low <= best.rating.value <= best.rating.high
        widths.append(best.rating.high - best.rating.low)
    assert widths[1] < widths[0] / 3


def test_labels_name_windows_of_one_run_and_runs_among_several(runs):
    tag, prospector = the_run(runs, "tag"), the_run(runs, "prospector")
    assert list(labels([tag]).values()) == ["window 2"]
    assert list(labels([tag, prospector]).values()) == ["run 1 @2", "run 2 @2"]


def test_a_judgement_names_a_value_and_is_the_same_twice(runs):
    policies = the_run(runs, "prospector").policies
    first = evaluate(policies, held_out("select", 6))
    assert first == evaluate(policies, held_out("select", 6))
    assert first["value_low"] <= first["value"] <= first["value_high"]
    assert first["value"] == pytest.approx(first["net_profit_mean"], rel=1e-5)


def test_a_judgement_of_two_roles_rates_both(runs):
    result = evaluate(the_run(runs, "tag").policies, held_out("select", 4))
    assert result["value"] == pytest.approx((result["seeker_rating"] + result["hider_rating"]) / 2)
    assert 0 <= result["seeker_win_rate"] <= 1 and "seeker_beats_evade_3" in result


# ---------------------------------------------------------------- the commands


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    def run(*words):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["sandlot", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        printed = capsys.readouterr()
        return stop.value.code or 0, printed.out, printed.err

    return run


def test_eval_reports_a_pilot_with_bots_beside_it(runs, call, tmp_path):
    root, ids = runs
    words = ("eval", ids["prospector"], "--runs", root, "--episodes", 6, "--json")
    code, printed, _ = call(*words, "--output", tmp_path / "deep" / "report.json")
    result = json.loads(printed)
    assert code == 0
    assert result["run_id"] == ids["prospector"] and result["checkpoints"][0]["window_id"] == 2
    assert {c["name"].partition(":")[0] for c in result["results"][1:]} == set(load_spec("prospector").bots)
    profits = [c["net_profit_mean"] for c in result["results"][1:]]
    assert profits == sorted(profits, reverse=True)
    assert "greedy_miner" in result["deltas"] and result["config"]["time_max"] == 300
    written = json.loads((tmp_path / "deep" / "report.json").read_text())
    assert {key: written[key] for key in result} == result, "the file says what was printed, and more"
    assert written["mean_reward"] == pytest.approx(result["results"][0]["return_mean"])


def test_eval_of_a_pilot_beside_one_other_shows_only_that(runs, call):
    root, ids = runs
    words = ("eval", ids["prospector"], "--runs", root, "--episodes", 4, "--json", "--against")
    code, printed, _ = call(*words, "tour")
    report = json.loads(printed)
    assert code == 0 and [c["name"] for c in report["results"]][1:] == ["tour"] == list(report["deltas"])
    assert len(report["checkpoints"]) == 1
    code, printed, _ = call(*words, root / ids["prospector"])
    assert code == 0 and len(json.loads(printed)["checkpoints"]) == 2
    code, printed, result = call(*words, "tour", "--require", "all")
    assert code == 2 and "leave --against out" in result and not printed


@pytest.mark.parametrize("words", [(), ("--role", "hider", "--against", "chase:2")])
def test_eval_records_its_first_match_into_the_run(runs, call, tmp_path, words):
    root, ids = runs
    shutil.copytree(root / ids["tag"], tmp_path / "runs" / ids["tag"])
    run = Store(tmp_path / "runs").open(ids["tag"])
    before = {entry.replay_id for entry in run.index.find()}
    code, printed, result = call("eval", ids["tag"], "--episodes", 2, "--record", *words)
    assert code == 0, result
    (entry,) = [entry for entry in run.index.find() if entry.replay_id not in before]
    assert f"Recorded: {entry.replay_id}, {entry.steps} decisions, native. Watch it" in printed
    assert (entry.window_id, entry.seed) == (2, held_out("eval", 2)[0])
    assert entry.checkpoint_path == run.paths.relative(run.paths.checkpoint(2))
    assert entry.checkpoint_env_steps_total == run.windows()[-1].env_steps_total


def test_eval_exits_with_1_when_an_expectation_is_missed(runs, call):
    root, ids = runs
    code, printed, _ = call(
        "eval", ids["prospector"], "--runs", root, "--episodes", 6, "--require", "all", "--seeds", "7,19"
    )
    printed = " ".join(printed.split())
    verdicts = [word for word in ("Met:", "Missed:", "Undecided:") for _ in range(printed.count(word))]
    assert len(verdicts) == len(load_spec("prospector").bots) + 2
    assert code == (0 if set(verdicts) == {"Met:"} else 1)
    assert "greedy_miner" in printed and "survival_rate" in printed and "95 %" in printed


def test_eval_of_a_role_against_an_opponent_shows_both_and_scripted_players(runs, call):
    root, ids = runs
    words = ("eval", ids["tag"], "--runs", root, "--episodes", 4, "--role", "hider")
    code, printed, _ = call(*words, "--against", "chase:2")
    assert code == 0 and "chase:2" in printed and "evade:3" in printed
    code, printed, _ = call(*words, "--against", root / ids["tag"], "--json")
    assert code == 0 and len(json.loads(printed)["checkpoints"]) == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--against", "chase"), "--against needs --role"),
        (("--role", "pilot"), "tag has seeker, hider"),
        (("--require", "all"), "tag has opponents"),
        (("--seeds", "7,x"), "expected whole numbers"),
        (("--role", "hider", "--against", "evade"), "evade plays hider, not seeker"),
    ],
)
def test_eval_refuses_what_makes_no_sense_with_a_sentence(runs, call, words, sentence):
    code, printed, result = call("eval", runs[1]["tag"], "--runs", runs[0], "--episodes", 2, *words)
    assert code == 2 and sentence in " ".join(result.split()) and not printed


def test_league_of_all_runs_writes_its_report_and_a_picture(runs, call):
    root, ids = runs
    code, printed, result = call("league", "prospector", "--runs", root, "--every", 2, "--episodes", 4)
    assert code == 0 and "window 0" in printed and ids["prospector"] in printed
    (folder,) = (root / "league").glob("prospector-*")
    assert json.loads((folder / "league.json").read_text())["episodes"] == 4
    assert (folder / "league.png").read_bytes().startswith(b"\x89PNG")
    assert "league.png" in result
    assert {r.run_id for r in Store(root).runs()} == set(ids.values()), "a league is no run"


def test_league_draws_a_matrix(runs, call, tmp_path):
    root, ids = runs
    code, printed, _ = call(
        "league", "tag", ids["tag"], "--runs", root, "--episodes", 2, "--output", tmp_path / "out"
    )
    assert code == 0 and "Seeker wins in %" in printed
    assert (tmp_path / "out" / "league.png").stat().st_size > 10_000
