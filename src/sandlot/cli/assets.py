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

    The default look is Kenney's: a few CC0 pictures and sounds come with Sandlot. A pack that you adopt goes
    over them, and what no pack has is drawn and synthesised by the site itself.

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
        return
    shipped = shelves.read_manifest(shelves.SHIPPED).packs
    rows = [_row(pack, "with Sandlot") for pack in shipped] + [_row(pack, pack.adopted_at) for pack in packs]
    table(
        "Packs, the later over the earlier",
        ("pack", "pictures>", "sounds>", "kB>", "licence", "adopted"),
        rows,
    )
    if not packs:
        out.print(f"No other pack was adopted yet ({shelf}). What no pack has, the site draws.", markup=False)


def _row(pack: Any, adopted: str) -> tuple[Any, ...]:
    return (pack.name, len(pack.graphics), len(pack.sounds), pack.bytes // 1000, pack.licence, adopted)
