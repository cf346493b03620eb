"""Makes the golden traces anew: python tests/golden/make_traces.py [CASE...] [--player NAME] [--force]

Only for a game whose version was raised (README.md says why); else the script refuses when bits differ. A
scripted player that plays differently changes no rule: with --player only the seeds it plays may differ.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "engine"))

from builds import build_program, compilers
from traces import CASES, GOLDEN, case_arguments, describe, trace, write_case


def version_in(path: Path) -> str | None:
    """The game version in a golden file's heading: `# tag version 1, …`."""
    return path.read_text().split(",")[0].split()[-1] if path.exists() else None


def changed_seeds(before: list[str], after: list[str]) -> set[int]:
    return {int(new.split()[0]) for old, new in zip(before, after, strict=True) if old != new}


def seeds_of(player: str, spec: dict, seeds: set[int]) -> set[int]:
    """Those in which somebody is played by this scripted player: the head of engine/tests/trace.c."""
    names = [bot["name"] for bot in spec["bots"]]
    agents = range(spec["shape"]["agents"])
    return {
        seed for seed in seeds
        if seed % 4 > 1 and any(names[(seed // 4 + agent) % len(names)] == player for agent in agents)
    }  # fmt: skip


def make(case: dict, program: Path, force: bool, player: str | None) -> None:
    spec = describe(program, case["game"])
    heading = f"{case['game']} version {spec['version']}, case {case['name']}"
    for name, each in ((case["name"], False), (f"{case['name']}_steps", True)):
        lines = trace([str(program)], case_arguments(case, spec, each))
        path = GOLDEN / f"{name}.txt"
        before = path.read_text().splitlines()[1:] if path.exists() else None
        if before == lines and version_in(path) == spec["version"]:
            print(f"{path.name}: as it was")
            continue
        moved = changed_seeds(before, lines) if before and player and len(before) == len(lines) else set()
        only_player = bool(moved) and moved == seeds_of(player or "", spec, moved)
        allowed = force or only_player
        if before not in (None, lines) and version_in(path) == spec["version"] and not allowed:
            raise SystemExit(
                f"{path.name}: the bits of {case['game']} changed, its version is still {spec['version']}. "
                "Raise the version in the game, or find what changed them; --force is for unreleased games."
            )
        write_case(name, heading, lines)
        print(f"{path.name}: {len(lines)} lines, version {spec['version']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", help=f"which; all by default: {', '.join(CASES)}")
    parser.add_argument(
        "--force", action="store_true", help="also without a raised version: before a first release"
    )
    parser.add_argument(
        "--player", help="a scripted player that was changed: its seeds may differ, no others"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = build_program(Path(folder) / "trace", "trace.c", compilers()["gcc"], "-O0")
        for name in asked.cases or CASES:
            make(CASES[name], program, asked.force, asked.player)


if __name__ == "__main__":
    main()
