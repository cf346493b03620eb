"""One match with trained weights: played to its end or without a trace, drawn, summed up in a sentence."""

import json
from pathlib import Path

import pytest
from PIL import Image

from sandlot.compat import episode
from sandlot.errors import CheckpointError, ConfigError
from sandlot.games import bot
from sandlot.policies import Policy
from sandlot.policies.config import NetworkConfig
from sandlot.worlds import load_spec


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("AI_TRAJECTORIES_DIR", raising=False)
    return tmp_path


def bots():
    return {"seeker": bot("tag", "chase"), "hider": bot("tag", "evade")}


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def trajectory(*more):
    path = Path("t.jsonl")
    path.write_text("".join(json.dumps(line) + "\n" for line in more))
    return path


@pytest.mark.parametrize(
    ("end", "sentence"),
    [
        ([], "The match was cut off: nobody won."),
        (
            [{"winner": "seeker", "terminal_reason": "tag", "duration_s": 3.04}],
            "The seeker won by tag after 3.0 s.",
        ),
        ([{"winner": "hider", "terminal_reason": "timeout"}], "The hider won by timeout."),
        ([{"winner": "none", "terminal_reason": "none", "duration_s": 2}], "Nobody won (none after 2.0 s)."),
        ([{}], "Nobody won (none)."),
    ],
)  # fmt: skip
def test_an_outcome_is_reported_as_the_last_line_says_it(end, sentence):
    path = trajectory({"type": "episode_start"}, *({"type": "episode_end", **rows} for rows in end))
    assert episode.outcome(path) == sentence


@pytest.mark.parametrize("role", ["seeker", "hider"])
def test_a_match_is_played_to_its_end_from_the_seed_and_role_given(role):
    path = episode.play_one(bots(), "native", role, 4, 60.0)
    again = episode.play_one(bots(), "native", role, 4, 60.0)
    assert path.parent == Path("data/trajectories") and again != path
    rows = lines(path)
    assert rows[0]["type"] == "episode_start" and rows[-1]["type"] == "episode_end"
    first, second = ([s["pos"] for s in lines(p) if s["type"] == "step"][:2] for p in (path, again))
    assert first == second, "the same seed begins in the same places"
    assert next(line for line in rows if line["type"] == "step")["is_it"] == (role == "seeker")


def test_a_match_that_is_not_over_in_time_is_refused_and_leaves_no_trajectory(here):
    with pytest.raises(ConfigError, match=r"not over after 0\.1 s of play"):
        episode.play_one(bots(), "native", "seeker", 4, 0.1)
    assert list(here.rglob("*.jsonl")) == []


def test_a_shortened_match_ends_by_its_own_clock():
    path = episode.play_one(bots(), "native", "seeker", 4, 1.0, shorten=True)
    end = lines(path)[-1]
    assert end["type"] == "episode_end" and end["duration_s"] <= 1.05


def test_weights_are_asked_for_by_name_and_scripts_stand_in_only_where_it_is_asked_for(here):
    with pytest.raises(
        CheckpointError, match=r"no trainer/policy_seeker\.pt and no trainer/policy_hider\.pt"
    ):
        episode._policies(None)
    Path("trainer").mkdir()
    made = Policy(load_spec("tag"), "seeker", NetworkConfig(hidden_sizes=(4,)), seed=1)
    Path("trainer/policy_seeker.pt").write_bytes(made.to_bytes())
    with pytest.raises(CheckpointError, match=r"There is no trainer/policy_hider\.pt\."):
        episode._policies(None)
    players = episode.trained_or_scripted()
    assert hasattr(players["seeker"], "network") and not hasattr(players["hider"], "network")


def test_the_newest_trajectory_is_found_and_none_is_said_with_the_places(here):
    with pytest.raises(ConfigError, match="no trajectory in data/trajectories"):
        episode.latest()
    path = episode.play_one(bots(), "native", "seeker", 4, 60.0)
    assert episode.latest() == path


def test_a_map_is_drawn_where_it_is_asked_for_with_so_many_dots(here):
    path = episode.play_one(bots(), "native", "seeker", 4, 60.0)
    target = episode.draw(path, here / "new" / "map.png", None, 50)
    with Image.open(target) as picture:
        size, dots = picture.size, picture.info["dpi"]
    assert size[0] > 100 and target == here / "new" / "map.png" and dots == pytest.approx((50, 50), abs=0.1)
    assert episode.draw(path, None, "Mine", 50).parent == Path("charts")
    with pytest.raises(ConfigError, match="holds no steps of agents"):
        episode.draw(trajectory({"type": "episode_start"}), here / "none.png", None, 50)
    assert not (here / "none.png").exists()


# ---------------------------------------------------------------- the command


@pytest.fixture
def weights(here):
    """Untrained networks of both roles where the command looks for them, under a short clock."""
    Path("trainer").mkdir()
    for role in ("seeker", "hider"):
        made = Policy(load_spec("tag", {"time_limit": 2}), role, NetworkConfig(hidden_sizes=(4,)), seed=1)
        Path(f"trainer/policy_{role}.pt").write_bytes(made.to_bytes())


@pytest.mark.parametrize(("words", "filmed"), [((), []), (("--record", "--record-fps", "7"), [7])])
def test_the_command_leaves_a_trajectory_a_map_and_a_bundle(compat, weights, monkeypatch, words, filmed):
    rates = []

    def film(path, fps):
        rates.append(fps)
        Path("film.mp4").touch()
        return Path("film.mp4")

    monkeypatch.setattr("sandlot.compat.render.render_trajectory", film)
    monkeypatch.setenv("EVAL_RUN_ID", "one")
    done = compat("episode", "--engine", "native", "--seed", "4", "--start-role", "hider", *words)
    assert done.code == 0, done.err
    result, played, picture, bundle = done.out.splitlines()
    assert rates == filmed and ("film.mp4" in bundle) is bool(filmed)
    start, end = lines(Path(played))[0], lines(Path(played))[-1]
    assert start["seed"] == "4" and start["roles"] == ["hider", "seeker"]
    assert result == f"The {end['winner']} won by {end['terminal_reason']} after {end['duration_s']:.1f} s."
    assert Image.open(picture).info["dpi"] == pytest.approx((150, 150), abs=0.1)
    assert bundle.startswith("debug/one_eval: ") and Path(picture).name in bundle
    assert compat("episode", "--print-latest").out.strip() == played
    assert (
        "--start-role referee: expected seeker or hider" in compat("episode", "--start-role", "referee").err
    )


def test_the_likeliest_actions_are_the_same_whatever_the_generators(compat, weights):
    def steps(*words):
        done = compat("episode", "--engine", "native", *words)
        assert done.code == 0, done.err
        return [
            line.get("action") for line in lines(Path(done.out.splitlines()[1])) if line["type"] == "step"
        ]

    assert steps() != steps("--greedy")
