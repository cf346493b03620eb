"""Replays: the catalogue, one of them, its file, and its frames played again a page at a time."""

from __future__ import annotations

import json
import zlib
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ...errors import SandlotError
from ...evaluate.replays import open_player
from ...runs import Frame, IndexEntry, Replay, ReplayEnd, ReplayHeader, Run
from ..context import Context, Shared, ThisRun
from ..errors import Refusal, responses

router = APIRouter(prefix="/api/runs/{run_id}", tags=["replays"])

MOST_TAGS = 32
PIECE_FRAMES = 256  # made, packed and sent at a time
Tags = Annotated[str | None, Query(max_length=2000, description="tags with commas between them")]


class ReplayList(BaseModel):
    run_id: str
    index_path: str
    count: int
    total: int = Field(description="all replays of the run, whatever the filters")
    replays: list[IndexEntry]


class TagCount(BaseModel):
    tag: str
    count: int


class TagList(BaseModel):
    run_id: str
    tags: list[TagCount]


class Happening(BaseModel):
    step: int
    name: str


class ReplayDetail(BaseModel):
    run_id: str
    replay: IndexEntry
    header: ReplayHeader | None = Field(description="null when the file cannot be read")
    end: ReplayEnd | None
    events: list[Happening] = Field(description="of the whole episode; payloads come with the frames")
    playable: bool = Field(description="whether this server's engine can make its frames")
    why_not: str | None
    file_url: str
    frames_url: str
    socket_url: str


class FramePage(BaseModel):
    run_id: str
    replay_id: str
    offset: int
    next_offset: int
    count: int
    total: int
    has_more: bool
    opening: dict[str, Any] | None = Field(
        description="what is drawn before the first step; at offset 0 only"
    )
    frames: list[Frame]


def entry_of(run: Run, replay_id: str) -> IndexEntry:
    """A catalogue entry, or a 404 that is short whatever was asked for."""
    found = run.index.find_one(replay_id)
    if found is None:
        raise Refusal(
            404, "not_found",
            f"Run {run.paths.folder.name} has no replay {replay_id[:140]!r}. "
            f"GET /api/runs/{run.paths.folder.name}/replays lists those there are.",
        )  # fmt: skip
    return found


def _entry(run: ThisRun, replay_id: str) -> IndexEntry:
    return entry_of(run, replay_id)


ThisEntry = Annotated[IndexEntry, Depends(_entry)]


def _list(text: str | None) -> list[str]:
    words = [word.strip() for word in (text or "").split(",") if word.strip()]
    if len(words) > MOST_TAGS:
        raise Refusal(422, "bad_request", f"{len(words)} tags in one question; at most {MOST_TAGS} fit.")
    return words


@router.get("/replays", responses=responses(404, 409, 422))
def list_replays(
    run: ThisRun,
    tag: Annotated[
        str | None, Query(max_length=200, description="one tag; milestone:* stands for all such")
    ] = None,
    tags_any: Tags = None,
    tags_all: Tags = None,
    window_id: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    limit: Annotated[int, Query(ge=1, le=5000)] = 100,
) -> ReplayList:
    """Replays that fit every filter, newest first by window, time and id. An unknown tag fits none."""
    found = run.index.find(tag, _list(tags_any), _list(tags_all), window_id, limit)
    return ReplayList(
        run_id=run.paths.folder.name,
        index_path=run.paths.relative(run.paths.index),
        count=len(found),
        total=run.index.count(),
        replays=found,
    )


@router.get("/tags", responses=responses(404, 409, 422))
def list_tags(run: ThisRun) -> TagList:
    """The tags that the run's replays have, and how many have each."""
    told = run.index.tags().items()
    return TagList(run_id=run.paths.folder.name, tags=[TagCount(tag=tag, count=count) for tag, count in told])


@router.get("/replays/{replay_id}", responses=responses(404, 409, 422))
def get_replay(run: ThisRun, entry: ThisEntry) -> ReplayDetail:
    """One replay: its entry, and what its file says about itself."""
    replay, why_not = _opened(run, entry)
    base = f"/runs/{run.paths.folder.name}/replays/{entry.replay_id}"
    return ReplayDetail(
        run_id=run.paths.folder.name,
        replay=entry,
        header=replay.header if replay else None,
        end=replay.end if replay else None,
        events=[Happening(step=step, name=name) for step, name in (replay.events if replay else [])],
        playable=why_not is None,
        why_not=why_not,
        file_url=f"/api{base}/file",
        frames_url=f"/api{base}/frames",
        socket_url=f"/ws{base}/frames",
    )


