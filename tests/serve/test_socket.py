"""Frames by WebSocket: chunks that add up to the replay, errors in the one shape, clients that misbehave."""

import contextlib
import gc
import json
import shutil
import socket
import struct
import time

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from .conftest import newest_replay
from .making import serving


def talk(site, path, **more):
    """Every message until the socket closes, and how it closed."""
    output = []
    with connect(site.socket_address + path, max_size=None, open_timeout=20, **more) as opened:
        try:
            while True:
                output.append(json.loads(opened.recv(timeout=60)))
        except ConnectionClosed as closed:
            return output, closed.rcvd.code if closed.rcvd else None


def address(replay, query=""):
    return f"/ws/runs/{replay[0]}/replays/{replay[1]}/frames?{query}"


def http_frames(site, replay):
    return site.get(f"/api/runs/{replay[0]}/replays/{replay[1]}/frames?limit=5000").json()["frames"]


def test_prelude_frames_and_complete_add_up_to_the_replay(site, replay):
    (prelude, *chunks, complete), code = talk(site, address(replay, "batch_size=50"))
    whole = http_frames(site, replay)
    assert code == 1000
    assert prelude["type"] == "frames" and prelude["prelude"] and prelude["frames"] == []
    assert [frame for chunk in chunks for frame in chunk["frames"]] == whole
    assert complete["type"] == "complete" and complete["count"] == len(whole) and not complete["has_more"]
    assert complete["chunks_sent"] == len(chunks) and complete["replay_path"].startswith("replays/")
    assert complete["batch_size"] == 50, "the settings come back"


def test_each_chunk_says_where_it_lies(site, replay):
    (_, *chunks, _), _ = talk(site, address(replay, "batch_size=20"))
    place = 0
    for number, chunk in enumerate(chunks):
        assert (chunk["offset"], chunk["chunk_index"], chunk["count"]) == (
            place,
            number,
            len(chunk["frames"]),
        )
        place = chunk["next_offset"]
        assert chunk["has_more"] == (number < len(chunks) - 1)
        sizes = [len(json.dumps(frame, separators=(",", ":"))) for frame in chunk["frames"]]
        assert chunk["chunk_bytes"] == pytest.approx(sum(sizes), rel=0.01)


def test_a_chunk_ends_with_the_frame_that_reaches_its_bytes(site, replay):
    (_, *chunks, _), _ = talk(site, address(replay, "max_chunk_bytes=20000&batch_size=5000"))
    for chunk in chunks[:-1]:
        last = len(json.dumps(chunk["frames"][-1], separators=(",", ":")))
        assert 20_000 <= chunk["chunk_bytes"] < 20_000 + last + 100


def test_offset_and_limit_cut_a_part_out(site, replay):
    (_, *chunks, complete), _ = talk(site, address(replay, "offset=10&limit=15"))
    assert [frame for chunk in chunks for frame in chunk["frames"]] == http_frames(site, replay)[10:25]
    assert complete["count"] == 15 and complete["has_more"]


def test_an_offset_beyond_the_end_is_complete_at_once(site, replay):
    (prelude, complete), code = talk(site, address(replay, "offset=99999"))
    assert (prelude["count"], complete["count"], complete["has_more"], code) == (0, 0, False, 1000)


def test_stride_sends_every_nth_frame(site, replay):
    (_, *chunks, complete), _ = talk(site, address(replay, "offset=3&stride=7&batch_size=4"))
    whole = http_frames(site, replay)
    assert [frame for chunk in chunks for frame in chunk["frames"]] == whole[3::7]
    assert complete["next_offset"] == len(whole)


def test_fps_paces_the_frames(site, replay):
    began = time.monotonic()
    (_, *chunks, complete), _ = talk(site, address(replay, "limit=30&fps=60"))
    assert complete["count"] == 30
    assert time.monotonic() - began >= 0.4, "thirty frames at sixty a second"
    assert len(chunks) >= 2


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    "query",
    [
        "offset=-1", "limit=0", "limit=50001", "batch_size=0", "batch_size=5001", "max_chunk_bytes=1023",
        "max_chunk_bytes=4194305", "yield_every_batches=1001", "limit=x", "fps=nan", "fps=241", "stride=0",
    ],
)  # fmt: skip
def test_a_parameter_out_of_range_is_an_error_of_400_and_closes_with_1008(query, site, run_ids):
    replay = run_ids["tag"], newest_replay(site, run_ids["tag"])
    (error,), code = talk(site, address(replay, query))
    assert (error["type"], error["status_code"], code) == ("error", 400, 1008)
    assert query.partition("=")[0] in error["detail"]


def test_an_unknown_run_or_replay_is_an_error_of_404_and_closes_with_1008(site, run_ids):
    for replay in ((run_ids["tag"], "replay-000009-00000000"), ("no-such-run", "x"), ("..", "x")):
        (error,), code = talk(site, address(replay))
        assert (error["type"], error["status_code"], code) == ("error", 404, 1008)
        assert error["detail"].startswith(("There is no run", "Run "))


def test_a_damaged_replay_is_an_error_of_422(breakable, copied, run_ids):
    replay_id = newest_replay(breakable, run_ids["tag"])
    path = copied / run_ids["tag"] / "replays" / f"{replay_id}.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-9])
    (error,), code = talk(breakable, address((run_ids["tag"], replay_id)))
    assert (error["status_code"], error["error"], code) == (422, "damaged", 1008)


