"""Replays: the catalogue and its filters, the file, and frames that are the recorded episode and no other."""

import asyncio
import json
import shutil
import threading
from dataclasses import replace

import httpx
import pytest

from sandlot.evaluate.replay_reader import frames
from sandlot.evaluate.replay_recorder import verify
from sandlot.runs import Frame, Replay, Store
from sandlot.runs.records import parse
from sandlot.serve.frames import CHUNK_FRAMES, FrameCache

from .conftest import newest_replay
from .making import serving


def read(trained, replay):
    run = Store(trained).open(replay[0])
    return Replay.read(run.paths.replay(replay[1]))


# ---------------------------------------------------------------- the catalogue


def test_replays_come_newest_first_and_every_filter_counts(site, run_ids):
    base = f"/api/runs/{run_ids['tag']}/replays"
    body = site.get(base).json()
    assert [entry["window_id"] for entry in body["replays"]] == [1, 0]
    assert body["index_path"] == "replay_index.sqlite" and body["count"] == body["total"] == 2
    assert [e["window_id"] for e in site.get(f"{base}?window_id=0").json()["replays"]] == [0]
    assert site.get(f"{base}?tag=every_window").json()["count"] == 2
    assert site.get(f"{base}?tag=every_*").json()["count"] == 2
    assert site.get(f"{base}?tags_any=nothing,every_window").json()["count"] == 2
    assert site.get(f"{base}?tags_all=nothing,every_window").json()["count"] == 0
    assert site.get(f"{base}?limit=1").json()["count"] == 1


def test_an_unknown_tag_or_window_fits_no_replay(site, run_ids):
    base = f"/api/runs/{run_ids['tag']}/replays"
    for query in ("tag=nothing", "tags_any=nothing", "window_id=99", "tag=%00", "tag=*x*"):
        answer = site.get(f"{base}?{query}")
        assert (answer.status_code, answer.json()["count"]) == (200, 0)


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=5001", "window_id=-1", "window_id=x", "tags_any=" + "a," * 900]
)
def test_a_replay_query_out_of_range_is_a_422(query, site, run_ids):
    assert site.get(f"/api/runs/{run_ids['tag']}/replays?{query}").status_code == 422


def test_tags_are_listed_with_their_counts(site, run_ids):
    body = site.get(f"/api/runs/{run_ids['tag']}/tags").json()["tags"]
    assert {"tag": "every_window", "count": 2} in body


def test_an_unknown_replay_is_a_404_with_a_sentence(site, run_ids):
    for tail in ("", "/file", "/frames"):
        answer = site.get(f"/api/runs/{run_ids['tag']}/replays/replay-000009-00000000{tail}")
        assert answer.status_code == 404 and "has no replay" in answer.json()["detail"]


def test_one_replay_tells_what_its_file_says(site, trained, replay):
    body = site.get(f"/api/runs/{replay[0]}/replays/{replay[1]}").json()
    recorded = read(trained, replay)
    assert body["header"] == recorded.header.to_json() and body["end"] == recorded.end.to_json()
    assert [(e["step"], e["name"]) for e in body["events"]] == recorded.events
    assert body["playable"] and body["why_not"] is None
    assert site.get(body["file_url"]).status_code == site.get(body["frames_url"]).status_code == 200


def test_the_file_is_the_file_and_proves_itself(site, trained, replay):
    answer = site.get(f"/api/runs/{replay[0]}/replays/{replay[1]}/file")
    run = Store(trained).open(replay[0])
    assert answer.content == run.paths.replay(replay[1]).read_bytes()
    assert "content-encoding" not in answer.headers, "a browser would unpack it on the way"
    assert verify(Replay.from_bytes(answer.content)).agrees


# ---------------------------------------------------------------- frames


def all_frames(site, replay, limit=50):
    offset, found = 0, []
    while True:
        page = site.get(
            f"/api/runs/{replay[0]}/replays/{replay[1]}/frames?offset={offset}&limit={limit}"
        ).json()
        assert page["offset"] == offset and page["count"] == len(page["frames"])
        found += page["frames"]
        offset = page["next_offset"]
        if not page["has_more"]:
            assert len(found) == page["total"]
            return found


def test_frames_are_the_recorded_episode(site, trained, replay):
    recorded = read(trained, replay)
    expected = [frame.to_json() for frame in frames(recorded, 0, 100_000).frames]
    found = all_frames(site, replay)
    assert found == json.loads(json.dumps(expected))
    assert [parse(Frame, frame, "frame").frame_index for frame in found] == list(range(recorded.end.steps))


