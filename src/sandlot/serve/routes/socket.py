"""Frames by WebSocket, in chunks: prelude, frames …, complete; or an error, then the socket closes.

A chunk ends at `batch_size` frames, or with the frame that brings it to `max_chunk_bytes`. Somebody who does
not read is dropped by the server after a while (server.py); closing early is fine at any time.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...runs import IndexEntry
from ..context import Context
from ..errors import Refusal, explain, of_validation
from ..frames import Chunk, Identity, Reel
from .replays import PIECE_FRAMES, entry_of

router = APIRouter()

PACED_CHUNKS = 4  # a second, so that paced frames do not come in jerks
NORMAL, BAD_REQUEST, INTERNAL, BUSY = 1000, 1008, 1011, 1013


class Wishes(BaseModel):
    """What a client may ask for, in the query."""

    model_config = ConfigDict(extra="ignore")

    offset: int = Field(default=0, ge=0, le=2**53)
    limit: int = Field(default=5000, ge=1, le=50_000)
    batch_size: int = Field(default=256, ge=1, le=5000)
    max_chunk_bytes: int = Field(default=262_144, ge=1024, le=4_194_304)
    yield_every_batches: int = Field(
        default=8, ge=0, le=1000, description="let others go first after so many chunks"
    )
    info: bool = False
    fps: float = Field(default=0, ge=0, le=240, description="frames a second; 0 for as fast as they are read")
    stride: int = Field(default=1, ge=1, le=1000, description="every n-th frame only")


@router.websocket("/ws/runs/{run_id}/replays/{replay_id}/frames")
async def stream_frames(socket: WebSocket, run_id: str, replay_id: str) -> None:
    context: Context = socket.app.state.context
    await socket.accept()
    try:
        with _place(context):
            await _until_gone(socket, _stream(socket, context, run_id, replay_id))
            await socket.close(NORMAL)
    except (WebSocketDisconnect, asyncio.CancelledError):
        return
    except Exception as problem:  # noqa: BLE001  whatever it is, the client is told in the one shape
        await _refuse(socket, explain(context, problem, {"run_id": run_id}))


@contextlib.contextmanager
def _place(context: Context) -> Any:
    """One of the sockets that this server holds at a time."""
    if context.sockets >= context.settings.max_sockets:
        raise Refusal(
            503, "too_many_sockets",
            f"There are {context.sockets} open replay sockets, the most this server holds. Try again later.",
        )  # fmt: skip
    context.sockets += 1
    try:
        yield
    finally:
        context.sockets -= 1


async def _until_gone(socket: WebSocket, sending: Any) -> None:
    """Send, but stop as soon as the client leaves. What it says meanwhile is read and forgotten."""
    tasks = [asyncio.ensure_future(sending), asyncio.ensure_future(_gone(socket))]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)  # both looked at: both may have failed
    for task, end in zip(tasks, ends, strict=True):
        if task in done and isinstance(end, BaseException):
            raise end


async def _gone(socket: WebSocket) -> None:
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass
    raise WebSocketDisconnect


async def _stream(socket: WebSocket, context: Context, run_id: str, replay_id: str) -> None:
    wishes = _wishes(socket)
    entry, identity, reel = await context.work(_opened, context, run_id, replay_id)
    total = reel.replay.end.steps
    stop = max(wishes.offset, min(wishes.offset + wishes.limit, total))
    about = {"run_id": run_id, "replay_id": replay_id, "total": total}

    async def frames() -> AsyncIterator[Chunk]:
        place = wishes.offset
        while place < stop:
            most = min(PIECE_FRAMES, stop - place)
            chunk = await context.work(context.frames.frames, identity, reel, place, most, wishes.info)
            yield chunk[(wishes.offset - place) % wishes.stride :: wishes.stride]
            place += len(chunk)

    prelude = _span(wishes.offset, wishes.offset, 0, wishes.offset < total, -1, 0)
    await _send(socket, about | prelude | {"prelude": True}, [])
    place, sent, count, began = wishes.offset, 0, 0, time.monotonic()
    async for group in _grouped(frames(), wishes):
        after = min(place + len(group) * wishes.stride, stop)
        span = _span(place, after, len(group), after < total, sent, sum(map(len, group)))
        await _send(socket, about | span, group)
        place, sent, count = after, sent + 1, count + len(group)
        if wishes.fps:
            await asyncio.sleep(max(0.0, began + count / wishes.fps - time.monotonic()))
        elif wishes.yield_every_batches and sent % wishes.yield_every_batches == 0:
            await asyncio.sleep(0)
    told = {"count": count, "next_offset": place, "has_more": place < total, "chunks_sent": sent}
    done = {"type": "complete", **about, **told, "replay_path": entry.replay_path, **wishes.model_dump()}
    await socket.send_text(json.dumps(done))


def _opened(context: Context, run_id: str, replay_id: str) -> tuple[IndexEntry, Identity, Reel]:
    run = context.run(run_id)
    entry = entry_of(run, replay_id)
    return entry, *context.frames.open(run, entry)


def _wishes(socket: WebSocket) -> Wishes:
    try:
        return Wishes.model_validate(dict(socket.query_params))
    except ValidationError as problem:
        refusal = of_validation([{**e, "loc": ("query", *e["loc"])} for e in problem.errors()])
        refusal.status = 400  # on the socket; by HTTP it is 422
        raise refusal from None


async def _grouped(chunks: AsyncIterator[Chunk], wishes: Wishes) -> AsyncIterator[Chunk]:
    """Frames as they come, in groups that end at so many frames or once they reach so many bytes."""
    group: Chunk = []
    size = 0
    most = min(wishes.batch_size, max(1, int(wishes.fps / PACED_CHUNKS))) if wishes.fps else wishes.batch_size
    async for chunk in chunks:
        for frame in chunk:
            group.append(frame)
            size += len(frame)
            if len(group) >= most or size >= wishes.max_chunk_bytes:
                yield group
                group, size = [], 0
    if group:
        yield group


def _span(
    offset: int, next_offset: int, count: int, has_more: bool, chunk_index: int, chunk_bytes: int
) -> dict[str, Any]:
    return {
        "type": "frames",
        "offset": offset,
        "next_offset": next_offset,
        "count": count,
        "has_more": has_more,
        "chunk_index": chunk_index,
        "chunk_bytes": chunk_bytes,
    }


async def _send(socket: WebSocket, head: dict[str, Any], frames: Chunk) -> None:
    """Frames are JSON already; only the head is made here."""
    text = json.dumps(head)[:-1] + ',"frames":[' + b",".join(frames).decode() + "]}"
    await socket.send_text(text)


async def _refuse(socket: WebSocket, refusal: Refusal) -> None:
    code = BUSY if refusal.status == 503 else BAD_REQUEST if refusal.status < 500 else INTERNAL
    with contextlib.suppress(Exception):  # it may have left in the meantime
        await socket.send_text(json.dumps({"type": "error", **refusal.answer().model_dump()}))
        await socket.close(code)
