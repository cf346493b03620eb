"""Options that the commands of `sandlot baseline` share."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

BaselineName = Annotated[
    str, Argument(help="The baseline's name: letters, digits, dots, dashes, underscores.")
]
Folder = Annotated[Path, Option("--baselines", help="Where baselines are kept.")]
