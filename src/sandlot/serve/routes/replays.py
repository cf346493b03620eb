"""Replays: the index, one replay, its file, and its frames by page."""

import json
import zlib
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ...errors import SandlotError, UnsafePath
from ...evaluate.replay_reader import open_replay
from ...runs import Frame, IndexEntry, Replay, ReplayEnd, ReplayHeader, Run
from ...runs.learning import entry_of
from ..context import Context, ContextDep, Limit, RunDep
from ..errors import ApiError, error_responses

router = APIRouter(prefix="/api/runs/{run_id}", tags=["replays"])

MAX_TAGS = 32
FRAMES_PER_WRITE = 256  # made, compressed and sent at a time
Tags = Annotated[str | None, Query(max_length=2000, description="comma-separated tags")]


class ReplayList(BaseModel):
    """Replays of a run that match a query."""

    run_id: str
    index_path: str
    count: int
    total: int = Field(description="all replays of the run, without filters")
    replays: list[IndexEntry]


class TagCount(BaseModel):
    """A replay tag and how many replays have it."""

    tag: str
    count: int


class TagList(BaseModel):
    """Replay tags of a run."""

    run_id: str
    tags: list[TagCount]


class ReplayEvent(BaseModel):
    """Something that happened in a replay, with its step."""

    step: int
    name: str


class ReplayDetail(BaseModel):
    """A replay without its frames."""

    run_id: str
    replay: IndexEntry
    header: ReplayHeader | None = Field(description="null when the file cannot be read")
    end: ReplayEnd | None
    events: list[ReplayEvent] = Field(description="of the whole episode; payloads come with the frames")
    playable: bool = Field(description="whether this server can make its frames")
    why_not: str | None
    file_url: str
    frames_url: str
    socket_url: str


class FramePage(BaseModel):
    """A range of frames of a replay."""

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


def replay_entry(run: RunDep, replay_id: str) -> IndexEntry:
    """An entry of the index or of learning/, or a 404."""
    found = run.index.find_one(replay_id) or learning_entry(run, replay_id)
    if found is None:
        name = run.paths.folder.name
        text = (
            f"Run {name} has no replay {replay_id[:140]!r}. GET /api/runs/{name}/replays lists all replays."
        )
        raise ApiError(404, "not_found", text)
    return found


def learning_entry(run: Run, replay_id: str) -> IndexEntry | None:
    """A match of a stage of training."""
    try:
        return entry_of(run.paths, replay_id)
    except UnsafePath:
        return None


ReplayDep = Annotated[IndexEntry, Depends(replay_entry)]


def _list(text: str | None) -> list[str]:
    words = [word.strip() for word in (text or "").split(",") if word.strip()]
    if len(words) > MAX_TAGS:
        raise ApiError(422, "bad_request", f"{len(words)} tags in one request; at most {MAX_TAGS} fit.")
    return words


@router.get("/replays", responses=error_responses(404, 409, 422))
def list_replays(
    run: RunDep,
    tag: Annotated[
        str | None, Query(max_length=200, description="one tag; milestone:* matches every milestone")
    ] = None,
    tags_any: Tags = None,
    tags_all: Tags = None,
    window_id: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    limit: Limit = 100,
) -> ReplayList:
    """Replays that match every filter, newest first by window, time and id. An unknown tag matches none."""
    found = run.index.find(tag, _list(tags_any), _list(tags_all), window_id, limit)
    return ReplayList(
        run_id=run.paths.folder.name,
        index_path=run.paths.relative(run.paths.index),
        count=len(found),
        total=run.index.count(),
        replays=found,
    )


@router.get("/tags", responses=error_responses(404, 409, 422))
def list_tags(run: RunDep) -> TagList:
    """The tags of the run's replays with their counts."""
    counts = run.index.tags().items()
    tags = [TagCount(tag=tag, count=count) for tag, count in counts]
    return TagList(run_id=run.paths.folder.name, tags=tags)


