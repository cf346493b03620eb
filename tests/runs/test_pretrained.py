"""runs/pretrained.py: trained policies of every native game ship, small, of the rules that play now."""

import re

import pytest

from sandlot.errors import UnknownName
from sandlot.evaluate.players import read_exported
from sandlot.runs.pretrained import FOLDER, pretrained, pretrained_games
from sandlot.runs.replays import Replay
from sandlot.worlds import games, load_spec

MOST_BYTES = 1 << 20


def test_every_native_game_has_one():
    assert pretrained_games() == sorted(games())


def test_together_they_stay_small():
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) <= MOST_BYTES


@pytest.mark.parametrize("game", pretrained_games())
def test_they_play_the_rules_of_today(game):
    one, spec = pretrained(game), load_spec(game)
    assert one.game_version == spec.version, f"make it anew: python scripts/pretrain.py {game}"
    assert set(one.roles) == set(spec.role_names)
    for role in one.roles:
        checkpoint = read_exported(one.policy(role))  # refuses a file of other rules
        assert list(checkpoint.policies) == [role] and checkpoint.spec.game == game


@pytest.mark.parametrize("game", pretrained_games())
def test_training_has_made_them_better(game):
    first, *_, last = pretrained(game).learning.stages()
    assert first.window_id is None and last.window_id == pretrained(game).window_id
    better = [
        after.low > before.high
        for before, after in zip(first.results, last.results, strict=True)
        if after.better == "higher"
    ]
    assert better and all(better), "the intervals of before and after do not touch"


@pytest.mark.parametrize("game", pretrained_games())
def test_every_stage_has_matches_of_the_same_seeds(game):
    learning = pretrained(game).learning
    seeds = set()
    for stage in learning.stages():
        seeds.add(tuple(one.seed for one in stage.replays))
        for one in stage.replays:
            assert Replay.read(learning.replay(one.replay_id)).header.seed == one.seed
    assert len(seeds) == 1


def test_the_page_beside_them_says_what_made_each():
    page = (FOLDER / "README.md").read_text()
    for game in pretrained_games():
        assert re.search(rf"^\| {game} \| `{re.escape(pretrained(game).command)}` \|", page, re.MULTILINE)


def test_a_game_without_one_is_named():
    with pytest.raises(UnknownName, match="chess"):
        pretrained("chess")
