"""`sandlot export`: a run's policies as ONNX files, beside PyTorch in answers and speed."""

# ruff: noqa: UP045  (typer reads Optional on every Python)
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from ..errors import ConfigError
from .options import RUNS, ForMachines, RunsFolder
from .progress import Tell, progress
from .show import as_json, out, table

if TYPE_CHECKING:  # imported when needed: torch takes seconds
    from ..evaluate.players import Checkpoint
    from ..policies import Policy


def export(
    name: Annotated[
        str, typer.Argument(metavar="RUN|CHECKPOINT", help="A run's id or folder, `latest`, or a .pt file.")
    ],
    plain: Annotated[
        bool,
        typer.Option("--onnx", help="The policy as it is; the default unless another form is asked for."),
    ] = False,
    int8: Annotated[
        bool, typer.Option("--int8", help="With weights of one byte: about a quarter of the size.")
    ] = False,
    stock: Annotated[
        bool, typer.Option("--godot-rl", help="For the stock Godot RL Agents plugin: `obs` in, `output` out.")
    ] = False,
    student: Annotated[
        Optional[str],
        typer.Option("--distill", metavar="LAYERS", help="A smaller student of these layers, such as 64,64."),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="Of teaching a student.")] = 60,
    role: Annotated[Optional[str], typer.Option(help="This role only: seeker or hider.")] = None,
    output: Annotated[
        Optional[Path], typer.Option(help="Folder to write into, instead of the run's exports/.")
    ] = None,
    runs: RunsFolder = RUNS,
    as_machine: ForMachines = False,
) -> None:
    """Write policies as ONNX, and show that they answer as PyTorch does, and how fast.

    Examples: sandlot export latest · sandlot export latest --onnx --int8 --distill 64,64
    """
    import torch

    from ..evaluate.players import open_checkpoint

    torch.set_num_threads(1)  # what is compared runs on one core each
    layers = _layers(student)
    checkpoint = open_checkpoint(name, runs)
    roles = list(checkpoint.policies) if role is None else [checkpoint.player(role).role]
    place = _place(name, runs, output)
    report: dict[str, Any] = {
        "run_id": checkpoint.origin["run_id"],
        "window_id": checkpoint.origin["window_id"],
    }
    with progress("Exporting") as tell:
        forms = _Forms(
            checkpoint, place, plain or not (int8 or stock or layers), int8, stock, layers, rounds, tell
        )
        report["roles"] = {each: forms.write(each) for each in roles}
    as_json(report) if as_machine else _print(report)


def _layers(text: str | None) -> tuple[int, ...] | None:
    from ..policies.distill import check_hidden

    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 6 for part in parts):
        raise ConfigError(
            f"--distill {text}: expected units of each layer with commas between, such as 64,64."
        )
    return check_hidden(tuple(int(part) for part in parts))


def _place(name: str, runs: Path, output: Path | None) -> Path:
    """The run's exports folder; of a file outside a run, the folder it lies in."""
    from ..runs.paths import RunPaths
    from ..runs.store import locate

    if output is not None:
        return output
    path = Path(name)
    if path.suffix in (".pt", ".onnx"):
        paths = RunPaths(path.resolve().parent.parent)
        return paths.exports if paths.record.is_file() else path.parent
    store, run_id = locate(name, runs)
    return store.open(run_id).paths.exports


class _Forms:
    """Writes each form that was asked for, and measures it beside the policy it was made from."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        place: Path,
        plain: bool,
        int8: bool,
        stock: bool,
        layers: tuple[int, ...] | None,
        rounds: int,
        tell: Tell,
    ):
        self.checkpoint, self.place, self.tell = checkpoint, place, tell
        self.plain, self.int8, self.stock = plain, int8, stock
        self.layers, self.rounds = layers, rounds

    def write(self, role: str) -> dict[str, Any]:
        from ..policies.compare import speed
        from ..policies.exported import load_onnx

        policy = self.checkpoint.policies[role]
        if not hasattr(policy, "network"):
            raise ConfigError(f"{self.checkpoint.name} is an exported policy. Give the run or the .pt file.")
        files = []
        if self.plain:
            files.append(self._one(policy, "", False))
        if self.int8:
            files.append(self._one(policy, "int8", True))
        if self.layers:
            files += self._students(policy, role)
        players = {"pytorch": policy} | {told["file"]: load_onnx(told["path"]) for told in files}
        if self.stock:
            files.append(self._stock(policy))
        return {"files": files, "microseconds": speed(players)}

    def _students(self, policy: Policy, role: str) -> list[dict[str, Any]]:
        from ..policies.distill import distill

        assert self.layers
        rivals = {r: p for r, p in self.checkpoint.policies.items() if r != role}
        told = f"{role}: teaching a student"
        student, lesson = distill(
            policy, self.layers, self.rounds, rivals=rivals, tell=lambda done, of: self.tell(told, done, of)
        )
        name = "x".join(map(str, self.layers))
        made = [self._one(student, name, False)]
        if self.int8:
            made.append(self._one(student, f"{name}-int8", True))
        return [one | {"student": lesson.to_json()} for one in made]

    def _stock(self, policy: Policy) -> dict[str, Any]:
        from ..policies.godot_rl import export_godot_rl
        from ..runs.paths import export_name

        path = self.place / export_name(policy.role, self.checkpoint.window_of(policy.role), "godot_rl")
        return {"file": path.name, "form": "godot_rl"} | export_godot_rl(policy, path).to_json()

    def _one(self, policy: Policy, variant: str, int8: bool) -> dict[str, Any]:
        from ..policies.export import export_onnx
        from ..runs.paths import export_name

        origin = self.checkpoint.origin
        window = self.checkpoint.window_of(policy.role)
        run_id = origin["run_id"] if window is not None else None
        path = self.place / export_name(policy.role, window, variant)
        report = export_onnx(policy, path, int8=int8, run_id=run_id, window_id=window)
        return {"file": path.name, "form": variant or "onnx"} | report.to_json()


# ---------------------------------------------------------------- for people


def _print(report: dict[str, Any]) -> None:
    for role, told in report["roles"].items():
        rows = [
            (
                f["file"],
                f"{f['bytes'] / 1024:,.0f} KiB",
                f"{f['max_difference']:.1e}",
                f"{100 * f['greedy_agreement']:.1f} %",
                f"{100 * f['drawn_agreement']:.1f} %",
                f"{100 * f['student']['agreement']:.1f} %" if "student" in f else "",
            )
            for f in told["files"]
        ]
        names = ("file", "size>", "largest difference>", "same likeliest>", "same drawn>", "student agrees>")
        table(
            f"{role}: beside PyTorch on {told['files'][0]['rows']} observations of its own play", names, rows
        )
        players = [key for key in told["microseconds"][0] if key != "rows"]
        table(
            f"{role}: microseconds a call, one core",
            ("rows>", *(f"{player}>" for player in players)),
            [(row["rows"], *(f"{row[player]:,.0f}" for player in players)) for row in told["microseconds"]],
        )
        out.print(f"Written into {Path(told['files'][0]['path']).parent}", markup=False)
