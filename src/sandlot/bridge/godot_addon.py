"""The addon in other people's projects: which version is there, and copying ours."""

import configparser
import io
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path

from ..errors import ConfigError
from ..files import write_bytes
from .godot_project import CHECKOUT, MADE_BY_IMPORT, PACKAGED

PLACE = "addons/sandlot"  # in a project
GODOT_RL = "addons/godot_rl"  # the stock plugin's interface, written anew
STOCK_PLUGIN = "addons/godot_rl_agents"  # the plugin itself
TRAINER_NODE = "SandlotTrainer"
TRAINER_SCRIPT = f"{PLACE}/trainer.gd"
TEXT_FILES = (".tscn", ".tres", ".gd", ".cs")
ZIP_DATE = (2026, 1, 1, 0, 0, 0)
BINARY_FILES = (".scn", ".res")  # may hold a node that a search of texts does not find


def addon_folder(place: str = PLACE) -> Path:
    """An addon of ours: in the checkout, or in the installed package."""
    for project in (CHECKOUT, PACKAGED):
        if (project / place / "plugin.cfg").is_file():
            return project / place
    raise ConfigError(f"This installation has no {place}; install sandlot again.")


def addon_version(folder: Path) -> str:
    """The version that an addon's plugin.cfg names; empty where there is none."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string((folder / "plugin.cfg").read_text(encoding="utf-8", errors="replace"))
    except (OSError, configparser.Error):
        return ""
    return parser.get("plugin", "version", fallback="").strip().strip('"')


def check_addon(project: Path) -> None:
    """ConfigError where a project has no addon, or that of another version."""
    found, ours = addon_version(project / PLACE), addon_version(addon_folder())
    if not found:
        raise ConfigError(f"{project} has no {PLACE}. Copy it there: sandlot godot addon {project}")
    if found != ours:
        raise ConfigError(
            f"{project} has version {found} of {PLACE}, this Sandlot has {ours}. "
            f"Replace it: sandlot godot addon {project}"
        )


def check_trainer_node(project: Path) -> None:
    """ConfigError where nothing in a project is a SandlotTrainer: its scene would never connect."""
    for path in project.rglob("*"):
        parts = path.relative_to(project).parts
        if parts[:2] == ("addons", "sandlot") or parts[0].startswith("."):
            continue
        if path.suffix in BINARY_FILES:
            return
        if path.suffix in TEXT_FILES:
            text = path.read_text(encoding="utf-8", errors="replace")
            if TRAINER_NODE in text or TRAINER_SCRIPT in text:
                return
    raise ConfigError(
        f"No scene of {project} has a {TRAINER_NODE} node. Add one to the scene of your game, and a "
        "SandlotAgent below the body that it steers."
    )


def zip_addon(target: Path, places: Sequence[str] = (PLACE,)) -> Path:
    """Our addons as a zip that the editor installs (AssetLib > Import), or for a project's folder."""
    if target.suffix != ".zip":
        raise ConfigError(f"--zip {target}: expected a name that ends in .zip.")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for place in places:
            source = addon_folder(place)
            for path in sorted(source.rglob("*")):
                if path.is_file() and path.suffix not in MADE_BY_IMPORT:
                    # a fixed date: the same addon gives the same file
                    entry = zipfile.ZipInfo(f"{place}/{path.relative_to(source).as_posix()}", ZIP_DATE)
                    entry.external_attr = 0o644 << 16
                    archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    write_bytes(target, packed.getvalue())
    return target


def copy_addon(project: Path, place: str = PLACE) -> str:
    """Copy an addon of ours into a project, over an older one; returns the version that was there, if any."""
    source, target = addon_folder(place), project / place
    if place == GODOT_RL and (project / STOCK_PLUGIN).exists():
        raise ConfigError(
            f"{project} has the Godot RL Agents plugin ({STOCK_PLUGIN}), whose classes have the same "
            f"names as those of {GODOT_RL}. One of them is enough: keep the plugin, or delete it first."
        )
    if target.is_symlink() or target.resolve() == source.resolve():
        raise ConfigError(f"{target} is this Sandlot's own addon already; there is nothing to copy.")
    before = addon_version(target)
    files = [path for path in source.rglob("*") if path.is_file() and path.suffix not in MADE_BY_IMPORT]
    for path in files:
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    names = {path.relative_to(source) for path in files}
    for path in list(target.rglob("*")):  # what an older version had; the engine's ids of files stay
        if path.is_file() and path.suffix not in MADE_BY_IMPORT and path.relative_to(target) not in names:
            path.unlink()
    return before
