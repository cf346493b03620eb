"""`sandlot eval`: evaluate a checkpoint on held-out seeds, and bots on the same ones."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from .. import seeding
from ..errors import ConfigError
from ..evaluate.bots import seed_list
from ..runs.store import open_run
from ..worlds import load_spec
from ..worlds.make import CUDA, NATIVE, check_engine, engine_of, known_spec
from .options import RUNS, Deadlines, ForMachines, RunsFolder, Threads, parse_ints, use_deadlines
from .progress import ProgressCallback, progress
from .show import as_json, out, table

if TYPE_CHECKING:  # imported when needed: torch takes seconds
    from ..evaluate import report as reports
    from ..evaluate.players import Checkpoint, Player
    from ..evaluate.report_file import Metric
    from ..runs import IndexEntry, Run


def eval(
    name: Annotated[
        str,
        Argument(
            metavar="RUN|CHECKPOINT",
            help="A run's id or folder, `latest`, `pretrained:GAME`, or a .pt or .onnx file.",
        ),
    ],
    episodes: Annotated[
        int, Option(min=1, max=100_000, help="Held-out episodes; 1000 is the full protocol.")
    ] = 300,
    against: Annotated[
        str | None, Option(metavar="BOT[:LEVEL]|RUN", help="One opponent instead of all scripted ones.")
    ] = None,
    role: Annotated[str | None, Option(help="Evaluate only this role, such as seeker.")] = None,
    seeds: Annotated[
        str | None, Option(help="Numbered seed lists, such as 7,19,31; default: the seeds of eval.")
    ] = None,
    require: Annotated[
        list[str] | None,
        Option(
            metavar="BOT|all",
            help="Exit with 1 unless shown to be as good as this bot in the metric that the game compares by "
            "(`sandlot bots GAME`); all: as every bot, also in the headline.",
        ),
    ] = None,
    margin: Annotated[
        float,
        Option(min=0, max=1, help="With --require: the share of a bot's metric by which it may be worse."),
    ] = 0.0,
    likeliest: Annotated[
        bool, Option("--greedy", help="Take the likeliest actions instead of sampling.")
    ] = False,
    engine: Annotated[
        str, Option(help="Engine to play in: native, or godot for a Godot process.")
    ] = "native",
    compare: Annotated[
        str | None, Option(metavar="ENGINE", help="Also play in this engine, and report the transfer gap.")
    ] = None,
    record: Annotated[
        bool,
        Option("--record", help="Also record its first match, in that engine, into the run's replays."),
    ] = False,
    deadlines: Deadlines = "",
    threads: Threads = 1,
    rows: Annotated[
        bool, Option("--rows", help="With --json: also one row per episode (single-agent games).")
    ] = False,
    runs: RunsFolder = RUNS,
    output: Annotated[
        Path | None,
        Option(
            help="Also write the report into this file, with one row per episode: `sandlot gate` reads it."
        ),
    ] = None,
    as_machine: ForMachines = False,
) -> None:
    """Evaluate a checkpoint on held-out seeds, and bots on the same ones.

    Examples: sandlot eval latest --require all · sandlot eval latest --role hider --against chase:3 ·
    sandlot eval latest --engine godot --compare native · sandlot eval latest --engine godot --record
    """
    from ..evaluate.report import EvalSetup, other_role

    use_deadlines(deadlines)
    checkpoint = _opened(name, runs, threads, likeliest)
    _check_engines(checkpoint.spec, engine, compare)
    home = _home(name, runs) if record else None
    setup = EvalSetup(checkpoint.spec, _seeds(seeds, episodes), threads, engine)
    started = time.monotonic()
    with progress(f"Playing {checkpoint.spec.game}") as update:
        if len(checkpoint.spec.role_names) > 1 and not checkpoint.spec.rates_roles:
            _check_sides(setup, role, against, require or [])
            report, groups = _by_sides(setup, checkpoint, rows, update)
            good = True
        elif not checkpoint.spec.rates_roles:
            report, groups, good = _together(
                setup, checkpoint, against, require or [], margin, rows, runs, update
            )
        else:
            _check_roles(setup, role, against, require or [])
            report, groups = _roles(setup, checkpoint, role, against, runs, update, compare)
            good = True
    if home:
        opponent = None
        if against and role:
            opponent, _ = _opponent(setup, other_role(setup.spec, role), against, runs)
        report["replay"] = _recorded(home, checkpoint, setup, opponent).to_json()
    if output:
        _write(output, setup, checkpoint, groups, time.monotonic() - started, report)
    as_json(report) if as_machine else _print(report)
    if not good:
        raise typer.Exit(1)


# ---------------------------------------------------------------- input and output

Groups = list[tuple[str, str | None, Any]]  # role, opponent, and the episodes of the evaluated player


def _write(
    path: Path,
    setup: reports.EvalSetup,
    checkpoint: Checkpoint,
    groups: Groups,
    seconds: float,
    report: dict[str, Any],
) -> None:
    """The report file, with what is printed beside its own fields."""
    from ..evaluate.report_file import group_of, make_report, metrics_of, rows_of

    spec, made = setup.spec, []
    metrics: list[Metric] = []
    for role, opponent, played in groups:
        metrics = metrics or metrics_of(spec, role)
        rows = rows_of(spec, role, played, setup.seeds)
        made.append(group_of(metrics, role, opponent, checkpoint.name, rows))
    found = make_report(
        spec, setup.engine, checkpoint.name, made, metrics, checkpoint.sha256, round(seconds, 3)
    )
    found.write(path, report)


def _opened(name: str, runs: Path, threads: int, likeliest: bool) -> Checkpoint:
    import torch

    from ..evaluate.players import open_checkpoint

    torch.set_num_threads(threads)
    checkpoint = open_checkpoint(name, runs)
    for policy in checkpoint.policies.values():
        policy.greedy = likeliest
    return checkpoint


def _check_engines(spec: Any, *engines: str | None) -> None:
    """Refuse an engine that is not there, before anybody plays."""
    for engine in filter(None, engines):
        check_engine(spec.address, engine)
        if engine == CUDA:
            raise ConfigError(
                "An evaluation plays on the CPU, with the same bits as a GPU. Leave --engine out."
            )
        if engine == "godot" and engine_of(spec.address) == NATIVE:
            from ..worlds.godot import check_playable

            check_playable(spec.game)


def _home(name: str, runs: Path) -> Run:
    """The run that a recorded match goes into."""
    if Path(name).suffix in (".pt", ".onnx"):
        raise ConfigError(f"--record writes into a run, {name} is a file. Give the run's id or folder.")
    return open_run(name, runs)


def _recorded(
    run: Run, checkpoint: Checkpoint, setup: reports.EvalSetup, opponent: Player | None
) -> IndexEntry:
    from ..evaluate.recording import record_match
    from ..evaluate.replay_recorder import Origin
    from ..evaluate.tags import TagRules

    window = checkpoint.origin["window_id"] or 0
    origin = Origin(
        run_id=run.run_id,
        window_id=window,
        trainer_backend=run.record.trainer_backend,
        checkpoint_path=run.paths.relative(run.paths.checkpoint(window)),
        checkpoint_env_steps_total=checkpoint.origin["env_steps_total"],
    )
    # the evaluator's own match of the window is the canonical one; this is one more
    match = (run, checkpoint.policies, origin, setup.seeds[0], 1, TagRules(), setup.engine, opponent)
    return record_match(*match, windows=checkpoint.origin.get("windows"))


def _seeds(text: str | None, episodes: int) -> list[int]:
    """Held-out seeds on which no checkpoint was chosen either, or those of numbered lists."""
    if text is None:
        return seeding.held_out("eval", episodes)
    return seed_list(episodes, parse_ints("--seeds", text, "7,19,31"))


def _opponent(setup: reports.EvalSetup, role: str, word: str, runs: Path) -> tuple[Player, list[Checkpoint]]:
    """A bot by name, else a run or a file, with its checkpoint."""
    from ..evaluate.players import open_checkpoint, same_rules, scripted_by_name

    if word.partition(":")[0] in setup.spec.bots:
        return scripted_by_name(setup.spec, role, word, setup.threads), []
    other = open_checkpoint(word, runs)
    same_rules([other], setup.spec)
    return other.player(role), [other]


# ---------------------------------------------------------------- several roles without ratings


def _check_sides(setup: reports.EvalSetup, role: str | None, against: str | None, require: list[str]) -> None:
    if role or against or require:
        option = "--role" if role else "--against" if against else "--require"
        roles = ", ".join(setup.spec.role_names)
        raise ConfigError(
            f"{option} is for one role, or two roles with bots; {setup.spec.game} plays {roles}."
        )


def _by_sides(
    setup: reports.EvalSetup, checkpoint: Checkpoint, rows: bool, update: ProgressCallback
) -> tuple[dict[str, Any], Groups]:
    """Each side as it was learned, then bots and random play of it; the others play by default."""
    from ..evaluate.report import report_header
    from ..evaluate.sides import measure, measured_by, scripted_entrants, trained_entrants

    beside = scripted_entrants(setup.spec, "top", setup.threads)
    found = measure(setup, [*trained_entrants(checkpoint), *beside], update)
    report = report_header(setup, [checkpoint]) | {
        "run_id": checkpoint.origin["run_id"],
        "headline": measured_by(setup.spec),
        "results": [result.as_json(rows) for _, result in found],
        "expectations": [],
    }
    return report, [(one.role, None, result.episodes) for one, result in found if not one.player.scripted]


# ---------------------------------------------------------------- one role


def _together(
    setup: reports.EvalSetup,
    checkpoint: Checkpoint,
    against: str | None,
    require: list[str],
    margin: float,
    rows: bool,
    runs: Path,
    update: ProgressCallback,
) -> tuple[dict[str, Any], Groups, bool]:
    from ..evaluate import report as reports
    from ..evaluate.bots import headline_json, ranked
    from ..evaluate.players import random_player, scripted

    (name,), used = checkpoint.policies, [checkpoint]
    beside = scripted(setup.spec, name, "top", setup.threads) or [random_player(setup.spec)]
    if against:
        opponent, more = _opponent(setup, name, against, runs)
        beside, used = [opponent], used + more
    if require and against:
        raise ConfigError("--require compares with every bot; leave --against out.")
    reports.check_expectations(setup.spec, require)
    first, *others = reports.play_pilots(setup, [checkpoint.together(), *beside], update)
    expected = reports.expectations(setup.spec, first, others, require, margin)
    report = reports.report_header(setup, used) | {
        "run_id": checkpoint.origin["run_id"],
        "headline": headline_json(setup.spec),
        "results": [c.as_json(rows) for c in [first, *ranked(setup.spec, others)]],
        "deltas": reports.deltas(first, others),
        "expectations": [e.as_json() for e in expected],
    }
    return report, [(name, None, first.episodes)], all(e.verdict == "met" for e in expected)


# ---------------------------------------------------------------- two roles


def _roles(
    setup: reports.EvalSetup,
    checkpoint: Checkpoint,
    role: str | None,
    against: str | None,
    runs: Path,
    update: ProgressCallback,
    compare: str | None,
) -> tuple[dict[str, Any], Groups]:
    from ..evaluate import report as reports
    from ..evaluate.players import scripted

    spec, home = setup.spec, setup.natively()
    used, by_role, compared = [checkpoint], {}, []
    for name in [role] if role else checkpoint.policies:
        opponents = reports.opponents_of(spec, name, setup.threads)
        if against:
            opponent, more = _opponent(setup, reports.other_role(spec, name), against, runs)
            opponents, used = [opponent], used + more
        matchups = reports.play_matchups(setup, [checkpoint.player(name)], opponents, update)
        others = scripted(spec, name, "top", setup.threads)
        beside = reports.play_matchups(home, others, opponents, update)
        # whose own ratings are fixed; one opponent alone gives none
        rating = None if against else reports.rating_of(spec, matchups)
        by_role[name] = {
            "matchups": [b.as_json() | {"engine": setup.engine} for b in matchups],
            "beside": [b.as_json() | {"engine": home.engine} for b in beside],
            "rating": rating and rating.value,
            "rating_interval": rating and rating.interval,
        }
        compared += matchups
    report = reports.report_header(setup, used) | {
        "run_id": checkpoint.origin["run_id"],
        "name": checkpoint.name,
        "roles": by_role,
    }
    if len(checkpoint.policies) > 1 and not role:
        first, second = (checkpoint.player(r) for r in dict.fromkeys(spec.roles))
        (mirror,) = reports.play_matchups(setup, [first], [second], update)
        report["mirror"] = mirror.as_json()
        compared.append(mirror)
    if compare:
        report["transfer"] = reports.transfer(setup, compared, compare, update)
    against_bots = compared[:-1] if "mirror" in report else compared
    return report, [(m.player.role, m.opponent.name, m.played) for m in against_bots]


def _check_roles(setup: reports.EvalSetup, role: str | None, against: str | None, require: list[str]) -> None:
    if require:
        why = f"{setup.spec.game} has opponents. Use --against."
        raise ConfigError(f"--require is for games of one role; {why}")
    if role is not None and role not in setup.spec.roles:
        roles = ", ".join(dict.fromkeys(setup.spec.roles))
        raise ConfigError(f"--role {role}: {setup.spec.game} has {roles}.")
    if against and not role:
        raise ConfigError("--against needs --role: which of the two roles is evaluated?")


# ---------------------------------------------------------------- for people


def _print(report: dict[str, Any]) -> None:
    if "results" in report:
        print_results(report, report["results"])
        for expectation in report["expectations"]:
            out.print_line(_format_expectation(expectation))
    else:
        _print_roles(report)
    if "replay" in report:
        replay = report["replay"]
        where = f"{replay['replay_id']}, {replay['steps']} decisions, {report['engine']}"
        out.print_line(f"Recorded: {where}. Watch it with `sandlot serve`.")


def print_results(report: dict[str, Any], results: Sequence[dict[str, Any]]) -> None:
    """A row per player: the headline with its interval, every flag as a share, return, invalid actions."""
    headline = report["headline"]
    settings = {"profile": report["profile"], **report["config"]}
    game = report.get("address", report["game"])
    spec = known_spec(game, settings) or load_spec(game, settings)
    flags = [f for f in spec.episode if f.kind == "flag" and f.metric != headline["metric"]]
    rows = []
    for result in results:
        low, high = result["intervals"][headline["metric"]]
        row = [result["name"], _number(result[headline["metric"]]), f"{_number(low)} to {_number(high)}"]
        row += [f"{result[flag.metric]:.2f}" for flag in flags]
        row += [f"{result['return_mean']:.1f}"] if headline["name"] != "return" else []
        rows.append((*row, f"{result['invalid_rate']:.3f}", str(result["capped_episodes"])))
    unit = f", {headline['unit']}" if headline["unit"] else ""
    head = ["player", f"{headline['name'].replace('_', ' ')}{unit}>", "95 %>"]
    head += [f"{flag.name.replace('_', ' ')}>" for flag in flags]
    head += ["return>"] if headline["name"] != "return" else []
    title = f"{report['game']}: {report['episodes']} episodes, {_seeds_text(spec)}"
    table(title, (*head, "invalid>", "capped>"), rows)


def _seeds_text(spec: Any) -> str:
    seeded = spec.document.seeded
    return "the same seeds for all" if seeded else "each its own: the game takes no seeds"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"


def _format_expectation(e: dict[str, Any]) -> str:
    """One expectation: the metric of both, their difference, and whether it is significant."""
    low, high = e["interval"]
    beside = f"{e['metric']} {e['value']:,.4g}, {e['bot']} {e['bot_value']:,.4g}"
    difference = f"difference {e['difference']:+,.4g} (95 %: {low:+,.4g} to {high:+,.4g})"
    allowed = f", may be {e['margin']:,.4g} worse" if e["margin"] else ""
    if e["verdict"] != "undecided":
        return f"{e['verdict'].title()}: {beside}; {difference}{allowed}."
    needed = e["episodes_needed"]
    hint = f"about {needed:,} episodes would decide" if needed else "they are alike; allow a --margin"
    return f"Undecided: {beside}; {difference}{allowed}: {hint}."


def _print_roles(report: dict[str, Any]) -> None:
    for role, row in report["roles"].items():
        _print_role(report, role, row)
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


def _print_role(report: dict[str, Any], role: str, row: dict[str, Any]) -> None:
    opponents = [b["opponent"] for b in row["matchups"]]
    cells = {(b["player"], b["opponent"]): f"{100 * b['score']:.0f}" for b in row["beside"]}
    others = list(dict.fromkeys(b["player"] for b in row["beside"]))
    mine = [report["name"]]
    for matchup in row["matchups"]:
        low, high = matchup["interval"]
        mine.append(f"{100 * matchup['score']:.0f} ({100 * low:.0f}-{100 * high:.0f})")
    where = "" if report["engine"] == "native" else f"; {report['engine']}, scripts among themselves natively"
    half = ", a draw is half a win" if any(b["draws"] for b in row["matchups"]) else ""
    title = f"As {role}: wins in % of {report['episodes']} matches{half}, the same seeds for all{where}"
    names = (f"{role} \\ opponent", *(f"{opponent}>" for opponent in opponents))
    table(title, names, [mine, *((o, *(cells[o, opponent] for opponent in opponents)) for o in others)])
    if row["rating"] is not None:
        low, high = row["rating_interval"]
        out.print(
            f"Rating as {role}: {row['rating']:.0f} (95 %: {low:.0f} to {high:.0f}). Scripted players are "
            "fixed; 1000 is the middle."
        )


def _print_transfer(report: dict[str, Any]) -> None:
    lines = []
    for row in report["transfer"]:
        here, there = row["here"], row["there"]
        seconds = f"{here['mean_seconds']:.2f} / {there['mean_seconds']:.2f}"
        worst = max(row["terms_gap"].items(), key=lambda term: abs(term[1]), default=("", 0.0))
        sides = (f"{100 * here['score']:.1f}", f"{100 * there['score']:.1f}", f"{row['gap_points']:+.1f}")
        lines.append((here["role"], here["opponent"], *sides, seconds, f"{worst[0]} {worst[1]:+.3f}"))
    here, there = (report["transfer"][0][side]["engine"] for side in ("here", "there"))
    rates = (f"wins in {here}, %>", f"in {there}, %>", "gap>")
    names = ("role", "opponent", *rates, "seconds>", "largest term>")
    table(f"Transfer from {there} to {here}, the same {report['episodes']} seeds", names, lines)
