"""Options that all gates share, and how a verdict is printed, written and turned into an exit code."""

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Option

from ...errors import ConfigError
from ...files import write_bytes
from ...gates.markdown import MARKS, numbers, to_markdown
from ...gates.verdict import Verdict
from ..show import as_json, out, table

VerdictFile = Annotated[Path | None, Option("--output", help="Also write the verdict as JSON.")]
JUnitFile = Annotated[Path | None, Option("--junit", help="Also write JUnit XML into this file.")]
MarkdownFile = Annotated[
    Path | None,
    Option("--markdown", help="Also write Markdown into this file; appended to $GITHUB_STEP_SUMMARY."),
]
HtmlFile = Annotated[Path | None, Option("--html", help="Also write one HTML page into this file.")]
Undecided = Annotated[
    Literal["fail", "pass"], Option("--undecided", help="Whether undecided exits with 1 or with 0.")
]
ConfigFile = Annotated[Path | None, Option("--config", help="Margins and limits; else gates.toml, if any.")]
BaselinesFolder = Annotated[Path, Option("--baselines", help="Where baselines are kept.")]


def command_line() -> str:
    """What was typed, to repeat it."""
    return shlex.join(["sandlot", *sys.argv[1:]])


def finish(
    verdict: Verdict,
    output: Path | None,
    junit: Path | None,
    markdown: Path | None,
    html: Path | None,
    undecided: Literal["fail", "pass"],
    as_machine: bool,
) -> None:
    """Write the files that were asked for, print the verdict, and end with its exit code."""
    from ...gates.junit import to_junit
    from ...gates.page import to_html

    for path in (output, junit, markdown, html):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
    if output:
        verdict.write(output)
    if junit:
        write_bytes(junit, to_junit(verdict, undecided == "pass"))
    if html:
        write_bytes(html, to_html(verdict).encode())
    if markdown:
        _write_markdown(markdown, to_markdown(verdict))
    as_json(verdict.model_dump(mode="json")) if as_machine else print_verdict(verdict)
    code = verdict.exit_code(undecided)
    if code:
        raise typer.Exit(code)


def _write_markdown(path: Path, text: str) -> None:
    """GitHub collects the summaries of all steps in one file, which a step appends to."""
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and Path(summary).absolute() == path.absolute() and path.is_file():
        text = path.read_text(encoding="utf-8") + "\n" + text
    write_bytes(path, text.encode())


def print_verdict(verdict: Verdict) -> None:
    """The sentence, a table of what was judged, and what follows."""
    rows = [
        (MARKS[check.result], check.title, *numbers(check), f"{check.samples:,}")
        for check in verdict.checks
        if check.gating
    ]
    head = ("verdict", "metric", "baseline>", "current>", "difference, 95 %>", "allowed>", "samples>")
    table(f"Gate {verdict.gate}", head, rows)
    for check in verdict.checks:
        if check.gating and check.result != "pass":
            out.print_line(check.sentence)
    for note in verdict.notes:
        out.print_line(f"Note: {note}")
    for failure in verdict.failures:
        out.print_line(
            f"Seed {failure.seed}: {failure.observed_fault} Shrunk from {failure.actions_before} to "
            f"{failure.actions_after} actions."
        )
    if verdict.replay_run:
        out.print_line(f"Replays of the failures: run {verdict.replay_run}. Watch them with `sandlot serve`.")
    out.print_line(verdict.sentence)


def parse_limits(option: str, words: list[str] | None) -> dict[str, float]:
    """NAME=NUMBER words."""
    found = {}
    for word in words or []:
        name, equals, text = word.rpartition("=")
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not (name and equals and value == value and abs(value) != float("inf")):
            raise ConfigError(f"{option} {word}: expected NAME=NUMBER, such as success=0.8.")
        found[name] = value
    return found