def _opened(run: Run, entry: IndexEntry) -> tuple[Replay | None, str | None]:
    """The replay as far as it can be read, and why it cannot be shown."""
    try:
        replay = Replay.read(run.replay_path(entry))
    except (SandlotError, OSError) as problem:
        return None, str(problem).replace(str(run.paths.folder), run.paths.folder.name)
    try:
        open_player(replay).close()
    except SandlotError as problem:
        return replay, str(problem)
    return replay, None


@router.get(
    "/replays/{replay_id}/file",
    response_class=Response,
    responses=responses(404, 409, 422)
    | {200: {"content": {"application/gzip": {}}, "description": "a .jsonl.gz, its digest checked"}},
)
def get_replay_file(run: ThisRun, entry: ThisEntry) -> Response:
    """The file itself: seed and actions, a few kilobytes that the engine plays again in a browser."""
    path = run.replay_path(entry)
    if not path.is_file():
        raise Refusal(404, "not_found", f"The file of replay {entry.replay_id!r} is not there (any more).")
    data = path.read_bytes()
    Replay.from_bytes(data, path.name)
    headers = {"Content-Disposition": f'attachment; filename="{entry.replay_id}.jsonl.gz"'}
    return Response(data, media_type="application/gzip", headers=headers)


# ---------------------------------------------------------------- frames


@router.get("/replays/{replay_id}/frames", response_model=FramePage, responses=responses(404, 409, 422, 503))
async def list_frames(
    request: Request,
    context: Shared,
    run_id: str,
    replay_id: str,
    offset: Annotated[int, Query(ge=0, le=2**53)] = 0,
    limit: Annotated[int, Query(ge=1, le=5000)] = 256,
    info: Annotated[bool, Query(description="add the game's running figures to each frame")] = False,
) -> Response:
    """Frames by page: the episode is played again natively; what was played in Godot is in the file."""
    packs = "gzip" in request.headers.get("accept-encoding", "")
    page = await context.work(_Page, context, run_id, replay_id, offset, limit, info, packs)
    first = await context.work(page.piece)  # so that trouble has a status, not half an answer

    async def body() -> AsyncIterator[bytes]:
        part = first
        while part is not None:
            yield part
            part = await context.work(page.piece)

    headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"} if packs else {}
    return StreamingResponse(body(), media_type="application/json", headers=headers)


class _Page:
    """One answer, made piece by piece on a worker; packed there too: megabytes would hold up the rest."""

    def __init__(
        self, context: Context, run_id: str, replay_id: str, offset: int, limit: int, info: bool, packs: bool
    ):
        run = context.run(run_id)
        self._shelf = context.frames
        self._identity, self._reel = self._shelf.open(run, entry_of(run, replay_id))
        total = self._reel.replay.end.steps
        count = min(limit, max(0, total - offset))
        self._offset, self._place, self._stop, self._info = offset, offset, offset + count, info
        self._head = {
            "run_id": run_id,
            "replay_id": replay_id,
            "offset": offset,
            "next_offset": offset + count,
            "count": count,
            "total": total,
            "has_more": offset + count < total,
        }
        self._packer = zlib.compressobj(1, zlib.DEFLATED, 31) if packs else None
        self._done = False

    def piece(self) -> bytes | None:
        """The next part of the answer; None after the last."""
        if self._done:
            return None
        parts = [self._beginning()] if self._place == self._offset else [b","]
        frames = self._shelf.frames(
            self._identity, self._reel, self._place, min(PIECE_FRAMES, self._stop - self._place), self._info
        )
        parts.append(b",".join(frames))
        self._place += len(frames)
        self._done = self._place >= self._stop
        if self._done:
            parts.append(b"]}")
        made = b"".join(parts)
        if self._packer is None:
            return made
        return self._packer.compress(made) + (self._packer.flush() if self._done else b"")

    def _beginning(self) -> bytes:
        opening = self._reel.opening if self._offset == 0 else b"null"
        return json.dumps(self._head).encode()[:-1] + b',"opening":' + opening + b',"frames":['
