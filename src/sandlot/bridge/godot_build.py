"""A Godot project as a program that needs no editor: `build/NAME_headless.x86_64`, exported for training.

The project is copied, and the copy exported, so that none of its own files change. Beside the program lies
`NAME_headless.json`, which says what it was made of: an exported game can no longer be asked.
"""

import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from string import Template
from typing import Any

from ..errors import ConfigError, GodotFailed, GodotMissing
from ..files import write_bytes
from ..processes import run_quietly
from .debian import DebianEngine, machine
from .godot_engine import RECORD, Engine, cache_folder
from .godot_install import Progress, silent
from .godot_project import ensure_imported

FORMAT = "sandlot_build_v1"
SUFFIX = "_headless.x86_64"
PRESET = "Linux/X11"
EXPORT_S = 600
TEMPLATES = "templates"  # in the cache, beside the engines
LEFT_OUT = (".git", ".godot", "build", "*.tmp")
MOST_BYTES = 64 << 10  # of the file beside a build
TEMPLATE_NAME = "linux_release.x86_64"  # in the folder where the editor keeps what it downloaded
NO_TEMPLATE = (
    "Download them in the editor (Editor > Manage Export Templates), or use Debian's engine: "
    "sandlot godot install --source debian --force."
)

PRESETS = Template("""[preset.0]

name="$preset"
platform="Linux"
runnable=true
dedicated_server=false
custom_features="headless,training"
export_filter="all_resources"
include_filter="*.json,*.onnx"
exclude_filter="build/*"
export_path=""

[preset.0.options]

custom_template/debug=""
custom_template/release="$template"
binary_format/embed_pck=false
binary_format/architecture="x86_64"
""")

# Debian's template wants newer libraries than an older Debian has. Godot finds the .pck by the name of
# the running program, which is that of the loader: so a copy of the loader gets the game's name.
LAUNCHER = Template("""#!/bin/sh
# $name, exported by `sandlot godot export`: run with the libraries of Debian's engine.
here=$$(dirname "$$(readlink -f "$$0")")/$name
libraries=$libraries
exec "$$here/$name" --library-path "$$libraries:$$libraries/pulseaudio" "$$here/$name.bin" "$$@"
""")


@dataclass(frozen=True)
class Build:
    """What the file beside a build says."""

    program: Path
    project: Path  # that it was made of
    scene: str  # that it plays
    tick_rate: int
    addon: str  # version of addons/sandlot; "" where it has none
    stock: bool  # it talks through a Sync node
    engine: str  # version


def is_build(path: Path) -> bool:
    """Whether a path is meant as a build: a file, not a project's folder."""
    return path.is_file()


def read_build(path: Path) -> Build:
    """What a build was made of; ConfigError where nothing says so."""
    beside = path.with_suffix(".json")
    try:
        if beside.stat().st_size > MOST_BYTES:
            raise ValueError("it is too large")
        stored: dict[str, Any] = json.loads(beside.read_text(encoding="utf-8"))
        if stored.pop("format") != FORMAT:
            raise ValueError(f"it is no {FORMAT}")
        values = stored | {"program": path.resolve(), "project": Path(stored["project"])}
        return Build(**values)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise ConfigError(
            f"{path} is not a build of ours: {beside.name} beside it cannot be used ({problem}). "
            "Make one with: sandlot godot export --project DIR."
        ) from None


