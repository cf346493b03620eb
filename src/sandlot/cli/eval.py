"""`sandlot eval`: how good a checkpoint is, with scripted players beside it."""

# ruff: noqa: UP045  (typer reads Optional on every Python)
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from .. import seeding
from ..errors import ConfigError, UnknownName
from .options import RUNS, Deadlines, ForMachines, RunsFolder, use_deadlines
from .progress import Tell, progress
from .show import as_json, out, table

if TYPE_CHECKING:  # imported when needed: torch takes seconds
    from ..evaluate import examination as ex
    from ..evaluate.bots import Contender
    from ..evaluate.players import Checkpoint, Player
    from ..runs import IndexEntry, Run


Judged = Annotated[
    str,
    typer.Argument(metavar="RUN|CHECKPOINT", help="A run's id or folder, `latest`, or a .pt or .onnx file."),
]
Require = Annotated[
    Optional[list[str]],
    typer.Option(
        metavar="BOT|all",
        help="Exit with 1 unless it is shown to be as good as this bot: cautious_scanner in survival, "
        "market_timer in profit a tick, others in profit; all: each of these, and every bot in profit.",
    ),
]
Margin = Annotated[
    float,
    typer.Option(min=0, max=1, help="With --require: by which share of a bot's figure it may be worse."),
]
Likeliest = Annotated[
    bool, typer.Option("--greedy", help="Take the likeliest actions instead of drawing by probability.")
]
Record = Annotated[
    bool,
    typer.Option("--record", help="Also record its first match, in that engine, into the run's replays."),
]
Rows = Annotated[bool, typer.Option("--rows", help="With --json: also one row an episode of a pilot.")]


def eval(
    name: Judged,
    episodes: Annotated[
        int, typer.Option(min=1, max=100_000, help="Held-out episodes; 1000 is the full protocol.")
    ] = 300,
    against: Annotated[
        Optional[str], typer.Option(metavar="BOT[:LEVEL]|RUN", help="One rival instead of all scripted ones.")
    ] = None,
    role: Annotated[Optional[str], typer.Option(help="Judge this role only: seeker or hider.")] = None,
    seeds: Annotated[
        Optional[str], typer.Option(help="Seed lists to deal from, such as 7,19,31; else those of eval.")
    ] = None,
    require: Require = None,
    margin: Margin = 0.0,
    likeliest: Likeliest = False,
    engine: Annotated[str, typer.Option(help="What plays: native, or godot for a Godot process.")] = "native",
    compare: Annotated[
        Optional[str], typer.Option(metavar="ENGINE", help="Play the same there too: the transfer gap.")
    ] = None,
    record: Record = False,
    deadlines: Deadlines = "",
    threads: Annotated[int, typer.Option(min=1, max=256, help="Of engine and policy.")] = 1,
    rows: Rows = False,
    runs: RunsFolder = RUNS,
    output: Annotated[Optional[Path], typer.Option(help="Also write the report into this file.")] = None,
    as_machine: ForMachines = False,
) -> None:
    """Judge a checkpoint on held-out seeds, scripted players beside it on the same ones.

    Examples: sandlot eval latest --require all · sandlot eval latest --role hider --against chase:3 ·
    sandlot eval latest --engine godot --compare native · sandlot eval latest --engine godot --record
    """
    from ..evaluate.examination import Stage

    use_deadlines(deadlines)
    judged = _opened(name, runs, threads, likeliest)
    _check_engines(judged.spec, engine, compare)
    home = _home(name, runs) if record else None
    stage = Stage(judged.spec, _seeds(seeds, episodes), threads, engine)
    with progress(f"Playing {judged.spec.game}") as tell:
        if judged.spec.agents == 1:
            report, good = _pilot(stage, judged, against, require or [], margin, rows, runs, tell)
        else:
            report, good = _roles(stage, judged, role, against, require or [], runs, tell, compare), True
    if home:
        rival = _rival_of(stage, role, against, runs) if against and role else None
        report["replay"] = _recorded(home, judged, stage, rival).to_json()
    if output:
        _write(report, output)
    as_json(report) if as_machine else _print(report)
    if not good:
        raise typer.Exit(1)


# ---------------------------------------------------------------- before and after


