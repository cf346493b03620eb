"""Writes the table of variables into docs/environment.md: `python scripts/environment_page.py`."""

from __future__ import annotations

from pathlib import Path

from sandlot.compat.variables import GROUPS

BEGIN, END = "<!-- table: python scripts/environment_page.py -->", "<!-- end of table -->"


def table() -> str:
    """All variables as Markdown."""
    lines = []
    for title, group in GROUPS.items():
        lines += ["", f"### {title}", "", "| variable | default | becomes | meaning |", "|---|---|---|---|"]
        for v in group:
            default = f"`{v.default}`" if v.default else ""
            if v.name == "AI_PATHSEP":
                default = "`;` on Windows, else `:`"
            becomes = ", ".join(f"`{part.strip()}`" for part in v.becomes.split(",")) if v.becomes else ""
            lines.append(f"| `{v.name}` | {default} | {becomes} | {v.text} |")
    return "\n".join(lines) + "\n"


def refreshed(page: str) -> str:
    """The page with its table as it should be."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def main() -> None:
    """Write the table into docs/environment.md."""
    page = Path(__file__).resolve().parents[1] / "docs" / "environment.md"
    page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
