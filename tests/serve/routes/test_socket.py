"""serve/routes/socket.py: groups of frames, their pace, and the places that sockets take."""

import asyncio
import json
from types import SimpleNamespace

import pytest

from sandlot.serve.errors import ApiError
from sandlot.serve.routes import socket as module
from sandlot.serve.routes.socket import StreamOptions


def grouped(sizes, **options):
    """Lengths of the groups that frames of these sizes come in, two frames made at a time."""

    async def chunks():
        for start in range(0, len(sizes), 2):
            yield [b"x" * size for size in sizes[start : start + 2]]

    async def collect():
        return [len(group) async for group in module._grouped(chunks(), StreamOptions(**options))]

    return asyncio.run(collect())


def test_a_group_ends_at_its_number_of_frames():
    assert grouped([1] * 7, batch_size=3) == [3, 3, 1] and grouped([], batch_size=3) == []


def test_a_group_ends_with_the_frame_that_brings_it_to_its_bytes():
    assert grouped([512, 512, 511, 512, 1], max_chunk_bytes=1024) == [2, 3]


@pytest.mark.parametrize(("fps", "most"), [(0, 8), (8, 2), (12, 3), (1, 1), (240, 8)])
def test_paced_frames_come_four_times_a_second_at_least(fps, most):
    assert grouped([1] * 16, batch_size=8, fps=fps)[0] == most


class Socket:
    def __init__(self, **query):
        self.query_params, self.sent, self.codes = query, [], []

    async def send_text(self, text):
        self.sent.append(json.loads(text))

    async def close(self, code):
        self.codes.append(code)


@pytest.fixture
def streamed(monkeypatch):
    """`streamed(frames, took, **query)`: what is sent for a replay of so many frames, and the pauses made."""

    def stream(steps, took=0.0, **query):
        now, pauses, sent = [100.0], [], Socket(**query)
        reader = SimpleNamespace(replay=SimpleNamespace(end=SimpleNamespace(steps=steps)))

        def frames(identity, reader, place, most, info):
            now[0] += took
            return [b"%d" % frame for frame in range(place, min(place + most, steps))]

        async def submit(task, *words):
            return task(*words)

        async def pause(seconds):
            pauses.append(seconds)
            now[0] += seconds

        workers = SimpleNamespace(submit=submit)
        context = SimpleNamespace(frame_workers=workers, frames=SimpleNamespace(frames=frames))
        monkeypatch.setattr(module, "_opened", lambda *_: (SimpleNamespace(replay_path="p"), None, reader))
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
        monkeypatch.setattr(module, "asyncio", SimpleNamespace(sleep=pause))
        asyncio.run(module._stream(sent, context, "run", "replay"))
        return sent.sent, pauses

    return stream


def test_frames_are_paced_by_the_clock_and_not_by_what_making_them_took(streamed):
    sent, pauses = streamed(8, took=0.1, fps=8, batch_size=2)
    assert [message["count"] for message in sent[1:-1]] == [2, 2, 2, 2]
    assert pauses == pytest.approx([0.25 - 0.0, 0.25, 0.25, 0.25], abs=0.11) and sum(pauses) <= 1.0
    assert streamed(8, took=9.0, fps=8, batch_size=2)[1][0] >= 0.0, "late frames are not waited for"


def test_late_frames_are_sent_at_once(streamed):
    _, pauses = streamed(600, took=60.0, fps=240)
    assert pauses[-1] == 0.0


def test_others_come_first_after_so_many_chunks(streamed):
    assert streamed(10, batch_size=1, yield_every_batches=4)[1] == [0, 0]
    assert streamed(10, batch_size=1, yield_every_batches=0)[1] == []


def test_every_chunk_says_where_it_lies_and_the_last_message_sums_up(streamed):
    sent, _ = streamed(10, offset=2, limit=5, stride=2, batch_size=2)
    assert (sent[0]["prelude"], sent[0]["frames"], sent[0]["chunk_index"]) == (True, [], -1)
    assert [(m["offset"], m["next_offset"], m["frames"]) for m in sent[1:-1]] == [(2, 6, [2, 4]), (6, 7, [6])]
    assert [(m["chunk_index"], m["chunk_bytes"], m["has_more"]) for m in sent[1:-1]] == [
        (0, 2, True),
        (1, 1, True),
    ]
    done = sent[-1]
    assert (done["type"], done["count"], done["next_offset"], done["has_more"]) == ("complete", 3, 7, True)
    assert (done["chunks_sent"], done["total"], done["stride"], done["replay_path"]) == (2, 10, 2, "p")
    assert streamed(10, offset=2)[0][-1]["has_more"] is False


@pytest.mark.parametrize(
    ("status", "code"), [(503, 1013), (404, 1008), (422, 1008), (500, 1011), (502, 1011)]
)
def test_a_refusal_closes_with_the_code_that_fits(status, code):
    socket = Socket()
    asyncio.run(module._refuse(socket, ApiError(status, "word", "A sentence.")))
    assert socket.codes == [code]
    assert socket.sent == [
        {"type": "error", "status_code": status, "error": "word", "detail": "A sentence.", "field_errors": []}
    ]


def test_places_are_taken_up_to_the_last_and_given_back_after_a_failure():
    context = SimpleNamespace(sockets=1, settings=SimpleNamespace(max_sockets=2))
    with pytest.raises(ZeroDivisionError), module._count_socket(context):
        assert context.sockets == 2
        with pytest.raises(ApiError, match="There are 2 open replay sockets"), module._count_socket(context):
            pass
        raise ZeroDivisionError
    assert context.sockets == 1


def test_an_invalid_option_is_a_400_on_the_socket():
    with pytest.raises(ApiError, match=r"query\.fps is not valid") as refused:
        module._parse_options(Socket(fps="fast"))
    assert refused.value.status == 400 and refused.value.field_errors[0].location == "query.fps"
    assert module._parse_options(Socket(fps="2", unknown="1")).fps == 2
