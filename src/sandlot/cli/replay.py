"""`sandlot replay`: show or verify one recorded episode, or list the replays of a run."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text
from typer import Argument, Option

from ..errors import ConfigError, Damaged, SandlotError
from ..evaluate.replay_reader import frames
from ..evaluate.replay_recorder import Verification, verify
from ..runs import Replay, Run
from ..spec import Spec
from ..worlds.make import GYM, known_spec, remember_spec
from .options import ForMachines
from .show import as_json, out, problem, table

SHOWN_ABOVE = ("return", "returns", "steps", "ticks", "decisions")  # of an episode's sums


def replay(
    file: Annotated[Path, Argument(help="A replay (.jsonl.gz), or the folder of a run to list its replays.")],
    check: Annotated[
        bool,
        Option("--verify", help="Play it again (in Godot: check its frames); exit code 1 if it differs."),
    ] = False,
    span: Annotated[
        str | None,
        Option("--frames", metavar="OFFSET:LIMIT", help="Show so many frames from there on."),
    ] = None,
    reindex: Annotated[bool, Option("--reindex", help="Of a run folder: rebuild its index.")] = False,
    as_machine: ForMachines = False,
) -> None:
    """Show a replay: players, length, returns and events.

    Example: sandlot replay runs/RUN/replays/replay-000012-5f3a9c01.jsonl.gz --verify
    """
    if file.is_dir():
        _list(file, reindex, as_machine)
        return
    found = Replay.read(file)
    if found.header.spec is not None:
        remember_spec(Spec.restored(found.header.spec))
    summary = _summary(found)
    if span is not None:
        page = frames(found, *_span(span))
        summary |= {"offset": page.offset, "next_offset": page.next_offset, "has_more": page.has_more}
        summary["frames"] = [frame.to_json() for frame in page.frames]
    verdict = verify(found) if check else None
    if verdict:
        shown = ("agrees", "hashes", "differences", "simulated")
        summary["verdict"] = {name: getattr(verdict, name) for name in shown}
    as_json(summary) if as_machine else _print(summary, verdict)
    if verdict and not verdict.agrees:
        raise typer.Exit(1)


def _summary(found: Replay) -> dict[str, Any]:
    counts = Counter(name for _, name in found.events)
    events = dict(counts.most_common())
    return {"header": found.header.to_json(), "end": found.end.to_json(), "events": events}


def _span(text: str) -> tuple[int, int]:
    offset, sign, limit = text.partition(":")
    if not sign or not offset.isdecimal() or not limit.isdecimal() or int(limit) < 1:
        raise ConfigError(f"--frames {text}: expected OFFSET:LIMIT, for example --frames 0:20.")
    return int(offset), int(limit)


def _print(summary: dict[str, Any], verdict: Verification | None) -> None:
    header, end = summary["header"], summary["end"]
    game = f"{header['game']} {header['game_version']}, seed {header['seed']}"
    out.print(Text.assemble((header["replay_id"], "bold"), f"  {game}"))
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
        ("events", ", ".join(f"{name} {count}" for name, count in summary["events"].items()) or "none"),
        *_episode_rows(header, end["episode"]),
    ]
    table("Episode", ("what", "value"), rows)
    if "frames" in summary:
        _print_frames(summary)
    if verdict and not verdict.simulated:
        _print_kept(header, verdict)
    elif verdict and verdict.agrees:
        agreed = f" {verdict.steps} steps played again, {verdict.hashes} hashes agree."
        out.print(Text.assemble(("Verified:", "green"), agreed))
    elif verdict:
        _print_differences("It does not play again as recorded.", verdict)


def _episode_rows(header: dict[str, Any], episode: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The game's own sums, each number of a list by its label; without those that the table has already."""
    labels = _labels(header)
    for name, value in episode.items():
        if name in SHOWN_ABOVE:
            continue
        if isinstance(value, list):
            names = labels.get(name) or map(str, range(len(value)))
            value = ", ".join(f"{each} {_short(number)}" for each, number in zip(names, value, strict=False))
        yield name, f"{value:g}" if isinstance(value, float) else str(value)


def _labels(header: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """What each number of a list is called, where this engine knows the game that was played."""
    try:
        spec = known_spec(header["game"], header["config"])
        return {} if spec is None else {field.name: field.labels for field in spec.episode}
    except SandlotError:
        return {}


def _print_kept(header: dict[str, Any], verdict: Verification) -> None:
    engine, why = header["played_in"], "whose physics cannot be played again"
    if engine == GYM:
        why = "which is not installed here or does not repeat itself"
    out.print(f"It was played in {engine.capitalize()}, {why}; its frames are in the file.")
    if verdict.agrees:
        summary = f" {verdict.steps} frames agree with actions, events and sums; the digest is right."
        out.print(Text.assemble(("Whole:", "green"), summary))
    else:
        _print_differences("Its frames contradict the rest of it.", verdict)


def _print_differences(text: str, verdict: Verification) -> None:
    out.print(Text.assemble((text, "red"), " ", " ".join(verdict.differences)))


def _print_frames(summary: dict[str, Any]) -> None:
    rows = []
    for f in summary["frames"]:
        events = ", ".join(event["name"] for event in f["events"])
        rows.append((f["frame_index"], f["t"], f["dt"], _short(f["action"]), _short(f["reward"]), events))
    table(f"Frames from {summary['offset']}", ("frame>", "t>", "dt>", "action", "reward", "events"), rows)
    if summary["has_more"]:
        out.print(f"More from {summary['next_offset']} on; everything about a frame: --json")


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
        replays = [entry.to_json() for entry in entries]
        as_json({"run_id": run.run_id, "count": len(entries), "replays": replays})
        return
    columns = ("replay", "window>", "policy", "return>", "decisions>", "tags")
    rows = [
        (e.replay_id, e.window_id, e.policy_name, f"{e.return_total:.2f}", e.steps, ", ".join(e.tags))
        for e in entries
    ]
    table(f"Replays of {run.run_id}", columns, rows)
