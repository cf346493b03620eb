"""`sandlot assets`: pictures and sounds for the site, adopted from packs on this machine."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from ..errors import ConfigError
from .options import ForMachines
from .show import as_json, out, table


class Deed(str, Enum):
    install = "install"
    list = "list"
    remove = "remove"


def assets(
    deed: Annotated[Deed, typer.Argument(help="What to do.")] = Deed.list,
    source: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(
            help="install: a folder or zip. remove: the name of a pack.", metavar="FOLDER|ZIP|NAME"
        ),
    ] = None,
    to: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="The shelf; else $SANDLOT_ASSETS, else your data folder."),
    ] = None,
    licence: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="The licence of a pack that does not tell it in a file."),
    ] = None,
    as_machine: ForMachines = False,
) -> None:
    """Adopt a pack of pictures and sounds for the site, list what was adopted, or remove it.

    The site draws and synthesises everything by itself; a pack only replaces what it has files for.

    Examples: sandlot assets install simple-space.zip · sandlot assets · sandlot assets remove simple-space
    """
    from ..media import assets as shelves

    shelf = to or shelves.default_folder()
    if deed is Deed.list:
        if source is not None:
            raise ConfigError(f"`sandlot assets list` takes no name, got {source!r}.")
        _list(shelves, shelf, as_machine)
    elif source is None:
        wanted = (
            "a folder or zip"
            if deed is Deed.install
            else "the name of a pack; `sandlot assets list` has them"
        )
        raise ConfigError(f"`sandlot assets {deed.value}` needs {wanted}.")
    elif deed is Deed.install:
        _tell("Adopted", shelves.install(Path(source), shelf, licence), shelf, as_machine)
    else:
        _tell("Removed", shelves.remove(source, shelf), shelf, as_machine)


def _tell(done: str, pack: Any, shelf: Path, as_machine: bool) -> None:
    if as_machine:
        as_json({"shelf": str(shelf), "pack": pack.model_dump(mode="json")})
        return
    out.print(
        f"{done} {pack.name}: {len(pack.graphics)} pictures, {len(pack.sounds)} sounds, "
        f"{pack.bytes / 1000:,.0f} kB, {pack.licence}.",
        markup=False,
    )


def _list(shelves: Any, shelf: Path, as_machine: bool) -> None:
    packs = shelves.read_manifest(shelf).packs
    if as_machine:
        as_json({"shelf": str(shelf), "packs": [pack.model_dump(mode="json") for pack in packs]})
    elif not packs:
        out.print(f"No pack was adopted yet ({shelf}); the site draws everything itself.", markup=False)
    else:
        rows = [
            (p.name, len(p.graphics), len(p.sounds), p.bytes // 1000, p.licence, p.adopted_at) for p in packs
        ]
        table(
            f"Adopted packs in {shelf}", ("pack", "pictures>", "sounds>", "kB>", "licence", "adopted"), rows
        )