def test_a_run_deleted_while_it_is_watched_is_an_error_of_404(breakable, copied, run_ids):
    replay = run_ids["tag"], newest_replay(breakable, run_ids["tag"])
    assert talk(breakable, address(replay))[1] == 1000
    shutil.rmtree(copied / run_ids["tag"])
    (error,), code = talk(breakable, address(replay))
    assert (error["status_code"], code) == (404, 1008) and "any more" in error["detail"]


def test_another_address_is_no_socket(site):
    with pytest.raises(InvalidStatus) as refused, connect(site.socket_address + "/ws/nothing"):
        pass
    assert refused.value.response.status_code in (403, 404)


# ---------------------------------------------------------------- clients that misbehave


def test_a_client_that_never_reads_is_dropped(long_replay):
    root, *replay = long_replay
    with serving(runs=root, client_seconds=1) as site:
        with _deaf(site, address(replay, "limit=50000")) as deaf:
            _until(lambda: site.context.sockets == 1)
            _until(lambda: site.context.sockets == 0, seconds=30)
            received = _all(deaf)
        assert b'"type": "complete"' not in received
        assert site.get("/health").status_code == 200


def _all(deaf):
    """What the system had buffered, up to the end or the reset of the connection."""
    deaf.settimeout(10)
    received = bytearray()
    with contextlib.suppress(ConnectionError):
        while part := deaf.recv(1 << 16):
            received += part
    return bytes(received)


@contextlib.contextmanager
def _deaf(site, path):
    """A handshake by hand, then silence: the window of this socket fills up and stays full."""
    host, port = site.address.removeprefix("http://").split(":")
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.connect((host, int(port)))
        lines = (
            f"GET {path} HTTP/1.1", f"Host: {host}:{port}", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13", "", "",
        )  # fmt: skip
        made.sendall("\r\n".join(lines).encode())
        yield made


def _until(true, seconds=10.0):
    stop = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < stop, "it did not happen in time"
        time.sleep(0.02)


def test_a_page_that_is_never_read_is_dropped_too(long_replay):
    root, run_id, replay_id = long_replay
    with serving(runs=root, client_seconds=1) as site:
        host, port = site.address.removeprefix("http://").split(":")
        with socket.socket() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect((host, int(port)))
            path = f"/api/runs/{run_id}/replays/{replay_id}/frames?limit=5000"
            deaf.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            time.sleep(6)
            received = _all(deaf)
        assert b"200 OK" in received and not received.endswith(b"0\r\n\r\n"), "it was cut off, not finished"


def test_a_client_that_reads_slowly_but_reads_is_kept(trained, run_ids):
    with serving(runs=trained, client_seconds=0.5) as site:
        replay = run_ids["tag"], newest_replay(site, run_ids["tag"])
        (_, *_, complete), code = talk(site, address(replay, "limit=30&fps=15"))
        assert (complete["count"], code) == (30, 1000), "two seconds at half a second's patience"


def test_a_client_that_leaves_early_leaves_nothing_behind(site, replay):
    with connect(site.socket_address + address(replay, "batch_size=1&fps=5")) as opened:
        opened.recv(timeout=20)
        assert site.context.sockets >= 1
    _until(lambda: site.context.sockets == 0)


def test_a_client_that_breaks_off_is_no_error_of_ours(site, replay, caplog):
    for _ in range(12):
        with _deaf(site, address(replay, "limit=50000&batch_size=1")) as broken:
            broken.recv(256)
            broken.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )  # a reset, no goodbye
    _until(lambda: site.context.sockets == 0)
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


def test_what_a_client_says_is_ignored_but_not_endlessly_large(trained, run_ids):
    with serving(runs=trained, max_message_bytes=2048) as site:
        replay = run_ids["tag"], newest_replay(site, run_ids["tag"])
        with connect(site.socket_address + address(replay, "limit=20&fps=10")) as opened:
            opened.send("hello")
            assert json.loads(opened.recv(timeout=20))["prelude"]
            opened.send("x" * 4096)
            with pytest.raises(ConnectionClosed) as closed:
                while True:
                    opened.recv(timeout=20)
        assert closed.value.rcvd.code == 1009


def test_more_sockets_than_the_server_holds_are_reported_to_come_back(trained, run_ids):
    with serving(runs=trained, max_sockets=1) as site:
        replay = run_ids["tag"], newest_replay(site, run_ids["tag"])
        with connect(site.socket_address + address(replay, "fps=5")) as first:
            first.recv(timeout=20)
            (error,), code = talk(site, address(replay))
        assert (error["status_code"], error["error"], code) == (503, "too_many_sockets", 1013)


@pytest.mark.parametrize(
    ("origin", "welcome"),
    [("http://localhost:5173", True), ("http://127.0.0.1:9999", True), ("https://evil.example", False)],
)
def test_only_pages_on_the_list_may_open_a_socket(origin, welcome, site, replay):
    if welcome:
        assert talk(site, address(replay, "limit=1"), origin=origin)[1] == 1000
    else:
        with pytest.raises(InvalidStatus):
            talk(site, address(replay), origin=origin)
