"""Several roles without ratings: who plays a side, what is compared, and whose result counts."""

import pytest
from three_roles import DESCRIPTION, register

from sandlot.errors import ConfigError
from sandlot.evaluate.league import league
from sandlot.evaluate.players import Checkpoint
from sandlot.evaluate.report import EvalSetup
from sandlot.evaluate.sides import (
    SCORE,
    measure,
    measured_by,
    scripted_entrants,
    sides_of,
    trained_entrants,
)
from sandlot.games.random_policy import RandomPolicy
from sandlot.policies import Policy
from sandlot.policies.config import NetworkConfig
from sandlot.spec import Document, Spec
from sandlot.worlds import load_spec

TOGETHER = {key: value for key, value in DESCRIPTION.items() if key not in ("teams", "outcomes")}


class Answering(RandomPolicy):
    """The thief that always answers what it sees."""

    def act(self, observations, masks=None, state=None):
        return observations[:, :1].copy(), state


@pytest.fixture
def spec(monkeypatch):
    return register(monkeypatch)


def cooperative():
    return Spec(Document.parse(TOGETHER), TOGETHER)


def checkpoint(spec, name="run@3", roles=None):
    policies = {role: Policy(spec, role, NetworkConfig()) for role in roles or spec.role_names}
    return Checkpoint(name, policies, {"run_id": "run", "window_id": 3})


def test_teams_are_sides_and_roles_that_win_together_are_one(spec):
    assert sides_of(spec) == {"law": ("scout", "guard"), "crime": ("thief",)}
    assert sides_of(cooperative()) == {"all": ("scout", "guard", "thief")}
    assert sides_of(load_spec("tag")) == {"seeker": ("seeker",), "hider": ("hider",)}


def test_sides_are_compared_by_score_and_those_who_win_together_by_the_headline(spec):
    assert measured_by(spec) == SCORE
    assert measured_by(cooperative())["metric"] == "return_mean"
    nothing = TOGETHER | {"episode": [{"name": "length"}]}
    with pytest.raises(ConfigError, match="neither a headline nor a return"):
        measured_by(Spec(Document.parse(nothing), nothing))


def test_a_checkpoint_enters_once_a_side_with_the_roles_it_learned(spec):
    entered = trained_entrants(checkpoint(spec))
    assert [(one.name, one.role, set(one.player.policy)) for one in entered] == [
        ("law: run@3", "scout", {"scout", "guard"}),
        ("crime: run@3", "thief", {"thief"}),
    ]
    (alone,) = trained_entrants(checkpoint(spec, roles=["guard"]))
    assert set(alone.player.policy) == {"guard"}, "the scout is played by default"


def test_who_answers_better_scores_more_and_the_best_of_a_side_comes_first(spec):
    entrants = scripted_entrants(spec)
    assert [one.name for one in entrants] == ["law: random", "crime: random"]
    thief = Answering(spec.for_role("thief"))
    good = type(entrants[1])(
        "crime: good", "crime", "thief", type(entrants[1].player)("good", "thief", thief, True)
    )
    found = measure(EvalSetup(spec, list(range(20))), [*entrants, good])
    assert [one.name for one, _ in found] == ["law: random", "crime: good", "crime: random"]
    scores = {one.name: result.metrics["score"] for one, result in found}
    assert scores["crime: good"] == 1.0 > scores["crime: random"]
    assert 0.0 <= scores["law: random"] < 0.5, "the law guesses three answers, the thief one"


def test_a_league_ranks_the_sides_of_every_checkpoint(spec):
    report = league(EvalSetup(spec, list(range(4))), [checkpoint(spec)])
    names = {row["name"] for row in report["ranking"]}
    assert names == {"law: run@3", "law: random", "crime: run@3", "crime: random"}
    assert report["labels"] == {"law: run@3": "law: window 3", "crime: run@3": "crime: window 3"}
    assert report["headline"] == SCORE and all(0 <= row["value"] <= 1 for row in report["ranking"])
