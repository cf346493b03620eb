"""The command lines of `rl_training/*.py`."""

import time
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from ...bridge.http_client import HOST, HttpClient, cannot_connect
from ...bridge.http_client import PORT as API_PORT
from ...cli.main import run as run_app
from ...cli.show import out
from ...errors import ConfigError, GameLost
from .tasks import LOCOMOTION, PORT, SEED, Task

LOADED_WAIT_S = 2.0  # between a loaded scene and the first look at its metrics

Timesteps = Annotated[int, Option("--timesteps", help="Environment steps in total.")]
NumEnvs = Annotated[int, Option("--num_envs", help="Environments, each with an engine of its own.")]
SaveFrequency = Annotated[int, Option("--save_frequency", help="Steps between two checkpoints.")]
Experiment = Annotated[str, Option("--experiment_name", help="What models and logs are called.")]
Viz = Annotated[bool, Option("--viz", help="Show the first environment's window, in real time.")]
Resume = Annotated[Path | None, Option("--resume", metavar="ZIP", help="Go on from this checkpoint.")]
FirstPort = Annotated[int, Option("--port", help="Of the first environment; the next have the next ones.")]
Folder = Annotated[Path | None, Option("--folder", help="Of models/ and logs/; else the script's own.")]


def _app() -> typer.Typer:
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def train_app(task: Task, beside: Path) -> typer.Typer:
    """`train_*.py` of a task; its files go beside the script."""
    app = _app()
    engines = f"Where it is played: {' or '.join(task.engines)}."

    @app.command(
        help=f"Train {task.title} with Stable-Baselines3's PPO. Ctrl-C stops and saves a checkpoint."
    )
    def train(
        timesteps: Timesteps = task.timesteps,
        num_envs: NumEnvs = task.num_envs,
        save_frequency: SaveFrequency = 10_000,
        experiment_name: Experiment = task.experiment,
        viz: Viz = False,
        resume: Resume = None,
        port: FirstPort = PORT,
        engine: Annotated[str, Option("--engine", help=engines)] = task.engines[0],
        folder: Folder = None,
    ) -> None:
        from .training import Request
        from .training import train as run

        request = Request(
            task, folder or beside, timesteps, num_envs, save_frequency, experiment_name,
            engine, port, viz=viz, resume=resume,
        )  # fmt: skip
        if run(request, out.print_line).onnx is None:
            raise typer.Exit(130)

    return app


def play_app(task: Task, beside: Path) -> typer.Typer:
    """`test_*.py` of a task: plays its final model."""
    app = _app()

    @app.command(help=f"Play what was trained for {task.title}, in a window, with the likeliest action.")
    def test(
        episodes: Annotated[int, Option("--episodes", help="How many.")] = 10,
        model: Annotated[
            Path | None, Option("--model", metavar="ZIP", help="Else the final one of the usual experiment.")
        ] = None,
        headless: Annotated[bool, Option("--headless", help="Without a window, as fast as it goes.")] = False,
        seed: Annotated[int, Option("--seed", help="Of the first episode.")] = SEED,
        port: FirstPort = PORT,
        engine: Annotated[str, Option("--engine", help="Else where it was trained.")] = "",
        folder: Folder = None,
    ) -> None:
        from .playing import play, summary

        path = model or (folder or beside) / "models" / f"{task.experiment}_final.zip"
        played = []
        for episode in play(path, episodes, seed, engine, port, window=not headless, task=task):
            played.append(episode)
            ending = {True: ", success", False: ", no success", None: ""}[episode.success]
            out.print_line(
                f"Episode {episode.number}/{episodes}: reward {episode.reward:.2f}, "
                f"{episode.steps} steps{ending}"
            )
        out.print_line(summary(played))

    return app


def api_app(beside: Path) -> typer.Typer:
    """`api_controlled_training.py`: the HTTP API first, then the training of the locomotion task."""
    app = _app()

    @app.command()
    def api_controlled(
        timesteps: Timesteps = LOCOMOTION.timesteps,
        num_envs: NumEnvs = LOCOMOTION.num_envs,
        save_frequency: SaveFrequency = 10_000,
        experiment_name: Experiment = "api_controlled_vr_locomotion",
        scene: Annotated[str, Option("--scene", help="That the game is to load.")] = LOCOMOTION.scene,
        api_port: Annotated[int, Option("--api_port", help="Of the HTTP API.")] = API_PORT,
        token: Annotated[
            str, Option("--token", help="Bearer token; else that of the token file of this machine.")
        ] = "",
        reload_interval: Annotated[
            int, Option("--reload_interval", help="Reload the scene every so many steps; 0: never.")
        ] = 0,
        port: FirstPort = PORT,
        folder: Folder = None,
    ) -> None:
        """Load the scene of a running game through its HTTP API, look at its metrics, then train.

        Start the game first: bash scripts/start_godot_api.sh. Training plays in engines of its own.
        """
        from ..vr.callbacks import SceneReloadCallback
        from .training import Request, train

        if reload_interval < 0:
            raise ConfigError(f"--reload_interval {reload_interval}: expected 0 or more.")
        with HttpClient(HOST, api_port, token or None) as client:
            prepare_scene(client, scene)
            reload = [SceneReloadCallback(reload_interval, client)] if reload_interval else []
            request = Request(
                LOCOMOTION, folder or beside, timesteps, num_envs, save_frequency, experiment_name, port=port
            )
            if train(request, out.print_line, reload).onnx is None:
                raise typer.Exit(130)

    return app


def prepare_scene(client: HttpClient, scene: str, wait_s: float = LOADED_WAIT_S) -> None:
    """Is the game there, does it load the scene, and what does it measure then."""
    try:
        status = client.get_status()
    except GameLost as problem:
        raise GameLost(cannot_connect(client.url, "nothing answers GET /status")) from problem
    out.print_line(f"{client.url}: {status.get('status', 'answers')}")
    client.load_scene(scene)
    time.sleep(wait_s)
    metrics = client.get_performance_metrics()
    engine, memory = metrics.get("engine", {}), metrics.get("memory", {})
    out.print_line(
        f"{scene} is loaded: {engine.get('fps', 0):.0f} FPS, "
        f"{memory.get('static_memory_usage', 0) / 2**20:.0f} MB"
    )


def main(app: typer.Typer) -> None:
    """The program: exit code 0 done, 2 could not run, 130 stopped."""
    run_app(app)