@router.get("/replays/{replay_id}", responses=error_responses(404, 409, 422))
def get_replay(run: RunDep, entry: ReplayDep) -> ReplayDetail:
    """One replay: its index entry, header, end and events."""
    replay, why_not = _opened(run, entry)
    base = f"/runs/{run.paths.folder.name}/replays/{entry.replay_id}"
    return ReplayDetail(
        run_id=run.paths.folder.name,
        replay=entry,
        header=replay.header if replay else None,
        end=replay.end if replay else None,
        events=[ReplayEvent(step=step, name=name) for step, name in (replay.events if replay else [])],
        playable=why_not is None,
        why_not=why_not,
        file_url=f"/api{base}/file",
        frames_url=f"/api{base}/frames",
        socket_url=f"/ws{base}/frames",
    )


def _opened(run: Run, entry: IndexEntry) -> tuple[Replay | None, str | None]:
    """The replay, or None when it cannot be read, and the reason why it cannot be shown."""
    try:
        replay = Replay.read(run.replay_path(entry))
    except (SandlotError, OSError) as problem:
        return None, str(problem).replace(str(run.paths.folder), run.paths.folder.name)
    try:
        open_replay(replay).close()
    except SandlotError as problem:
        return replay, str(problem)
    return replay, None


@router.get(
    "/replays/{replay_id}/file",
    response_class=Response,
    responses=error_responses(404, 409, 422)
    | {200: {"content": {"application/gzip": {}}, "description": "a .jsonl.gz, its digest checked"}},
)
def get_replay_file(run: RunDep, entry: ReplayDep) -> Response:
    """The replay file: seed and actions, a few kilobytes that the engine re-simulates in a browser."""
    path = run.replay_path(entry)
    if not path.is_file():
        raise ApiError(404, "not_found", f"The file of replay {entry.replay_id!r} is not there (any more).")
    data = path.read_bytes()
    Replay.from_bytes(data, path.name)
    headers = {"Content-Disposition": f'attachment; filename="{entry.replay_id}.jsonl.gz"'}
    return Response(data, media_type="application/gzip", headers=headers)


# ---------------------------------------------------------------- frames


@router.get(
    "/replays/{replay_id}/frames",
    response_model=FramePage,
    responses=error_responses(404, 409, 422, 503),
)
async def list_frames(
    request: Request,
    context: ContextDep,
    run_id: str,
    replay_id: str,
    offset: Annotated[int, Query(ge=0, le=2**53)] = 0,
    limit: Limit = 256,
    info: Annotated[bool, Query(description="add the game's info to each frame")] = False,
) -> Response:
    """Frames by page, re-simulated natively; frames of a Godot match are read from the file."""
    use_gzip = "gzip" in request.headers.get("accept-encoding", "")
    parts = _page(context, run_id, replay_id, offset, limit, info, use_gzip)
    submit = context.frame_workers.submit
    first = await submit(next, parts)  # so that an error still has its own status

    async def body() -> AsyncIterator[bytes]:
        part = first
        while part is not None:
            yield part
            part = await submit(next, parts, None)

    headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"} if use_gzip else {}
    return StreamingResponse(body(), media_type="application/json", headers=headers)


def _page(
    context: Context, run_id: str, replay_id: str, offset: int, limit: int, info: bool, use_gzip: bool
) -> Iterator[bytes]:
    """One page as JSON, made and compressed in parts on a worker thread, since it may have megabytes."""
    run, cache = context.run(run_id), context.frames
    identity, reader = cache.open(run, replay_entry(run, replay_id))
    total = reader.replay.end.steps
    stop = min(offset + limit, max(offset, total))
    head = {
        "run_id": run_id,
        "replay_id": replay_id,
        "offset": offset,
        "next_offset": stop,
        "count": stop - offset,
        "total": total,
        "has_more": stop < total,
    }
    compressor = zlib.compressobj(1, zlib.DEFLATED, 31) if use_gzip else None
    opening = reader.opening if offset == 0 else b"null"
    place, part = offset, json.dumps(head).encode()[:-1] + b',"opening":' + opening + b',"frames":['
    while True:
        frames = cache.frames(identity, reader, place, min(FRAMES_PER_WRITE, stop - place), info)
        place += len(frames)
        part += b",".join(frames) + (b"," if place < stop else b"]}")
        if compressor:
            part = compressor.compress(part) + (b"" if place < stop else compressor.flush())
        yield part
        if place >= stop:
            return
        part = b""