@pytest.mark.parametrize("span", [(0, 1), (1, 63), (63, 2), (64, 64), (10, 200)])
def test_any_page_is_a_part_of_the_whole(span, site, replay):
    offset, limit = span
    whole = all_frames(site, replay)
    page = site.get(f"/api/runs/{replay[0]}/replays/{replay[1]}/frames?offset={offset}&limit={limit}").json()
    assert page["frames"] == whole[offset : offset + limit]


def test_the_first_page_shows_the_state_before_the_first_step(site, replay):
    base = f"/api/runs/{replay[0]}/replays/{replay[1]}/frames"
    first = site.get(f"{base}?limit=1").json()
    assert set(first["opening"]) == set(first["frames"][0]["render_state"])
    assert site.get(f"{base}?offset=1&limit=1").json()["opening"] is None


def test_the_page_after_the_end_is_empty(site, replay):
    page = site.get(f"/api/runs/{replay[0]}/replays/{replay[1]}/frames?offset=100000").json()
    assert page["frames"] == [] and not page["has_more"] and page["count"] == 0


def test_running_metrics_come_on_request(site, replay):
    base = f"/api/runs/{replay[0]}/replays/{replay[1]}/frames?limit=2"
    assert all("info" in frame for frame in site.get(f"{base}&info=true").json()["frames"])
    assert not any("info" in frame for frame in site.get(base).json()["frames"])


@pytest.mark.parametrize(
    "query", ["offset=-1", "limit=0", "limit=5001", "offset=x", "offset=1e400", "info=perhaps"]
)
def test_a_frame_query_out_of_range_is_a_422(query, site, replay):
    assert site.get(f"/api/runs/{replay[0]}/replays/{replay[1]}/frames?{query}").status_code == 422


