"""`python -m sandlot.compat episode`: one match of trained agents, as a trajectory and a map of its paths."""

import math
import time
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from ..cli.show import out
from ..errors import CheckpointError, ConfigError
from ..games.players import Players
from ..games.scripted import default_bots
from ..media.paths import draw_paths
from ..worlds import load_spec, make
from .outputs import ROLES, collect, policy_file, stamp
from .trajectories import newest, read_trajectory, states_of
from .trajectory_log import TrajectoryLog
from .variables import get, legacy_folders, trajectories_folder


def episode(
    trajectory: Annotated[
        Path | None, Option(help="Draw this trajectory instead of playing; `latest` for the newest.")
    ] = None,
    print_latest: Annotated[bool, Option("--print-latest", help="Name the newest and stop.")] = False,
    run: Annotated[
        str | None, Option(metavar="RUN|FILE", help="Who plays; else trainer/policy_*.pt.")
    ] = None,
    engine: Annotated[str, Option(help="What plays: godot or native.")] = "godot",
    duration: Annotated[float, Option(min=1, help="Seconds of play before it counts as failed.")] = 15.0,
    start_role: Annotated[str, Option(help="Role of the first agent: seeker or hider.")] = "seeker",
    seed: Annotated[int, Option(min=0, help="Of the match.")] = 1,
    output: Annotated[Path | None, Option(help="The map; else charts/paths_ and a stamp.")] = None,
    title: Annotated[str | None, Option(help="Above the map.")] = None,
    dpi: Annotated[int, Option(min=50, max=1200, help="Dots an inch of the map.")] = 150,
    record: Annotated[bool, Option("--record", help="Also make a film of it in Godot.")] = False,
    record_fps: Annotated[int, Option(min=1, max=240, help="Frames a second of that film.")] = 60,
    greedy: Annotated[
        bool, Option("--greedy", help="The likeliest actions instead of sampled ones.")
    ] = False,
) -> None:
    """Play one match with trained weights: a trajectory, a path map and a bundle. Nothing is learned.

    Examples: python -m sandlot.compat episode ·
    python -m sandlot.compat episode --start-role hider --engine native ·
    python -m sandlot.compat episode --trajectory data/trajectories/ep_00001.jsonl --output paths.png
    """
    if print_latest:
        out.print_line(str(latest()))
        return
    if trajectory is not None:
        path = latest() if str(trajectory) == "latest" else trajectory
        out.print_line(str(draw(path, output, title, dpi)))
        return
    if start_role not in ROLES:
        raise ConfigError(f"--start-role {start_role}: expected seeker or hider.")
    folder = Path("debug") / f"{get('EVAL_RUN_ID') or stamp()}_eval"
    played = play_one(_policies(run), engine, start_role, seed, duration, greedy)
    picture = draw(played, output, title, dpi)
    more = [picture]
    if record or get("AI_RECORD"):
        from .render import render_trajectory

        more.append(render_trajectory(played, record_fps))
    took = collect(folder, trajectory=played, more=more)
    out.print_line(outcome(played))
    out.print_line(f"{played}\n{picture}\n{folder}: {', '.join(took)}")


def outcome(trajectory: Path) -> str:
    """Who won a match, how and when, as its last line says it."""
    end = next((line for line in read_trajectory(trajectory) if line["type"] == "episode_end"), None)
    if end is None:
        return "The match was cut off: nobody won."
    winner, reason = end.get("winner", "nobody"), end.get("terminal_reason", "none")
    after = f" after {end['duration_s']:.1f} s" if isinstance(end.get("duration_s"), (int, float)) else ""
    if winner not in ROLES:
        return f"Nobody won ({reason}{after})."
    return f"The {winner} won by {reason}{after}."


def latest() -> Path:
    """The newest trajectory, in the data folder or where older versions wrote."""
    places = [trajectories_folder(), *legacy_folders("trajectories")]
    found = newest(places)
    if found is None:
        raise ConfigError(f"There is no trajectory in {', '.join(map(str, places))}.")
    return found


def _policies(run: str | None) -> dict[str, Any]:
    from ..evaluate.players import open_checkpoint, read_checkpoint

    if run is not None:
        return dict(open_checkpoint(run).policies)
    missing = [str(policy_file(role)) for role in ROLES if not policy_file(role).exists()]
    if missing:
        raise CheckpointError(
            f"There is no {' and no '.join(missing)}. "
            "Train first (bash scripts/train.sh live-seeker), or give --run."
        )
    return {role: read_checkpoint(policy_file(role)).policies[role] for role in ROLES}


def trained_or_scripted() -> dict[str, Any]:
    """By role: the weights in trainer/, or the usual script where there are none."""
    from ..evaluate.players import read_checkpoint

    trained = {role: policy_file(role) for role in ROLES if policy_file(role).exists()}
    read = {role: read_checkpoint(path).policies[role] for role, path in trained.items()}
    return default_bots(load_spec("tag"), ROLES) | read


def play_one(
    policies: dict[str, Any],
    engine: str,
    start_role: str,
    seed: int,
    duration: float,
    greedy: bool = False,
    shorten: bool = False,
) -> Path:
    """One match; the path of its trajectory. shorten: its own time limit is `duration` at most."""
    spec = next(iter(policies.values())).spec
    config = {**spec.settings, "first_is_seeker": start_role == "seeker"}
    if shorten:
        config["time_limit"] = min(config["time_limit"], duration)
    for policy in policies.values():
        policy.greedy = greedy
    with make("tag", config=config, engine=engine) as world:
        limit = math.ceil(duration * world.spec.config["tick_rate"] / world.spec.config["ticks_per_step"])
        names = {role: "trained" if hasattr(policies[role], "network") else "scripted" for role in ROLES}
        facts = {"seed": str(seed), "engine": engine}
        log = TrajectoryLog(trajectories_folder(), world.spec, names, most=1, facts=facts)
        world.reset(seed=seed)
        log.begin(world)
        players = Players(world, policies)
        until = time.monotonic() + 60 + 10 * duration  # a match that takes longer than this hangs
        try:
            for _ in range(limit):
                players.act()
                ended = world.step()
                log(world)
                if ended:
                    return log.written[0]
                if time.monotonic() > until:
                    break
        finally:
            log.close()  # drops half a match, whatever stopped it
        raise ConfigError(f"The match was not over after {duration:g} s of play; raise --duration.")


def draw(path: Path, output: Path | None, title: str | None, dpi: int) -> Path:
    """The path map of a trajectory."""
    _, states, end = states_of(read_trajectory(path))
    if not states:
        raise ConfigError(f"{path} holds no steps of agents; nothing can be drawn.")
    target = output or Path("charts") / f"paths_{stamp()}.png"
    target.parent.mkdir(parents=True, exist_ok=True)
    won = f"{end.get('winner', 'nobody')} wins by {end.get('terminal_reason', 'nothing')}"
    note = won if end else "cut off"
    return draw_paths(target, "tag", states, title or f"Paths of {path.stem}", note, dpi)
