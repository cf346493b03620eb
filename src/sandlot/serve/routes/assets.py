"""Pictures and sounds: Kenney's, which ship with Sandlot, and installed packs over them."""

import mimetypes
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse
from pydantic import BaseModel

from ...errors import UnknownName
from ...media.assets import default_folder, find_file, shown_packs
from ..context import Context, ContextDep
from ..errors import ApiError, error_responses

router = APIRouter(prefix="/api/assets", tags=["assets"])


class PackCredit(BaseModel):
    """Name and licence of a pack."""

    name: str
    licence: str
    licence_files: list[str]


class ArtManifest(BaseModel):
    """Files by asset key."""

    schema_version: int
    graphics: dict[str, str]
    sounds: dict[str, list[str]]
    packs: list[PackCredit]


def _asset_folder(context: Context) -> Path:
    return context.settings.assets or default_folder()


@router.get("/manifest", responses=error_responses(409, 422))
def get_art_manifest(context: ContextDep) -> ArtManifest:
    """Maps asset keys to files, served at /api/assets/{path}; the site draws keys without a file."""
    return ArtManifest(**shown_packs(_asset_folder(context)).public())


@router.get(
    "/{path:path}",
    response_class=FileResponse,
    responses=error_responses(404, 409, 422)
    | {200: {"content": {"*/*": {}}, "description": "the file"}, 206: {"content": {"*/*": {}}}},
)
def get_asset(context: ContextDep, path: str) -> FileResponse:
    """One file, by its path in the manifest."""
    try:
        found = find_file(_asset_folder(context), path)
    except UnknownName:
        found = None
    if found is None or not found.is_file():
        text = f"No installed pack has a file {path[:200]!r}. See `sandlot assets list`."
        raise ApiError(404, "not_found", text)
    kind = mimetypes.guess_type(found.name)[0] or "application/octet-stream"
    return FileResponse(found, media_type=kind, headers={"X-Content-Type-Options": "nosniff"})
