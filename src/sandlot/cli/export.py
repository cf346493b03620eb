"""`sandlot export`: policies as ONNX files, compared with PyTorch in outputs and speed."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from ..errors import ConfigError
from ..runs.paths import RunPaths, export_name
from ..runs.store import open_run
from .options import RUNS, ForMachines, RunsFolder, parse_ints
from .progress import ProgressCallback, progress
from .show import as_json, out, table

if TYPE_CHECKING:  # imported when needed: torch takes seconds
    from ..evaluate.players import Checkpoint
    from ..policies import Policy


def export(
    name: Annotated[
        str, Argument(metavar="RUN|CHECKPOINT", help="A run's id or folder, `latest`, or a .pt file.")
    ],
    plain: Annotated[
        bool, Option("--onnx", help="Unchanged, as float32; the default unless another form is chosen.")
    ] = False,
    int8: Annotated[bool, Option("--int8", help="With 8-bit weights: about a quarter of the size.")] = False,
    stock: Annotated[
        bool, Option("--godot-rl", help="For the stock Godot RL Agents plugin: `obs` in, `output` out.")
    ] = False,
    student: Annotated[
        str | None,
        Option("--distill", metavar="LAYERS", help="Distil into a smaller network, such as 64,64."),
    ] = None,
    rounds: Annotated[int, Option(min=1, max=1000, help="Rounds of distillation.")] = 60,
    role: Annotated[str | None, Option(help="Only this role, of a game with several.")] = None,
    output: Annotated[Path | None, Option(help="Folder to write into; else the run's exports/.")] = None,
    runs: RunsFolder = RUNS,
    as_machine: ForMachines = False,
) -> None:
    """Export policies as ONNX, and compare their outputs and speed with PyTorch.

    Examples: sandlot export latest · sandlot export latest --onnx --int8 --distill 64,64
    """
    import torch

    from ..evaluate.players import open_checkpoint
    from ..policies.distill import check_hidden_sizes

    torch.set_num_threads(1)  # what is compared runs on one core each
    layers = None
    if student:
        layers = check_hidden_sizes(tuple(parse_ints("--distill", student, "64,64", high=99_999)))
    checkpoint = open_checkpoint(name, runs)
    roles = list(checkpoint.policies) if role is None else [checkpoint.player(role).role]
    place = _place(name, runs, output)
    forms = [""] if plain or not (int8 or stock or layers) else []
    report: dict[str, Any] = {key: checkpoint.origin[key] for key in ("run_id", "window_id")}
    with progress("Exporting") as update:
        exporter = _Exporter(checkpoint, place, [*forms, *(["int8"] if int8 else [])], stock)
        report["roles"] = {each: exporter.write(each, layers, rounds, update) for each in roles}
    as_json(report) if as_machine else _print(report)


def _place(name: str, runs: Path, output: Path | None) -> Path:
    """The run's exports folder; of a file outside a run, the folder it lies in."""
    if output is not None:
        return output
    path = Path(name)
    if path.suffix in (".pt", ".onnx"):
        paths = RunPaths(path.resolve().parent.parent)
        return paths.exports if paths.record.is_file() else path.parent
    return open_run(name, runs).paths.exports


class _Exporter:
    """Writes each chosen form of a policy, and compares it with the policy. forms: "" and "int8"."""

    def __init__(self, checkpoint: Checkpoint, place: Path, forms: list[str], stock: bool):
        self.checkpoint, self.place, self.forms, self.stock = checkpoint, place, forms, stock

    def write(
        self, role: str, layers: tuple[int, ...] | None, rounds: int, update: ProgressCallback
    ) -> dict[str, Any]:
        from ..policies.compare import measure_speed
        from ..policies.exported import load_onnx

        policy = self.checkpoint.policies[role]
        if not hasattr(policy, "network"):
            raise ConfigError(f"{self.checkpoint.name} is an exported policy. Give the run or the .pt file.")
        files = [self._one(policy, form, form == "int8") for form in self.forms]
        if layers:
            files += self._students(policy, layers, rounds, update)
        players = {"pytorch": policy} | {file["file"]: load_onnx(file["path"]) for file in files}
        if self.stock:
            files.append(self._stock(policy))
        return {"files": files, "microseconds": measure_speed(players)}

    def _students(
        self, policy: Policy, layers: tuple[int, ...], rounds: int, update: ProgressCallback
    ) -> list[dict[str, Any]]:
        from ..policies.distill import distill

        opponents = {role: other for role, other in self.checkpoint.policies.items() if role != policy.role}
        tell = partial(update, f"{policy.role}: distilling")
        student, lesson = distill(policy, layers, rounds, opponents=opponents, on_round=tell)
        name = "x".join(map(str, layers))
        made = [self._one(student, name, False)]
        if "int8" in self.forms:
            made.append(self._one(student, f"{name}-int8", True))
        return [one | {"student": lesson.to_json()} for one in made]

    def _stock(self, policy: Policy) -> dict[str, Any]:
        from ..policies.godot_rl import export_godot_rl

        path = self.place / export_name(policy.role, self.checkpoint.window_of(policy.role), "godot_rl")
        return {"file": path.name, "form": "godot_rl"} | export_godot_rl(policy, path).to_json()

    def _one(self, policy: Policy, variant: str, int8: bool) -> dict[str, Any]:
        from ..policies.export import export_onnx

        window = self.checkpoint.window_of(policy.role)
        run_id = self.checkpoint.origin["run_id"] if window is not None else None
        path = self.place / export_name(policy.role, window, variant)
        report = export_onnx(policy, path, int8=int8, run_id=run_id, window_id=window)
        return {"file": path.name, "form": variant or "onnx"} | report.to_json()


# ---------------------------------------------------------------- for people


def _print(report: dict[str, Any]) -> None:
    for role, row in report["roles"].items():
        rows = [
            (
                f["file"],
                f"{f['bytes'] / 1024:,.0f} KiB",
                f"{f['max_difference']:.1e}",
                f"{100 * f['greedy_agreement']:.1f} %",
                f"{100 * f['drawn_agreement']:.1f} %",
                f"{100 * f['student']['agreement']:.1f} %" if "student" in f else "",
            )
            for f in row["files"]
        ]
        names = ("file", "size>", "largest difference>", "same likeliest>", "same drawn>", "student agrees>")
        observations = row["files"][0]["rows"]
        table(f"{role}: compared with PyTorch on {observations} observations of its own play", names, rows)
        players = [key for key in row["microseconds"][0] if key != "rows"]
        times = [(line["rows"], *(f"{line[p]:,.0f}" for p in players)) for line in row["microseconds"]]
        table(f"{role}: microseconds per call, one core", ("rows>", *(f"{p}>" for p in players)), times)
        out.print_line(f"Written into {Path(row['files'][0]['path']).parent}")
