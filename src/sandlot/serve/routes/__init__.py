"""The routes, one file a noun. Each file has a `router`; app.py takes them in the order of this list."""

from . import (
    assets,
    checkpoints,
    completeness,
    files,
    games,
    health,
    league,
    newest,
    play,
    policies,
    replays,
    runs,
    socket,
    wandb,
    windows,
)

ROUTERS = [
    module.router
    for module in (
        health, newest, games, runs, windows, completeness, replays, socket, checkpoints, policies, league,
        files, play, wandb, assets,
    )
]  # fmt: skip