def _opened(name: str, runs: Path, threads: int, likeliest: bool) -> Checkpoint:
    import torch

    from ..evaluate.players import open_checkpoint

    torch.set_num_threads(threads)
    judged = open_checkpoint(name, runs)
    for policy in judged.policies.values():
        policy.greedy = likeliest
    return judged


def _write(report: dict[str, Any], path: Path) -> None:
    from ..runs.atomic import write_json

    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, report)


def _check_engines(spec: Any, *engines: str | None) -> None:
    """Refuse an engine that is not there, before anybody plays."""
    from ..games.make import ENGINES

    for engine in filter(None, engines):
        if engine not in ENGINES:
            raise UnknownName("engine", engine, ENGINES)
        if engine == "godot":
            from ..bridge.godot_game import check_playable

            check_playable(spec.game)


def _home(name: str, runs: Path) -> Run:
    """The run that a recorded match goes into."""
    from ..runs import locate

    if Path(name).suffix in (".pt", ".onnx"):
        raise ConfigError(f"--record writes into a run, {name} is a file. Give the run's id or folder.")
    store, run_id = locate(name, runs)
    return store.open(run_id)


def _rival_of(stage: ex.Stage, role: str, against: str, runs: Path) -> Player:
    from ..evaluate.examination import other_role

    return _rival(stage, other_role(stage.spec, role), against, runs, stage.threads)[0]


def _recorded(run: Run, judged: Checkpoint, stage: ex.Stage, rival: Player | None) -> IndexEntry:
    from ..evaluate.recording import record_match
    from ..evaluate.replays import Origin
    from ..evaluate.tags import TagRules

    window = judged.origin["window_id"] or 0
    origin = Origin(
        run_id=run.run_id,
        window_id=window,
        trainer_backend=run.record.trainer_backend,
        checkpoint_path=run.paths.relative(run.paths.checkpoint(window)),
        checkpoint_env_steps_total=judged.origin["env_steps_total"],
    )
    # the evaluator's own match of the window is the canonical one; this is one more
    match = (run, judged.policies, origin, stage.seeds[0], 1, TagRules(), stage.engine, rival)
    return record_match(*match, windows=judged.origin.get("windows"))


def _seeds(text: str | None, episodes: int) -> list[int]:
    """Held-out seeds on which no checkpoint was chosen either, or those of numbered lists."""
    from ..evaluate.bots import seed_list

    if text is None:
        return seeding.held_out("eval", episodes)
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise ConfigError(f"--seeds {text}: expected whole numbers with commas between, such as 7,19,31.")
    return seed_list(episodes, [int(part) for part in parts])


def _rival(
    stage: ex.Stage, role: str, word: str, runs: Path, threads: int
) -> tuple[Player, list[Checkpoint]]:
    """A bot by name, else a run or a file."""
    from ..evaluate.players import open_checkpoint, same_rules, scripted_by_name

    if word.partition(":")[0] in stage.spec.bots:
        return scripted_by_name(stage.spec, role, word, threads), []
    other = open_checkpoint(word, runs)
    same_rules([other], stage.spec)
    return other.player(role), [other]


# ---------------------------------------------------------------- one pilot


def _pilot(
    stage: ex.Stage,
    judged: Checkpoint,
    against: str | None,
    require: list[str],
    margin: float,
    rows: bool,
    runs: Path,
    tell: Tell,
) -> tuple[dict[str, Any], bool]:
    from ..evaluate import examination as ex
    from ..evaluate.players import scripted

    (role,) = judged.policies
    used = [judged]
    beside = scripted(stage.spec, role, "top", stage.threads)
    if against:
        rival, more = _rival(stage, role, against, runs, stage.threads)
        beside, used = [rival], used + more
    if require and against:
        raise ConfigError("--require compares with every bot; leave --against out.")
    ex.check_expectations(stage.spec, require)
    first, *others = ex.pilots(stage, [judged.player(role), *beside], tell)
    expected = ex.expectations(first, others, require, margin)
    report = ex.head_of(stage, used) | {
        "run_id": judged.origin["run_id"],
        "contenders": [c.as_json(rows) for c in [first, *_by_profit(others)]],
        "deltas": ex.deltas(first, others),
        "expectations": [e.as_json() for e in expected],
    }
    return report, all(e.verdict == "met" for e in expected)


