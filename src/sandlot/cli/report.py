"""`sandlot report`: a verdict or an evaluation as one page to read, Markdown or HTML."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..errors import ConfigError
from ..files import write_bytes
from .show import out


def report(
    verdict: Annotated[Path, Argument(help="What a gate, or `sandlot eval`, wrote with --output.")],
    output: Annotated[
        list[Path] | None, Option(help="FILE.md or FILE.html; may be repeated. Without: Markdown is printed.")
    ] = None,
) -> None:
    """Write a gate's verdict as a page: verdict first, what changed, tables, plots, worst episodes.

    An evaluation becomes a Markdown page of its metrics.

    Example: sandlot report verdict.json --output report.html --output report.md
    """
    pages = _pages(verdict)
    for path in output or []:
        if path.suffix not in pages:
            raise ConfigError(f"--output {path}: expected a name that ends in {' or '.join(pages)}.")
    for path in output or []:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, pages[path.suffix]().encode())
        out.print_line(f"{path} written")
    if not output:
        out.print_line(pages[".md"]())


def _pages(path: Path) -> dict[str, Callable[[], str]]:
    """How each form is made of this file."""
    from ..evaluate.report_file import is_report, read_report
    from ..gates import evaluation_page, markdown, page
    from ..gates.verdict import read_verdict

    if is_report(path):
        report = read_report(path)
        return {".md": lambda: evaluation_page.to_markdown(report)}
    verdict = read_verdict(path)
    return {".md": lambda: markdown.to_markdown(verdict), ".html": lambda: page.to_html(verdict)}
