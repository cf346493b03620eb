"""Downloads: the files of a run, confined to it."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from ..context import ThisRun
from ..errors import responses
from ..listing import changed_at, file_of, file_url, files_of, kind_of

router = APIRouter(prefix="/api/runs/{run_id}/files", tags=["files"])

# What browsers show rather than save. Everything else is saved: no run can put a page into our origin.
SHOWN = {
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".csv": "text/csv; charset=utf-8",
    ".log": "text/plain; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".mp4": "video/mp4",
}


class RunFile(BaseModel):
    path: str = Field(description="from the run folder, with forward slashes")
    kind: str = Field(
        description="settings, metrics, weights, export, replay, chart, video, log, tensorboard"
    )
    bytes: int
    updated_at: str
    url: str


class FileList(BaseModel):
    run_id: str
    count: int
    files: list[RunFile]


@router.get("", responses=responses(404, 409, 422))
def list_files(run: ThisRun) -> FileList:
    """Everything of the run that can be downloaded."""
    files = [
        RunFile(
            path=relative,
            kind=kind_of(relative) or "other",
            bytes=told.st_size,
            updated_at=changed_at(told),
            url=file_url(run, relative),
        )
        for relative, told in files_of(run)
    ]
    return FileList(run_id=run.paths.folder.name, count=len(files), files=files)


@router.get(
    "/{path:path}",
    response_class=FileResponse,
    responses=responses(404, 409, 416, 422)
    | {200: {"content": {"*/*": {}}, "description": "the file"}, 206: {"content": {"*/*": {}}}},
)
def get_run_file(run: ThisRun, path: str) -> Response:
    """One file; ranges are honoured."""
    found = file_of(run, path)
    shown = SHOWN.get(found.suffix)
    return FileResponse(
        found,
        media_type=shown or "application/octet-stream",
        filename=found.name,
        content_disposition_type="inline" if shown else "attachment",
        headers={"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"},
    )