def export(
    project: Path,
    build: Build,
    engine: Engine,
    progress: Progress = silent,
) -> Path:
    """Make the program that `build` describes, with the file beside it; returns its path."""
    template = find_template(engine, progress)
    progress("exporting", 0, 0)
    with tempfile.TemporaryDirectory(prefix="sandlot-export-") as work:
        copy, made = Path(work) / "project", Path(work) / "made"
        shutil.copytree(project, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
        made.mkdir()
        presets = PRESETS.substitute(preset=PRESET, template=template)
        (copy / "export_presets.cfg").write_text(presets, encoding="utf-8")
        _set_main_scene(copy / "project.godot", build.scene)
        ensure_imported(engine, copy)
        program = made / build.program.name
        _run_export(engine, copy, program)
        build.program.parent.mkdir(parents=True, exist_ok=True)
        _install(program, build.program, engine)
    stored = asdict(build) | {"format": FORMAT, "project": str(build.project)}
    del stored["program"]
    write_bytes(build.program.with_suffix(".json"), (json.dumps(stored, indent=2) + "\n").encode())
    return build.program


def _run_export(engine: Engine, copy: Path, program: Path) -> None:
    command = [str(engine.path), "--headless", "--path", str(copy), "--export-release", PRESET, str(program)]
    try:
        done = run_quietly(command, EXPORT_S)
    except subprocess.TimeoutExpired:
        raise GodotFailed(f"Godot did not export the project within {EXPORT_S} s.") from None
    if done.returncode != 0 or not program.is_file() or not program.with_suffix(".pck").is_file():
        lines = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line]
        raise GodotFailed(f"Godot did not export the project: {' / '.join(lines[:3]) or 'it said nothing'}.")


def _install(made: Path, target: Path, engine: Engine) -> None:
    """Put a program and its data where they are wanted, in the place of an older build."""
    root = _debian_root(engine)
    if root is None:
        for source, place in ((made.with_suffix(".pck"), target.with_suffix(".pck")), (made, target)):
            Path(shutil.copy2(source, f"{place}.part")).replace(place)
        return
    name, here = target.name.removesuffix(".x86_64"), machine()
    folder = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=target.parent))
    folder.chmod(0o755)
    shutil.copy2(root / here.loader, folder / name)
    (folder / name).chmod(0o755)
    shutil.copy2(made, folder / f"{name}.bin")
    shutil.copy2(made.with_suffix(".pck"), folder / f"{name}.pck")
    shutil.rmtree(target.parent / name, ignore_errors=True)
    folder.rename(target.parent / name)
    text = LAUNCHER.substitute(name=name, libraries=f"'{root / 'usr/lib' / here.triplet}'")
    write_bytes(target, text.encode())
    target.chmod(target.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def _set_main_scene(file: Path, scene: str) -> None:
    """The copy's main scene: an exported game plays no other."""
    line = f'run/main_scene="{scene}"'
    text = file.read_text(encoding="utf-8")
    if re.search(r"^run/main_scene=", text, re.MULTILINE):
        text = re.sub(r"^run/main_scene=.*$", lambda _: line, text, flags=re.MULTILINE)
    elif "[application]" in text:
        text = text.replace("[application]\n", f"[application]\n\n{line}\n", 1)
    else:
        text += f"\n[application]\n\n{line}\n"
    file.write_text(text, encoding="utf-8")


# ---------------------------------------------------------------- templates


def find_template(engine: Engine, progress: Progress = silent) -> Path:
    """The export template of an engine's version: the editor's own, or Debian's, fetched once."""
    number = ".".join(map(str, engine.number))
    share = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share")
    for folder in (share / "godot/export_templates").glob(f"{number}.[a-z]*"):
        if (folder / TEMPLATE_NAME).is_file():
            return folder / TEMPLATE_NAME
    if _debian_root(engine) is None:
        raise GodotMissing(f"There are no export templates of Godot {engine.version}. {NO_TEMPLATE}")
    return _debian_template(engine, progress)


def _debian_template(engine: Engine, progress: Progress) -> Path:
    target = cache_folder() / TEMPLATES / engine.version / "template"
    if target.is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".template-", dir=target.parent) as folder:
        try:
            fetched = DebianEngine(Path(folder), progress).fetch_template()
        except (OSError, ValueError, subprocess.SubprocessError) as problem:
            raise GodotMissing(f"Debian's export template cannot be had: {problem}. {NO_TEMPLATE}") from None
        fetched.replace(target)
    return target


def _debian_root(engine: Engine) -> Path | None:
    """The folder of the unpacked packages, where an engine was fetched from Debian."""
    record = engine.path.parent / RECORD
    try:
        source = json.loads(record.read_text(encoding="utf-8")).get("source")
    except (OSError, ValueError):
        return None
    return engine.path.parent / "root" if source == "debian" else None
