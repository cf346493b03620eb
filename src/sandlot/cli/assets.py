"""`sandlot assets`: install, list and remove packs of pictures and sounds for the site."""

from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, Option

from ..errors import ConfigError
from ..media import assets as art
from .options import ForMachines
from .show import as_json, out, table


def assets(
    action: Annotated[Literal["install", "list", "remove"], Argument(help="What to do.")] = "list",
    source: Annotated[
        str | None,
        Argument(help="install: a folder or zip. remove: the name of a pack.", metavar="FOLDER|ZIP|NAME"),
    ] = None,
    to: Annotated[
        Path | None, Option(help="Their folder; else $SANDLOT_ASSETS, else your data folder.")
    ] = None,
    licence: Annotated[str | None, Option(help="The licence of a pack without a licence file.")] = None,
    as_machine: ForMachines = False,
) -> None:
    """Install a pack of pictures and sounds for the site, list the packs, or remove one.

    Sandlot ships a few CC0 pictures and sounds by Kenney. An installed pack overrides them; the site draws
    and synthesises what no pack has.

    Examples: sandlot assets install simple-space.zip · sandlot assets · sandlot assets remove simple-space
    """
    asset_folder = to or art.default_folder()
    if action == "list":
        if source is not None:
            raise ConfigError(f"`sandlot assets list` takes no name, got {source!r}.")
        _list(asset_folder, as_machine)
        return
    if source is None:
        wanted = {
            "install": "a folder or zip",
            "remove": "the name of a pack; `sandlot assets list` has them",
        }
        raise ConfigError(f"`sandlot assets {action}` needs {wanted[action]}.")
    if action == "install":
        done, pack = "Installed", art.install(Path(source), asset_folder, licence)
    else:
        done, pack = "Removed", art.remove(source, asset_folder)
    if as_machine:
        as_json({"asset_folder": str(asset_folder), "pack": pack.model_dump(mode="json")})
    else:
        name, pictures, sounds, kilobytes, licence, _ = _row(pack)
        out.print_line(f"{done} {name}: {pictures} pictures, {sounds} sounds, {kilobytes:,} kB, {licence}.")


def _list(asset_folder: Path, as_machine: bool) -> None:
    packs = art.read_manifest(asset_folder).packs
    if as_machine:
        rows = [pack.model_dump(mode="json") for pack in packs]
        as_json({"asset_folder": str(asset_folder), "packs": rows})
        return
    shipped = [(*_row(pack)[:-1], "ships with Sandlot") for pack in art.read_manifest(art.SHIPPED).packs]
    columns = ("pack", "pictures>", "sounds>", "kB>", "licence", "installed")
    table("Packs; later ones override earlier ones", columns, [*shipped, *map(_row, packs)])
    if not packs:
        out.print_line(f"No other pack is installed ({asset_folder}). The site draws what no pack has.")


def _row(pack: art.Pack) -> tuple[Any, ...]:
    counts = (len(pack.graphics), len(pack.sounds), round(pack.bytes / 1000))
    return (pack.name, *counts, pack.licence, pack.adopted_at)
