"""serve/routes/learning.py: the stages of a run; their matches are replays like any other."""

from sandlot.runs import Replay

from ..contract import assert_as_agreed


def test_the_routes_are_as_agreed():
    assert_as_agreed("replays")


def test_stages_have_results_and_matches_of_the_same_seeds(site, run_ids):
    answer = site.get(f"/api/runs/{run_ids['tag']}/learning").json()
    assert (answer["run_id"], answer["game"], answer["count"]) == (
        run_ids["tag"],
        "tag",
        len(answer["stages"]),
    )
    assert answer["stages"], "evaluated windows are stages"
    assert len({tuple(one["seed"] for one in stage["replays"]) for stage in answer["stages"]}) == 1
    assert all(stage["results"] for stage in answer["stages"])


def test_a_match_of_a_stage_is_fetched_and_framed_like_any_replay(site, run_ids):
    match = site.get(f"/api/runs/{run_ids['tag']}/learning").json()["stages"][-1]["replays"][0]
    replay = Replay.from_bytes(site.get(match["url"]).content)
    assert str(replay.header.seed) == match["seed"]
    page = site.get(match["url"].replace("/file", "/frames"), params={"limit": 3}).json()
    assert page["total"] == match["steps"] and page["count"] == 3


def test_a_match_that_is_not_there_is_not_found(site, run_ids):
    base = f"/api/runs/{run_ids['tag']}/replays"
    for name in ("000099-0", "..", "stages"):
        assert site.get(f"{base}/{name}/file").status_code == 404
