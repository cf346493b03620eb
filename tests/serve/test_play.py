"""Play by hand: the shapes of the brief, the same game as the engine's, opponents, endings, limits."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest
import torch

import sandlot
from sandlot.policies.policy import pack, unpack
from sandlot.runs import Store
from sandlot.serve import scores

from .making import serving

PLAY, GAMES = "/api/play/session", "/api/games"


def begin(site, **body):
    answer = site.post(PLAY, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def step(site, session, action):
    return site.post(f"{PLAY}/{session['session_id']}/step", json={"action": action})


# ---------------------------------------------------------------- the prospector, as its brief wants it


def test_an_empty_request_begins_a_prospector_game(site):
    for more in ({}, {"json": {}}, {"content": b"", "headers": {"Content-Type": "application/json"}}):
        body = site.post(PLAY, **more).json()
        assert (body["game"], body["env_time_max"], body["steps"], body["reward"]) == (
            "prospector",
            20000,
            0,
            0,
        )
        assert len(body["obs"]) == 260 and len(body["mask"]) == 69
        assert not body["terminated"] and not body["truncated"] and isinstance(body["seed"], int)
        assert body["info"]["node_context"] == "station" and body["info"]["invalid_action"] is False
        assert body["created_at"] == body["updated_at"]


def test_a_session_is_the_engines_own_game(site):
    session = begin(site, seed=11, env_time_max=500)
    world = sandlot.make("prospector", config={"time_max": 500}, autoreset=False)
    world.reset(11)
    rng = np.random.default_rng(3)
    for _ in range(60):
        assert session["obs"] == pytest.approx(world.observations[0].tolist(), rel=1e-6, abs=1e-6)
        assert session["mask"] == world.masks[0].astype(bool).tolist()
        action = int(rng.choice(np.flatnonzero(world.masks[0])))
        session = step(site, session, action).json()
        world.step(np.array([action], np.int32))
        assert session["action"] == action
        assert session["reward"] == pytest.approx(float(world.rewards[0]), rel=1e-6)
        assert session["terminated"] == bool(world.terminated[0])
        assert session["info"]["credits"] == pytest.approx(world.info(0)["credits"])
        assert [e["name"] for e in session["events"]] == [e["name"] for e in world.events(0)]
        if session["terminated"] or session["truncated"]:
            break


def test_a_step_after_the_end_is_a_409_with_a_sentence_until_a_reset(site):
    session = begin(site, seed=1, env_time_max=3)
    while not (session["terminated"] or session["truncated"]):
        session = step(site, session, 6).json()
    refused = step(site, session, 6)
    assert (refused.status_code, refused.json()["error"]) == (409, "ended")
    assert "Reset it" in refused.json()["detail"]
    again = site.post(f"{PLAY}/{session['session_id']}/reset").json()
    assert again["steps"] == 0 and again["seed"] == 2, "the next seed"
    assert step(site, again, 6).status_code == 200


def test_a_reset_takes_a_seed_and_repeats_the_game(site):
    session = begin(site, seed=5)
    base = f"{PLAY}/{session['session_id']}"
    first = step(site, session, 11).json()
    again = site.post(f"{base}/reset", json={"seed": 5}).json()
    assert again["obs"] == session["obs"] and again["total_reward"] == 0
    assert step(site, session, 11).json()["obs"] == first["obs"]


def test_a_seed_of_64_bits_may_come_as_text(site):
    assert begin(site, seed=str(2**64 - 1))["seed"] == 2**64 - 1


def test_a_whole_number_is_whole_however_it_is_written(site):
    assert step(site, begin(site, seed=3), 6.0).json()["action"] == 6


def test_the_seed_after_the_last_one_is_the_first(site):
    session = begin(site, seed=2**64 - 1, env_time_max=5)
    assert site.post(f"{PLAY}/{session['session_id']}/reset").json()["seed"] == 0


def test_looking_changes_nothing(site):
    session = step(site, begin(site, seed=8), 6).json()
    body = site.get(f"{PLAY}/{session['session_id']}").json()
    assert {k: v for k, v in session.items() if k != "action"} == body


def test_a_deleted_session_is_gone(site):
    session = begin(site)
    gone = site.client.delete(f"{PLAY}/{session['session_id']}")
    assert gone.json() == {"session_id": session["session_id"], "deleted": True}
    for answer in (
        site.get(f"{PLAY}/{session['session_id']}"),
        step(site, session, 6),
        site.post(f"{PLAY}/{session['session_id']}/reset"),
        site.client.delete(f"{PLAY}/{session['session_id']}"),
    ):
        assert answer.status_code == 404 and "no play session" in answer.json()["detail"]


@pytest.mark.parametrize("action", [-1, 69, 10**30, 1.5, "6", None, True, [6], [0.0, 0.0, 0.0], {}])
def test_an_action_that_is_none_is_a_422_and_changes_nothing(action, site):
    session = begin(site, seed=3)
    refused = step(site, session, action)
    assert refused.status_code == 422
    assert {
        place["location"].split(".")[:2] == ["body", "action"] for place in refused.json()["field_errors"]
    } <= {True}
    assert "function" not in refused.text and "constrained" not in refused.text
    assert site.get(f"{PLAY}/{session['session_id']}").json()["steps"] == 0


@pytest.mark.parametrize(
    "body",
    [
        {"seed": -1}, {"seed": 2**64}, {"seed": "x"}, {"env_time_max": 0}, {"env_time_max": -5},
        {"config": {"time_max": -3}}, {"config": {"time_max": [1]}}, {"env_time_max": 10**12},
        [], 5, "text", {"unknown": 1},
    ],
)  # fmt: skip
def test_an_option_that_cannot_be_is_a_422_with_a_sentence_and_takes_no_count_socket(body, site):
    refuses(site, body, 422)


@pytest.mark.parametrize(
    "body",
    [
        {"game": "chess"}, {"config": {"no_such_knob": 1}}, {"config": {"profile": "no such"}},
        {"role": "seeker"}, {"opponents": {"nobody": {"bot": "chase"}}}, {"config": {"x" * 5000: 1}},
    ],
)  # fmt: skip
def test_a_name_that_nothing_has_is_a_404_with_a_sentence_and_takes_no_count_socket(body, site):
    refuses(site, body, 404)


def refuses(site, body, status):
    before = len(site.context.sessions)
    answer = site.post(PLAY, json=body)
    assert answer.status_code == status and answer.json()["detail"].endswith(".")
    assert len(site.context.sessions) == before


@pytest.mark.parametrize(
    "text", ['{"seed": NaN}', '{"config": {"time_max": Infinity}}', "{", "\x00", "[" * 50_000]
)
def test_a_body_that_is_no_json_is_refused_in_the_one_shape(text, site):
    answer = site.post(PLAY, content=text.encode(), headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert set(answer.json()) == {"status_code", "error", "detail", "field_errors"}


def test_the_profile_and_settings_are_those_asked_for(site):
    body = begin(site, config={"profile": "classic", "time_max": 77})
    assert (body["profile"], body["env_time_max"], body["info"]["time_remaining"]) == ("classic", 77, 77)


# ---------------------------------------------------------------- games of several


def test_tag_is_played_by_numbers_against_the_usual_bot(site):
    session = begin(site, game="tag", role="hider", seed=4)
    assert (session["role"], session["agent"], session["mask"]) == ("hider", 1, None)
    assert session["opponents"] == {"0": "chase:3"}
    for _ in range(300):
        session = step(site, session, [0.0, 0.0, 0.0]).json()
        if session["terminated"] or session["truncated"]:
            break
    assert session["render_state"]["winner"] == "seeker", "who stands still is caught"
    assert step(site, session, [0, 0, 0]).status_code == 409


def test_what_the_opponent_sees_is_not_told(site):
    session = begin(site, game="tag", role="hider")
    assert len(session["obs"]) == sandlot.load_spec("tag").observation_size
    assert "observation" not in session["render_state"]


def test_the_same_seed_and_actions_meet_the_same_opponent(site):
    def played():
        session = begin(
            site, game="tag", role="seeker", seed=9, opponents={"hider": {"bot": "evade", "level": 1}}
        )
        assert session["opponents"] == {"1": "evade:1"}
        for _ in range(20):
            session = step(site, session, [0.3, -1.0, 0.0]).json()
        return session["render_state"]

    assert played() == played()


@pytest.mark.parametrize("window", ["best", "newest", 0])
def test_a_checkpoint_plays_the_opponent(window, site, run_ids):
    opponent = {"hider": {"run_id": run_ids["tag"], "window": window}}
    session = begin(site, game="tag", role="seeker", opponents=opponent)
    assert session["opponents"]["1"].startswith(run_ids["tag"] + "@")
    assert step(site, session, [0.0, -1.0, 0.0]).status_code == 200


def test_larger_teams_have_somebody_on_every_slot(site):
    session = begin(site, game="tag", role="hider", config={"seekers": 2, "hiders": 2})
    assert set(session["opponents"]) == {"0", "1", "3"} and session["agent"] == 2
    assert step(site, session, [1.0, 0.0, 1.0]).status_code == 200


@pytest.mark.parametrize(
    ("opponents", "status"),
    [
        ({"hider": {"bot": "chase"}}, 422),
        ({"hider": {"bot": "nobody"}}, 404),
        ({"hider": {"bot": "evade", "level": 9}}, 422),
        ({"hider": {"run_id": "no-such-run"}}, 404),
        ({"hider": {"run_id": "../../etc"}}, 404),
        ({"hider": {"window": -3}}, 422),
    ],
)
def test_an_opponent_that_does_not_exist_is_refused(opponents, status, site):
    answer = site.post(PLAY, json={"game": "tag", "role": "seeker", "opponents": opponents})
    assert answer.status_code == status, answer.text


def test_an_opponent_of_another_game_or_window_is_refused(site, run_ids):
    for opponent, status, word in (
        ({"run_id": run_ids["prospector"]}, 422, "prospector"),
        ({"run_id": run_ids["tag"], "window": 99}, 404, "99"),
    ):
        answer = site.post(PLAY, json={"game": "tag", "role": "seeker", "opponents": {"hider": opponent}})
        assert answer.status_code == status and word in answer.json()["detail"]


@pytest.mark.parametrize("action", [6, [0, 0], [0, 0, 0, 0], [2, 0, 0], [0, 0, "x"], [], [None, 0, 0]])
def test_numbers_that_are_no_action_of_tag_are_refused(action, site):
    session = begin(site, game="tag")
    assert step(site, session, action).status_code == 422


# ---------------------------------------------------------------- limits


def test_sessions_beyond_the_limit_are_reported_when_to_come_back(trained):
    with serving(runs=trained, max_sessions=3) as site:
        made = [begin(site) for _ in range(3)]
        refused = site.post(PLAY)
        assert (refused.status_code, refused.json()["error"]) == (429, "too_many_sessions")
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        site.client.delete(f"{PLAY}/{made[0]['session_id']}")
        assert site.post(PLAY).status_code == 200
        assert step(site, made[1], 6).status_code == 200, "the others play on"


def test_an_unused_session_is_forgotten_and_makes_room(trained):
    with serving(runs=trained, max_sessions=2, session_seconds=0.5) as site:
        session = begin(site)
        begin(site)
        time.sleep(0.7)
        assert step(site, session, 6).status_code == 404
        assert site.post(PLAY).status_code == 200


def test_a_used_session_lives_on(trained):
    with serving(runs=trained, session_seconds=1.0) as site:
        session = begin(site)
        for _ in range(8):
            time.sleep(0.2)
            assert step(site, session, 6).status_code == 200


@pytest.mark.slow
def test_a_thousand_sessions_are_possible_and_each_is_its_own(trained):
    with serving(runs=trained, max_sessions=1000) as site:
        made = [begin(site, seed=number, env_time_max=50) for number in range(1000)]
        assert len({session["session_id"] for session in made}) == 1000
        assert site.post(PLAY).status_code == 429
        for number in (0, 499, 999):
            assert step(site, made[number], 6).json()["seed"] == number
        assert site.get("/health").json()["sessions"] == 1000


def test_steps_of_one_session_at_the_same_moment_are_all_played(site):
    session = begin(site, seed=2)
    statuses = []

    def play():
        with httpx.Client(base_url=site.address, timeout=60) as client:
            for _ in range(10):
                path = f"{PLAY}/{session['session_id']}/step"
                statuses.append(client.post(path, json={"action": 6}).status_code)

    threads = [threading.Thread(target=play) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 50
    assert site.get(f"{PLAY}/{session['session_id']}").json()["steps"] == 50


# ---------------------------------------------------------------- games and scores


def test_games_tell_what_the_engine_tells(site):
    assert [game["name"] for game in site.get("/api/games").json()["games"]] == sandlot.games()
    for name in sandlot.games():
        body = site.get(f"/api/games/{name}").json()
        spec = sandlot.load_spec(name)
        assert body["spec"] == json.loads(json.dumps(spec.json)) and body["spec_hash"] == spec.hash
        bots = site.get(f"/api/games/{name}/bots").json()["bots"]
        assert [bot["name"] for bot in bots] == list(spec.bots)


def test_a_spec_has_the_settings_asked_for(site):
    body = site.get("/api/games/tag?set=mode=switch&set=time_limit=20").json()
    assert (body["config"]["mode"], body["config"]["time_limit"]) == ("switch", 20)


@pytest.mark.parametrize(
    ("query", "status"),
    [("mode", 422), ("time_limit=-4", 422), ("mode=dance", 404), ("no_such=1", 404), ("x=%00", 404)],
)
def test_a_wrong_setting_is_a_422_and_an_unknown_one_a_404(query, status, site):
    assert site.get(f"/api/games/tag?set={query}").status_code == status
    assert site.get("/api/games/chess").status_code == 404


def test_scores_are_every_bots_and_the_newest_policys_on_the_seed(site, run_ids):
    base = "/api/games/prospector/scores?seed=7"
    rules = site.get(f"/api/runs/{run_ids['prospector']}").json()["config"]["settings"]
    body = site.get(base + "".join(f"&set={k}={v}" for k, v in rules.items())).json()
    spec = sandlot.load_spec("prospector")
    assert {s["name"].partition(":")[0] for s in body["scores"] if s["scripted"]} == set(spec.bots)
    (trained,) = [score for score in body["scores"] if not score["scripted"]]
    assert trained["run_id"] == run_ids["prospector"] and trained["finished"]
    assert all("net_profit" in score["episode"] for score in body["scores"])


def test_a_score_is_the_bots_own_episode(site):
    from sandlot.evaluate.play import play

    config = {"time_max": 200}
    body = site.get("/api/games/prospector/scores?seed=3&set=time_max=200&policy=false").json()["scores"]
    (score,) = [s for s in body if s["name"] == "tour"]
    played = play("prospector", sandlot.bot("prospector", "tour", config=config, seed=3), [3], config)
    assert score["episode"]["net_profit"] == pytest.approx(float(played.column("net_profit")[0]))


def test_a_policy_is_scored_under_another_time_budget_too(site):
    body = site.get("/api/games/prospector/scores?seed=7&set=time_max=90").json()["scores"]
    (trained,) = [score for score in body if not score["scripted"]]
    assert trained["finished"] and trained["episode"]["ticks"] <= 90


def test_only_those_are_played_who_are_asked_for(site):
    base, kept = "/api/games/prospector/scores?seed=8&set=time_max=91", site.context.scores
    before = len(kept)
    body = site.get(f"{base}&bots=false").json()["scores"]
    assert [score["scripted"] for score in body] == [False]
    assert len(kept) == before + 1, "no scripted player's episode was worked out"
    assert site.get(f"{base}&bots=false&policy=false").json()["scores"] == []


def test_scores_of_tag_are_by_role(site):
    body = site.get("/api/games/tag/scores?seed=7&policy=false").json()["scores"]
    assert {(s["role"], s["name"], s["against"]) for s in body} >= {
        ("seeker", "chase:3", "evade"),
        ("hider", "evade:3", "chase"),
    }


def test_scores_that_many_ask_for_at_once_are_worked_out_once(trained, monkeypatch):
    played = []
    monkeypatch.setattr(scores, "_bot_score", _counted(scores._bot_score, played))
    with serving(runs=trained) as site, ThreadPoolExecutor(24) as many:
        path = f"{GAMES}/tag/scores?seed=77"
        answers = list(many.map(lambda _: site.get(path), range(24)))
        assert [answer.status_code for answer in answers] == [200] * 24
        assert len({answer.text for answer in answers}) == 1
        bots = sum(score["scripted"] for score in answers[0].json()["scores"])
        assert len(played) == bots
        site.get(path)
        assert len(played) == bots


def test_twenty_four_different_seeds_at_once_are_all_answered(site):
    with ThreadPoolExecutor(24) as many:
        asked = many.map(lambda seed: site.get(f"{GAMES}/tag/scores?seed={seed}&policy=false"), range(24))
        assert [answer.status_code for answer in asked] == [200] * 24


def test_a_checkpoint_with_other_weights_is_scored_anew(breakable, copied, run_ids):
    path = f"{GAMES}/prospector/scores?seed=5&bots=false&set=time_max=300"
    (first,) = breakable.get(path).json()["scores"]
    run = Store(copied).open(run_ids["prospector"])
    state = unpack(run.paths.best.read_bytes(), "best.pt")
    state["policies"]["pilot"]["network"]["last.bias"] += torch.linspace(-9, 9, 70)
    run.paths.best.write_bytes(pack(state))
    (second,) = breakable.get(path).json()["scores"]
    assert first["window_id"] == second["window_id"] and first["return_total"] != second["return_total"]


def _counted(function, calls):
    def counting(*args):
        calls.append(args)
        return function(*args)

    return counting


@pytest.mark.parametrize("query", ["", "seed=-1", "seed=x", f"seed={2**64}"])
def test_scores_need_a_seed(query, site):
    assert site.get(f"/api/games/tag/scores?{query}").status_code == 422