def _by_profit(contenders: list[Contender]) -> list[Contender]:
    return sorted(contenders, key=lambda c: -c.figures["net_profit_mean"])


# ---------------------------------------------------------------- seekers and hiders


def _roles(
    stage: ex.Stage,
    judged: Checkpoint,
    role: str | None,
    against: str | None,
    require: list[str],
    runs: Path,
    tell: Tell,
    compare: str | None = None,
) -> dict[str, Any]:
    from ..evaluate import examination as ex
    from ..evaluate.players import scripted

    _check_roles(stage, role, against, require)
    used, told = [judged], {}
    gaps: list[dict[str, Any]] = []
    for name in [role] if role else judged.policies:
        rivals = ex.rivals_of(stage.spec, name, stage.threads)
        if against:
            rival, more = _rival(stage, ex.other_role(stage.spec, name), against, runs, stage.threads)
            rivals, used = [rival], used + more
        fought = ex.bouts(stage, [judged.player(name)], rivals, tell)
        home = stage.natively()
        beside = ex.bouts(home, scripted(stage.spec, name, "top", stage.threads), rivals, tell)
        told[name] = {
            "bouts": [b.as_json() | {"engine": stage.engine} for b in fought],
            "beside": [b.as_json() | {"engine": home.engine} for b in beside],
        } | _rated(stage, fought, against)
        if compare:
            gaps += ex.transfer(stage, fought, compare, tell)
    report = ex.head_of(stage, used) | {"run_id": judged.origin["run_id"], "name": judged.name, "roles": told}
    if len(judged.policies) > 1 and not role:
        first, second = (judged.player(r) for r in dict.fromkeys(stage.spec.roles))
        (mirror,) = ex.bouts(stage, [first], [second], tell)
        report["mirror"] = mirror.as_json()
        if compare:
            gaps += ex.transfer(stage, [mirror], compare, tell)
    return report | ({"transfer": gaps} if compare else {})


def _rated(stage: ex.Stage, fought: list[Any], against: str | None) -> dict[str, Any]:
    """The rating against all scripted players, whose own are fixed; one opponent alone gives none."""
    from ..evaluate.examination import rating_of

    if against:
        return {"rating": None, "rating_interval": None}
    found = rating_of(stage.spec, fought)
    return {"rating": found.value, "rating_interval": found.interval}


def _check_roles(stage: ex.Stage, role: str | None, against: str | None, require: list[str]) -> None:
    if require:
        raise ConfigError(
            f"--require compares pilots by their figures; {stage.spec.game} has rivals. Use --against."
        )
    if role is not None and role not in stage.spec.roles:
        raise ConfigError(
            f"--role {role}: {stage.spec.game} has {', '.join(dict.fromkeys(stage.spec.roles))}."
        )
    if against and not role:
        raise ConfigError("--against needs --role: say who of the two is judged.")


# ---------------------------------------------------------------- for people


def _print(report: dict[str, Any]) -> None:
    _print_pilots(report) if "contenders" in report else _print_roles(report)
    if "replay" in report:
        told = report["replay"]
        where = f"{told['replay_id']}, {told['steps']} decisions, {report['engine']}"
        out.print(f"Recorded: {where}. Watch it with `sandlot serve`.", markup=False)


# heading, figure of a contender, how it is written
PILOT_COLUMNS = (
    ("median>", "net_profit_median", ",.0f"),
    ("return>", "return_mean", ".1f"),
    ("a tick>", "profit_per_tick_mean", ".3f"),
    ("ticks>", "ticks_mean", ",.0f"),
    ("invalid>", "invalid_rate", ".3f"),
    ("capped>", "capped_episodes", "d"),
)


def _print_pilots(report: dict[str, Any]) -> None:
    lines = []
    for c in report["contenders"]:
        low, high = c["net_profit_interval"]
        figures = (format(c[figure], form) for _, figure, form in PILOT_COLUMNS)
        profit = (f"{c['net_profit_mean']:,.0f}", f"{low:,.0f} to {high:,.0f}")
        lines.append((c["name"], *profit, share(c, "survival_rate"), *figures))
    names = ("player", "profit, mean>", "95 %>", "survival>", *(heading for heading, _, _ in PILOT_COLUMNS))
    table(f"{report['game']}: {report['episodes']} episodes, the same seeds for all", names, lines)
    for e in report["expectations"]:
        out.print(_said_of(e), markup=False)


