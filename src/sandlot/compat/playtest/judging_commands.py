"""The command lines of the guide's scripts for CI: evaluate, validate, compare, report."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from ...cli.show import out
from ...errors import SandlotError
from ...files import write_bytes
from .command import _app


def evaluate_app() -> typer.Typer:
    """`evaluate_model.py`."""
    app = _app()

    @app.command()
    def evaluate_model(
        model: Annotated[Path, Option("--model", metavar="ZIP", help="What a training script saved.")],
        episodes: Annotated[int, Option("--episodes", help="10 in CI, 100 for a baseline.")] = 10,
        output: Annotated[Path | None, Option("--output", metavar="FILE.json", help="The report.")] = None,
        engine: Annotated[str, Option("--engine", help="Else where it was trained.")] = "",
    ) -> None:
        """Play a model on held-out seeds, always the same ones, and write a report with a row per episode."""
        from .evaluation import evaluate

        report = evaluate(model, episodes, engine)
        if output:
            report.write(output)
            out.print_line(f"{output} written")
        ended = report.groups[0].requested - report.groups[0].unfinished
        out.print_line(f"{ended} of {report.episodes} episodes ended")
        for name in ("mean_reward", "std_reward", "mean_episode_length", "success_rate"):
            value = getattr(report, name)
            out.print_line(f"{name}: {'no episode has it' if value is None else f'{value:.4g}'}")

    return app


def validate_app(beside: Path) -> typer.Typer:
    """`validate_training_metrics.py`."""
    app = _app()

    @app.command()
    def validate_training_metrics(
        experiment: Annotated[str, Option("--experiment", help="A folder of logs/.")],
        min_reward: Annotated[float, Option("--min_reward", help="Of the last mean reward.")] = -10.0,
        max_physics_time: Annotated[
            float, Option("--max_physics_time", help="ms of a physics frame.")
        ] = 15.0,
        folder: Annotated[Path | None, Option("--folder", help="Of logs/; else the script's own.")] = None,
    ) -> None:
        """Judge the metrics of a training. Exit code 0 good, 1 bad or not there, 3 no episode ended yet."""
        from .judging import NO_DATA_CODE, validate_training

        logs = (folder or beside) / "logs" / experiment
        try:
            verdict = validate_training(logs, min_reward, max_physics_time)
        except SandlotError as problem:  # the guide's script knows 0 and 1 alone
            typer.echo(str(problem), err=True)
            raise typer.Exit(1) from None
        for check in verdict.checks:
            out.print_line(check.sentence)
        out.print_line(verdict.sentence)
        if verdict.result == "no_data":
            raise typer.Exit(NO_DATA_CODE)
        if verdict.result != "pass":
            raise typer.Exit(1)

    return app


def regression_app() -> typer.Typer:
    """`check_regression.py`."""
    app = _app()

    @app.command()
    def check_regression(
        current: Annotated[Path, Option("--current", metavar="FILE.json", help="The new report.")],
        baseline: Annotated[Path, Option("--baseline", metavar="FILE.json", help="The old report.")],
        tolerance: Annotated[
            float,
            Option("--tolerance", min=0.0001, max=10, help="How much worse, as a share of the baseline."),
        ] = 0.1,
        output: Annotated[Path | None, Option("--output", metavar="FILE.json", help="The verdict.")] = None,
    ) -> None:
        """Is the new report worse than the old one? Exit code 0 no, 1 yes, 2 could not be compared.

        Reports with the same seeds are paired; too few pairs to decide is said, and exits with 0.
        """
        from .judging import check_regression as judge
        from .judging import print_changes

        verdict = judge(baseline, current, tolerance)
        if output:
            verdict.write(output)
        print_changes(verdict, out.print_line)
        if verdict.exit_code("pass"):
            raise typer.Exit(1)

    return app


def report_app() -> typer.Typer:
    """`generate_report.py`."""
    app = _app()

    @app.command()
    def generate_report(
        metrics: Annotated[Path, Option("--metrics", metavar="FILE.json", help="A report, or a verdict.")],
        output: Annotated[Path, Option("--output", metavar="FILE.md", help="The page to write.")],
    ) -> None:
        """Write a report or a verdict as Markdown."""
        from .judging import page_of

        output.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(output, page_of(metrics).encode())
        out.print_line(f"{output} written")

    return app
