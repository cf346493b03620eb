"""The environments of a task as one VecEnv: environment i has port 11008 + i and seed 42 + i."""

import socket
from typing import Any

from ...bridge.godot_rl import HOST
from ...errors import ConfigError, PortInUse
from ...worlds import make
from ...worlds.make import GODOT, GODOT_RL, NATIVE
from .tasks import PORT, SEED, Task

MOST_ENVS = 64


def open_worlds(
    task: Task, engine: str, num_envs: int, port: int = PORT, seed: int = SEED, window: bool = False
) -> Any:
    """Native worlds in this process, or an engine for each environment. window: shows the first engine."""
    from ...wrappers.sb3 import WorldVecEnv

    if not 1 <= num_envs <= MOST_ENVS:
        raise ConfigError(f"--num_envs {num_envs}: expected 1 to {MOST_ENVS}.")
    if not 1024 <= port <= 65_536 - num_envs:
        raise ConfigError(f"--port {port}: expected 1024 to {65_536 - num_envs}.")
    game, engine = task.address(engine)
    if engine != NATIVE:
        _check_ports(port, num_envs)
    options: dict[str, Any] = {}
    if engine == GODOT:
        options = {"processes": num_envs, "port": port, "window": window}
    elif engine == GODOT_RL:
        options = {"port": port, "window": window}
    elif window and engine == NATIVE:
        raise ConfigError(f"--viz shows an engine, and {game} plays natively. Add --engine godot.")
    return WorldVecEnv(make(game, num_envs, seed=seed, engine=engine, **options), seed)


def _check_ports(first: int, count: int) -> None:
    """PortInUse before any engine is started."""
    for port in range(first, first + count):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError as problem:
                raise PortInUse(
                    f"Port {port} cannot be listened on ({problem.strerror}): another training, perhaps. "
                    f"Stop it, or choose other ports: --port {first + 100}."
                ) from None