def test_frames_are_packed_for_who_can_unpack_them(site, replay):
    path = f"/api/runs/{replay[0]}/replays/{replay[1]}/frames"
    packed = site.get(path, headers={"Accept-Encoding": "gzip"})
    plain = site.get(path, headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
    assert packed.json() == plain.json()


# ---------------------------------------------------------------- damaged, changed, gone


def replay_file(copied, run_id, site):
    return copied / run_id / "replays" / f"{newest_replay(site, run_id)}.jsonl.gz"


def answers(site, run_id, path):
    base = f"/api/runs/{run_id}/replays/{path.name.removesuffix('.jsonl.gz')}"
    return [site.get(base + "/frames"), site.get(base + "/file")], site.get(base).json()


@pytest.mark.parametrize("kind", ["cut off", "one byte changed", "not a replay", "empty"])
def test_a_damaged_replay_is_a_422_that_says_so(kind, breakable, copied, run_ids):
    path = replay_file(copied, run_ids["tag"], breakable)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    changed = {
        "cut off": path.read_bytes()[:-20],
        "one byte changed": bytes(data),
        "not a replay": b"hello" * 100,
        "empty": b"",
    }[kind]
    path.write_bytes(changed)
    refused, detail = answers(breakable, run_ids["tag"], path)
    for answer in refused:
        assert (answer.status_code, answer.json()["error"]) == (422, "damaged")
        assert str(copied) not in answer.text
    assert not detail["playable"] and detail["why_not"] and str(copied) not in detail["why_not"]


def test_a_replay_damaged_after_it_was_read_is_noticed(breakable, copied, run_ids):
    path = replay_file(copied, run_ids["tag"], breakable)
    assert answers(breakable, run_ids["tag"], path)[0][0].status_code == 200
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert answers(breakable, run_ids["tag"], path)[0][0].status_code == 422


def test_a_replay_whose_file_is_gone_is_a_404(breakable, copied, run_ids):
    path = replay_file(copied, run_ids["tag"], breakable)
    path.unlink()
    refused, detail = answers(breakable, run_ids["tag"], path)
    assert [answer.status_code for answer in refused] == [404, 404] and not detail["playable"]


def forged(replay, **header):
    """A whole, well-formed replay that says something else."""
    return replace(replay, header=replay.header.model_copy(update=header))


def test_a_replay_of_another_engine_version_is_a_409_but_can_be_downloaded(breakable, copied, run_ids):
    path = replay_file(copied, run_ids["tag"], breakable)
    forged(Replay.read(path), game_version="999").write(path)
    (framed, filed), detail = answers(breakable, run_ids["tag"], path)
    assert (framed.status_code, framed.json()["error"]) == (409, "other_engine")
    assert filed.status_code == 200 and "version 999" in detail["why_not"]


def test_a_forged_replay_with_a_good_digest_is_not_shown(breakable, copied, run_ids):
    path = replay_file(copied, run_ids["prospector"], breakable)
    replay = Replay.read(path)
    actions = replay.actions.copy()
    actions[:] = 6
    replace(replay, actions=actions).write(path)
    answer = answers(breakable, run_ids["prospector"], path)[0][0]
    assert (answer.status_code, answer.json()["error"]) == (409, "other_engine")


def test_a_replay_of_a_game_that_is_not_here_is_refused(breakable, copied, run_ids):
    path = replay_file(copied, run_ids["tag"], breakable)
    forged(Replay.read(path), game="chess").write(path)
    answer = answers(breakable, run_ids["tag"], path)[0][0]
    assert 400 <= answer.status_code < 500 and "chess" in answer.json()["detail"]


def test_an_entry_that_points_out_of_the_run_is_a_404(breakable, copied, run_ids):
    run = Store(copied).open(run_ids["tag"])
    entry = run.index.find(limit=1)[0]
    outside = copied / run_ids["prospector"] / "run.json"
    for path in ("../../secret", str(outside), f"../{run_ids['prospector']}/run.json"):
        run.index.add(entry.model_copy(update={"replay_path": path}))
        for tail in ("/file", "/frames"):
            assert (
                breakable.get(f"/api/runs/{run_ids['tag']}/replays/{entry.replay_id}{tail}").status_code
                == 404
            )


# ---------------------------------------------------------------- many readers, long replays, little memory


def test_many_readers_of_one_replay_get_the_same_frames(site, replay):
    whole = all_frames(site, replay)
    found, lock = [], threading.Lock()

    def look():
        with httpx.Client(base_url=site.address, timeout=60) as client:
            page = client.get(f"/api/runs/{replay[0]}/replays/{replay[1]}/frames?limit=5000").json()
        with lock:
            found.append(page["frames"] == whole)

    threads = [threading.Thread(target=look) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 20


def test_the_event_loop_goes_on_while_a_long_page_is_made(long_replay):
    """A blocked loop would answer what came before the page, then nothing until the page is made."""
    root, run_id, replay_id = long_replay

    async def both(address):
        answered = 0
        async with httpx.AsyncClient(base_url=address, timeout=120) as client:
            page = asyncio.create_task(
                client.get(f"/api/runs/{run_id}/replays/{replay_id}/frames?limit=2000")
            )
            while not page.done():
                assert (await client.get("/health")).status_code == 200
                answered += 1
            return await page, answered

    with serving(runs=root) as site:
        page, answered = asyncio.run(both(site.address))
    assert page.json()["count"] == 2000
    assert answered > 4, "one request held up another"


def test_the_cache_stays_within_its_bytes(long_replay):
    root, run_id, replay_id = long_replay
    limit = 1 << 20
    with serving(runs=root, frame_cache_bytes=limit) as site:
        base = f"/api/runs/{run_id}/replays/{replay_id}/frames"
        first = site.get(f"{base}?limit=20").json()["frames"]
        assert site.get(f"{base}?offset=300&limit=300").json()["count"] == 300
        assert site.context.frames.bytes <= limit + CHUNK_FRAMES * 20_000
        assert site.get(f"{base}?limit=20").json()["frames"] == first, "going back plays again from the start"


def test_a_chunk_is_made_once_however_many_ask(long_replay, monkeypatch):
    root, run_id, replay_id = long_replay
    run = Store(root).open(run_id)
    cache = FrameCache(1 << 26)
    identity, reader = cache.open(run, run.index.get(replay_id))
    made = []
    original = reader.chunk
    monkeypatch.setattr(reader, "chunk", lambda *args: made.append(args) or original(*args))
    threads = [threading.Thread(target=cache.chunk, args=(identity, reader, 3)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    cache.close()


def test_a_request_that_takes_too_long_is_a_503_with_when_to_try_again(long_replay):
    root, run_id, replay_id = long_replay
    with serving(runs=root, work_seconds=0.001) as site:
        answer = site.get(f"/api/runs/{run_id}/replays/{replay_id}/frames?offset=2000")
    assert (answer.status_code, answer.json()["error"]) == (503, "too_slow")
    assert answer.headers["retry-after"]


def test_a_run_deleted_in_the_middle_of_its_replay_says_so(long_replay, tmp_path):
    root, run_id, replay_id = long_replay
    copy = shutil.copytree(root, tmp_path / "runs")
    with serving(runs=copy) as site:
        base = f"/api/runs/{run_id}/replays/{replay_id}/frames"
        assert site.get(f"{base}?limit=10").status_code == 200
        shutil.rmtree(copy / run_id)
        answer = site.get(f"{base}?offset=10&limit=10")
    assert answer.status_code == 404 and "any more" in answer.json()["detail"]
