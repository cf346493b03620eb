"""`python -m sandlot` is the `sandlot` program."""

from .cli.main import run

run()
