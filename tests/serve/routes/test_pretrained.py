"""serve/routes/pretrained.py: what ships is listed, and every address in the list answers."""

import pytest

from sandlot.runs import Replay
from sandlot.runs.pretrained import pretrained_games

from ..contract import assert_as_agreed


def test_the_routes_are_as_agreed():
    assert_as_agreed("policies")


def test_every_address_of_the_list_answers(site):
    answer = site.get("/api/pretrained").json()
    assert [each["game"] for each in answer["games"]] == pretrained_games()
    for each in answer["games"]:
        assert each["command"] and each["policies"]
        for policy in each["policies"]:
            assert len(site.get(policy["url"]).content) > 1000
        stages = site.get(each["learning_url"]).json()["stages"]
        assert stages[0]["window_id"] is None and len(stages) > 2
        match = stages[0]["replays"][0]
        replay = Replay.from_bytes(site.get(match["url"]).content)
        assert (replay.header.game, str(replay.header.seed)) == (each["game"], match["seed"])


@pytest.mark.parametrize(
    "path",
    ["chess/learning", "tag/policies/goalkeeper.onnx", "tag/replays/000099-0/file", "tag/replays/..%2f/file"],
)
def test_what_does_not_ship_is_not_found(site, path):
    answer = site.get(f"/api/pretrained/{path}")
    assert answer.status_code == 404 and answer.json()["error"] == "not_found"
