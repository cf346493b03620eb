"""The routes, one module per resource. app.py includes their routers in the order of RESOURCES."""

from importlib import import_module

RESOURCES = (
    *("health", "newest", "games", "runs", "windows", "completeness", "learning", "replays", "socket"),
    *("checkpoints", "policies", "league", "files", "play", "pretrained", "wandb", "assets"),
)
ROUTERS = [import_module(f".{name}", __package__).router for name in RESOURCES]
