"""`sandlot report`: a verdict as one page to read, Markdown or HTML."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..errors import ConfigError
from ..files import write_bytes
from .show import out

FORMS = {".md": "Markdown", ".html": "HTML"}


def report(
    verdict: Annotated[Path, Argument(help="What a gate wrote with --output.")],
    output: Annotated[
        list[Path] | None, Option(help="FILE.md or FILE.html; may be repeated. Without: Markdown is printed.")
    ] = None,
) -> None:
    """Write a gate's verdict as a page: verdict first, what changed, tables, plots, worst episodes.

    Example: sandlot report verdict.json --output report.html --output report.md
    """
    from ..gates.markdown import to_markdown
    from ..gates.page import to_html
    from ..gates.verdict import read_verdict

    found = read_verdict(verdict)
    for path in output or []:
        if path.suffix not in FORMS:
            raise ConfigError(f"--output {path}: expected a name that ends in {' or '.join(FORMS)}.")
    for path in output or []:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = to_html(found) if path.suffix == ".html" else to_markdown(found)
        write_bytes(path, text.encode())
        out.print_line(f"{path} written")
    if not output:
        out.print_line(to_markdown(found))
