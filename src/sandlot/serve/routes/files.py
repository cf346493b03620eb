"""Downloads of files of a run."""

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from ..context import RunDep
from ..errors import error_responses
from ..run_files import file_fields, file_kind, find_file_of_run, list_run_files

router = APIRouter(prefix="/api/runs/{run_id}/files", tags=["files"])

# Types that browsers may display. All others are downloaded, so that no file of a run runs as a page here.
DISPLAYED = {
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".csv": "text/csv; charset=utf-8",
    ".log": "text/plain; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".mp4": "video/mp4",
}


class RunFile(BaseModel):
    """One file of a run's folder."""

    path: str = Field(description="from the run folder, with forward slashes")
    kind: str = Field(
        description="settings, metrics, weights, export, replay, chart, video, log, tensorboard"
    )
    bytes: int
    updated_at: str
    url: str


class FileList(BaseModel):
    """Files of a run that may be downloaded."""

    run_id: str
    count: int
    files: list[RunFile]


@router.get("", responses=error_responses(404, 409, 422))
def list_files(run: RunDep) -> FileList:
    """All files of the run that can be downloaded."""
    files = [
        RunFile(kind=file_kind(relative) or "other", **file_fields(run, relative, stat))
        for relative, stat in list_run_files(run)
    ]
    return FileList(run_id=run.paths.folder.name, count=len(files), files=files)


@router.get(
    "/{path:path}",
    response_class=FileResponse,
    responses=error_responses(404, 409, 416, 422)
    | {200: {"content": {"*/*": {}}, "description": "the file"}, 206: {"content": {"*/*": {}}}},
)
def get_run_file(run: RunDep, path: str) -> Response:
    """One file; range requests are supported."""
    found = find_file_of_run(run, path)
    shown = DISPLAYED.get(found.suffix)
    return FileResponse(
        found,
        media_type=shown or "application/octet-stream",
        filename=found.name,
        content_disposition_type="inline" if shown else "attachment",
        headers={"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"},
    )
