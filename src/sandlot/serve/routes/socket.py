"""Frames by WebSocket, in chunks: prelude, frames …, complete; or an error, then the socket closes.

A chunk ends at `batch_size` frames, or with the frame that brings it to `max_chunk_bytes`. A client that does
not read is disconnected after a while (server.py); it may close early at any time.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, Field, ValidationError

from ...runs import IndexEntry
from ..context import Context
from ..errors import ApiError, explain, validation_error
from ..frames import Chunk, FrameReader, Identity
from .replays import FRAMES_PER_WRITE, replay_entry

router = APIRouter()

PACED_CHUNKS = 4  # per second, so that paced frames arrive evenly
NORMAL, BAD_REQUEST, INTERNAL, BUSY = 1000, 1008, 1011, 1013


class StreamOptions(BaseModel, extra="ignore"):
    """The query parameters of the stream."""

    offset: int = Field(default=0, ge=0, le=2**53)
    limit: int = Field(default=5000, ge=1, le=50_000)
    batch_size: int = Field(default=256, ge=1, le=5000)
    max_chunk_bytes: int = Field(default=262_144, ge=1024, le=4_194_304)
    yield_every_batches: int = Field(default=8, ge=0, le=1000, description="yield after so many chunks")
    info: bool = False
    fps: float = Field(default=0, ge=0, le=240, description="frames per second; 0: as fast as it is read")
    stride: int = Field(default=1, ge=1, le=1000, description="every n-th frame only")


@router.websocket("/ws/runs/{run_id}/replays/{replay_id}/frames")
async def stream_frames(socket: WebSocket, run_id: str, replay_id: str) -> None:
    """Stream frames of a replay over a WebSocket."""
    context: Context = socket.app.state.context
    await socket.accept()
    try:
        with _count_socket(context):
            await _until_disconnect(socket, _stream(socket, context, run_id, replay_id))
            await socket.close(NORMAL)
    except (WebSocketDisconnect, asyncio.CancelledError):
        return
    except Exception as problem:  # noqa: BLE001  every failure is sent to the client as an error message
        await _refuse(socket, explain(context, problem, {"run_id": run_id}))


@contextlib.contextmanager
def _count_socket(context: Context) -> Any:
    """Counts an open socket; refuses it beyond the limit."""
    if context.sockets >= context.settings.max_sockets:
        text = f"There are {context.sockets} open replay sockets, the limit of this server. Try again later."
        raise ApiError(503, "too_many_sockets", text)
    context.sockets += 1
    try:
        yield
    finally:
        context.sockets -= 1


async def _until_disconnect(socket: WebSocket, sending: Any) -> None:
    """Send until the client disconnects. Messages of the client are ignored."""
    tasks = [asyncio.ensure_future(sending), asyncio.ensure_future(_wait_for_disconnect(socket))]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)  # both retrieved: both may have failed
    for task, end in zip(tasks, ends, strict=True):
        if task in done and isinstance(end, BaseException):
            raise end


async def _wait_for_disconnect(socket: WebSocket) -> None:
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass
    raise WebSocketDisconnect


async def _stream(socket: WebSocket, context: Context, run_id: str, replay_id: str) -> None:
    options = _parse_options(socket)
    entry, identity, reader = await context.frame_workers.submit(_opened, context, run_id, replay_id)
    total = reader.replay.end.steps
    stop = max(options.offset, min(options.offset + options.limit, total))
    about = {"run_id": run_id, "replay_id": replay_id, "total": total}

    async def frames() -> AsyncIterator[Chunk]:
        place = options.offset
        while place < stop:
            most = min(FRAMES_PER_WRITE, stop - place)
            words = (identity, reader, place, most, options.info)
            chunk = await context.frame_workers.submit(context.frames.frames, *words)
            yield chunk[(options.offset - place) % options.stride :: options.stride]
            place += len(chunk)

    prelude = {"prelude": True, "chunk_index": -1}
    await _send(socket, about | prelude, [], options.offset, options.offset)
    place, sent, count, began = options.offset, 0, 0, time.monotonic()
    async for group in _grouped(frames(), options):
        after = min(place + len(group) * options.stride, stop)
        await _send(socket, about | {"chunk_index": sent}, group, place, after)
        place, sent, count = after, sent + 1, count + len(group)
        if options.fps:
            await asyncio.sleep(max(0.0, began + count / options.fps - time.monotonic()))
        elif options.yield_every_batches and sent % options.yield_every_batches == 0:
            await asyncio.sleep(0)
    totals = {"count": count, "next_offset": place, "has_more": place < total, "chunks_sent": sent}
    done = {"type": "complete", **about, **totals, "replay_path": entry.replay_path, **options.model_dump()}
    await socket.send_text(json.dumps(done))


def _opened(context: Context, run_id: str, replay_id: str) -> tuple[IndexEntry, Identity, FrameReader]:
    run = context.run(run_id)
    entry = replay_entry(run, replay_id)
    return entry, *context.frames.open(run, entry)


def _parse_options(socket: WebSocket) -> StreamOptions:
    try:
        return StreamOptions.model_validate(dict(socket.query_params))
    except ValidationError as problem:
        error = validation_error([{**e, "loc": ("query", *e["loc"])} for e in problem.errors()])
        error.status = 400  # on the socket; by HTTP it is 422
        raise error from None


async def _grouped(chunks: AsyncIterator[Chunk], options: StreamOptions) -> AsyncIterator[Chunk]:
    """Frames in groups that end at batch_size frames or at max_chunk_bytes."""
    group: Chunk = []
    size = 0
    most = options.batch_size
    if options.fps:
        most = min(most, max(1, int(options.fps / PACED_CHUNKS)))
    async for chunk in chunks:
        for frame in chunk:
            group.append(frame)
            size += len(frame)
            if len(group) >= most or size >= options.max_chunk_bytes:
                yield group
                group, size = [], 0
    if group:
        yield group


async def _send(
    socket: WebSocket, about: dict[str, Any], frames: Chunk, offset: int, next_offset: int
) -> None:
    """Frames are JSON already; only the head is encoded here."""
    head = about | {
        "type": "frames",
        "offset": offset,
        "next_offset": next_offset,
        "count": len(frames),
        "has_more": next_offset < about["total"],
        "chunk_bytes": sum(map(len, frames)),
    }
    text = json.dumps(head)[:-1] + ',"frames":[' + b",".join(frames).decode() + "]}"
    await socket.send_text(text)


async def _refuse(socket: WebSocket, error: ApiError) -> None:
    code = BUSY if error.status == 503 else BAD_REQUEST if error.status < 500 else INTERNAL
    with contextlib.suppress(Exception):  # it may have disconnected meanwhile
        await socket.send_text(json.dumps({"type": "error", **error.body().model_dump()}))
        await socket.close(code)