def share(contender: dict[str, Any], figure: str) -> str:
    """0.94 (0.91-0.96)"""
    low, high = contender["intervals"][figure]
    return f"{contender[figure]:.2f} ({low:.2f}-{high:.2f})"


def _said_of(e: dict[str, Any]) -> str:
    """One expectation: what was found beside what was wanted, and whether the difference is shown."""
    low, high = e["interval"]
    beside = f"{e['figure']} {e['found']:,.4g}, {e['bot']} {e['wanted']:,.4g}"
    apart = f"difference {e['difference']:+,.4g} (95 %: {low:+,.4g} to {high:+,.4g})"
    allowed = f", may be {e['margin']:,.4g} worse" if e["margin"] else ""
    if e["verdict"] != "undecided":
        return f"{e['verdict'].title()}: {beside}; {apart}{allowed}."
    needed = e["episodes_needed"]
    hint = f"about {needed:,} episodes would tell" if needed else "they are alike; allow a --margin"
    return f"Undecided: {beside}; {apart}{allowed}: {hint}."


def _print_roles(report: dict[str, Any]) -> None:
    for role, told in report["roles"].items():
        _print_role(report, role, told)
    if "mirror" in report:
        m = report["mirror"]
        draws = f", {100 * m['draws']:.0f} % are draws" if m["draws"] else ""
        low, high = m["interval"]
        out.print(
            f"Among themselves the {m['role']} has {100 * m['score']:.0f} % of the points "
            f"({100 * low:.0f} to {100 * high:.0f}){draws}."
        )
    if report.get("transfer"):
        _print_transfer(report)


def _print_role(report: dict[str, Any], role: str, told: dict[str, Any]) -> None:
    rivals = [b["rival"] for b in told["bouts"]]
    cells = {(b["player"], b["rival"]): f"{100 * b['score']:.0f}" for b in told["beside"]}
    others = list(dict.fromkeys(b["player"] for b in told["beside"]))
    mine = (report["name"], *map(_with_interval, told["bouts"]))
    where = "" if report["engine"] == "native" else f"; {report['engine']}, scripts among themselves natively"
    half = ", a draw is half a win" if any(b["draws"] for b in told["bouts"]) else ""
    title = f"As {role}: wins in % of {report['episodes']} matches{half}, the same seeds for all{where}"
    names = (f"{role} \\ rival", *(f"{rival}>" for rival in rivals))
    table(title, names, [mine, *((o, *(cells[o, rival] for rival in rivals)) for o in others)])
    if told["rating"] is not None:
        low, high = told["rating_interval"]
        out.print(
            f"Rating as {role}: {told['rating']:.0f} (95 %: {low:.0f} to {high:.0f}). Scripted players are "
            "fixed; 1000 is the middle."
        )


def _print_transfer(report: dict[str, Any]) -> None:
    lines = []
    for row in report["transfer"]:
        here, there = row["here"], row["there"]
        seconds = f"{here['mean_seconds']:.2f} / {there['mean_seconds']:.2f}"
        worst = max(row["terms_gap"].items(), key=lambda term: abs(term[1]), default=("", 0.0))
        sides = (f"{100 * here['score']:.1f}", f"{100 * there['score']:.1f}", f"{row['gap_points']:+.1f}")
        lines.append((here["role"], here["rival"], *sides, seconds, f"{worst[0]} {worst[1]:+.3f}"))
    here, there = (report["transfer"][0][side]["engine"] for side in ("here", "there"))
    names = ("role", "rival", f"wins in {here}, %>", f"in {there}, %>", "gap>", "seconds>", "largest term>")
    table(f"Transfer from {there} to {here}, the same {report['episodes']} seeds", names, lines)


def _with_interval(bout: dict[str, Any]) -> str:
    low, high = bout["interval"]
    return f"{100 * bout['score']:.0f} ({100 * low:.0f}-{100 * high:.0f})"
