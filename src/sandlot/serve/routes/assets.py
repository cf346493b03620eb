"""Art and sounds: Kenney's, which come with Sandlot, and adopted packs over them."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse
from pydantic import BaseModel

from ...errors import UnknownName
from ...media.assets import default_folder, find_file, shown_packs
from ..context import Context, Shared
from ..errors import Refusal, responses

router = APIRouter(prefix="/api/assets", tags=["assets"])


class Thanks(BaseModel):
    name: str
    licence: str
    licence_files: list[str]


class ArtManifest(BaseModel):
    schema_version: int
    graphics: dict[str, str]
    sounds: dict[str, list[str]]
    packs: list[Thanks]


def _shelf(context: Context) -> Path:
    return context.settings.assets or default_folder()


@router.get("/manifest", responses=responses(409, 422))
def get_art_manifest(context: Shared) -> ArtManifest:
    """Which file each semantic key has; keys that are not there are drawn. Files: /api/assets/{path}."""
    return ArtManifest(**shown_packs(_shelf(context)).page())


@router.get(
    "/{path:path}",
    response_class=FileResponse,
    responses=responses(404, 409, 422)
    | {200: {"content": {"*/*": {}}, "description": "the file"}, 206: {"content": {"*/*": {}}}},
)
def get_asset(context: Shared, path: str) -> FileResponse:
    """One adopted file, by the path that the manifest gives."""
    try:
        found = find_file(_shelf(context), path)
    except UnknownName:
        found = None
    if found is None or not found.is_file():
        raise Refusal(
            404, "not_found", f"No adopted pack has a file {path[:200]!r}. See `sandlot assets list`."
        )
    kind = mimetypes.guess_type(found.name)[0] or "application/octet-stream"
    return FileResponse(found, media_type=kind, headers={"X-Content-Type-Options": "nosniff"})
