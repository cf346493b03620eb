"""`sandlot replay`: look into one recorded episode, prove it, or list those of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from ..errors import ConfigError, Damaged, SandlotError
from ..evaluate.replays import Verdict, frames, verify
from ..games import Spec
from ..runs import Replay, Run
from .options import ForMachines
from .show import as_json, out, problem, table

SAID_ABOVE = ("return", "returns", "steps", "ticks", "decisions")  # of an episode's sums


def replay(
    file: Annotated[
        Path, typer.Argument(help="A replay (.jsonl.gz), or the folder of a run to list its replays.")
    ],
    check: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Play it again (of a Godot match: check its frames); exit code 1 when anything differs.",
        ),
    ] = False,
    span: Annotated[
        Optional[str],  # noqa: UP045  (typer reads Optional on every Python)
        typer.Option("--frames", metavar="OFFSET:LIMIT", help="Show so many frames from there on."),
    ] = None,
    reindex: Annotated[
        bool, typer.Option("--reindex", help="Of a run folder: rebuild its catalogue.")
    ] = False,
    as_machine: ForMachines = False,
) -> None:
    """Show a replay: what was played, what came of it, what happened.

    Example: sandlot replay runs/RUN/replays/replay-000012-5f3a9c01.jsonl.gz --verify
    """
    if file.is_dir():
        _list(file, reindex, as_machine)
        return
    found = Replay.read(file)
    told = _told(found)
    if span is not None:
        page = frames(found, *_span(span))
        told |= {"offset": page.offset, "next_offset": page.next_offset, "has_more": page.has_more}
        told["frames"] = [frame.to_json() for frame in page.frames]
    verdict = verify(found) if check else None
    if verdict:
        told["verdict"] = {
            "agrees": verdict.agrees,
            "hashes": verdict.hashes,
            "differences": verdict.differences,
            "played_again": verdict.played_again,
        }
    as_json(told) if as_machine else _print(told, verdict)
    if verdict and not verdict.agrees:
        raise typer.Exit(1)


def _told(found: Replay) -> dict[str, Any]:
    counts = Counter(name for _, name in found.events)
    return {
        "header": found.header.to_json(),
        "end": found.end.to_json(),
        "events": dict(counts.most_common()),
    }


def _span(text: str) -> tuple[int, int]:
    offset, sign, limit = text.partition(":")
    if not sign or not offset.isdecimal() or not limit.isdecimal() or int(limit) < 1:
        raise ConfigError(f"--frames {text}: expected OFFSET:LIMIT, for example --frames 0:20.")
    return int(offset), int(limit)


def _print(told: dict[str, Any], verdict: Verdict | None) -> None:
    header, end = told["header"], told["end"]
    out.print(
        f"[bold]{header['replay_id']}[/]  {header['game']} {header['game_version']}, seed {header['seed']}"
    )
    ending = "terminated" if end["terminated"] else "truncated" if end["truncated"] else "still going"
    returns = zip(header["agents"], end["returns"], strict=True)
    rows = [
        ("played in", f"{header['played_in']}, {header['engine']}"),
        ("played by", ", ".join(f"{role}: {name}" for role, name in header["policies"].items())),
        ("from", f"run {header['run_id']}, window {header['window_id']}" if header["run_id"] else "no run"),
        ("recorded", header["created_at"]),
        ("replay tags", ", ".join(header["tags"]) or "none"),
        ("length", f"{end['steps']} decisions, {end['ticks']} ticks, {ending}"),
        ("returns", ", ".join(f"{role} {value:.3f}" for role, value in returns)),
        ("events", ", ".join(f"{name} {count}" for name, count in told["events"].items()) or "none"),
        *_episode_rows(header, end["episode"]),
    ]
    table("Episode", ("what", "value"), rows)
    if "frames" in told:
        _print_frames(told)
    if verdict and not verdict.played_again:
        _print_kept(header, verdict)
    elif verdict and verdict.agrees:
        out.print(
            f"[green]Verified:[/] {verdict.steps} steps played again, {verdict.hashes} state hashes agree."
        )
    elif verdict:
        out.print("[red]It does not play again as recorded.[/] " + " ".join(verdict.differences))


def _episode_rows(header: dict[str, Any], episode: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The game's own sums, each number of a list by its label; what stands above is not said twice."""
    labels = _labels(header)
    for name, value in episode.items():
        if name in SAID_ABOVE:
            continue
        if isinstance(value, list):
            names = labels.get(name) or map(str, range(len(value)))
            value = ", ".join(f"{each} {_short(number)}" for each, number in zip(names, value, strict=False))
        yield name, f"{value:g}" if isinstance(value, float) else str(value)


def _labels(header: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """What each number of a list is called, where this engine knows the game that was played."""
    try:
        return {field.name: field.labels for field in Spec(header["game"], header["config"]).episode}
    except SandlotError:
        return {}


def _print_kept(header: dict[str, Any], verdict: Verdict) -> None:
    name = header["played_in"].capitalize()
    out.print(f"It was played in {name}, whose physics cannot be played again; its frames are in the file.")
    if verdict.agrees:
        told = f"{verdict.steps} frames agree with actions, events and sums; the digest is right."
        out.print(f"[green]Whole:[/] {told}")
    else:
        out.print("[red]Its frames contradict the rest of it.[/] " + " ".join(verdict.differences))


def _print_frames(told: dict[str, Any]) -> None:
    rows = [
        (
            f["frame_index"],
            f["t"],
            f["dt"],
            _short(f["action"]),
            _short(f["reward"]),
            ", ".join(e["name"] for e in f["events"]),
        )
        for f in told["frames"]
    ]
    table(f"Frames from {told['offset']}", ("frame>", "t>", "dt>", "action", "reward", "events"), rows)
    if told["has_more"]:
        out.print(f"More from {told['next_offset']} on; everything about a frame: --json")


def _short(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_short, value)) + "]"
    return f"{value:.3g}"


def _list(folder: Path, reindex: bool, as_machine: bool) -> None:
    run = Run(folder)
    if not run.paths.record.is_file():
        raise Damaged(f"{folder} is not the folder of a run: it has no {run.paths.record.name}.")
    if reindex:
        for trouble in run.reindex():
            problem(f"left out: {trouble}")
    entries = run.index.find(limit=5000)
    if as_machine:
        as_json(
            {"run_id": run.run_id, "count": len(entries), "replays": [entry.to_json() for entry in entries]}
        )
        return
    columns = ("replay", "window>", "policy", "return>", "decisions>", "tags")
    rows = [
        (e.replay_id, e.window_id, e.policy_name, f"{e.return_total:.2f}", e.steps, ", ".join(e.tags))
        for e in entries
    ]
    table(f"Replays of {run.run_id}", columns, rows)
