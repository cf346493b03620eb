"""`sandlot serve`: the site and its API, on this machine unless told otherwise."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ..errors import ConfigError
from .show import err, out

if TYPE_CHECKING:
    from ..serve import Settings

LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")


def serve(
    runs: Annotated[
        Optional[Path],  # noqa: UP045  (typer reads Optional on every Python)
        typer.Option(help="Where runs are kept; runs without it."),
    ] = None,
    host: Annotated[Optional[str], typer.Option(help="Address to listen on; 127.0.0.1 without it.")] = None,  # noqa: UP045
    port: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=0, max=65535, help="Port, 0 for any free one; 8000 without it."),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the site in a browser if there is one.")
    ] = True,
    public: Annotated[
        bool, typer.Option("--public", help="Allow an address that other machines can reach.")
    ] = False,
) -> None:
    """Serve the site and its API until Ctrl-C. All settings: docs/api.md, as SANDLOT_… variables.

    Examples: sandlot serve · sandlot serve --runs elsewhere/runs --port 0 --no-open
    """
    from ..serve import Settings

    open_site(Settings.from_environment(runs=runs, host=host, port=port), browser=browser, public=public)


def open_site(settings: Settings, path: str = "", browser: bool = True, public: bool = False) -> None:
    """Serve until Ctrl-C; path: the page that a browser opens on."""
    from ..serve import create_app
    from ..serve.server import address_of, is_loopback, listen, run

    local = is_loopback(settings.host)
    if not local and not public:
        raise ConfigError(
            f"{settings.host} can be reached from other machines, and there are no accounts: everybody who "
            "reaches it can read all runs. Add --public if that is meant."
        )
    if not settings.hosts:
        settings = settings.model_copy(update={"hosts": _own_names(settings.host, local)})
    listener = listen(settings.host, settings.port)
    address = address_of(listener)
    if not settings.runs.is_dir():
        err.print(f"There is no folder {settings.runs} yet; runs appear once there is.", markup=False)
    if not local:
        err.print(
            f"Anybody who reaches this machine can read the runs in {settings.runs}: there are no accounts.",
            style="yellow",
            markup=False,
        )

    def ready() -> None:
        out.print(
            f"Serving {settings.runs} at {address}{path} (Ctrl-C stops it)", markup=False, soft_wrap=True
        )
        sys.stdout.flush()
        if browser and has_browser():
            webbrowser.open(address + path)

    run(create_app(settings), settings, listener, ready)


def _own_names(host: str, local: bool) -> tuple[str, ...]:
    """The names that this machine has by itself: a page elsewhere can point any other name at it."""
    if local:
        return (*LOCAL_NAMES, host)
    from ..serve.limits import ANY_ADDRESS

    name = socket.gethostname()
    return (*LOCAL_NAMES, host, name, f"{name}.local", socket.getfqdn(), ANY_ADDRESS)


def has_browser() -> bool:
    """Whether a browser would have a screen to open on."""
    if not sys.stdout.isatty():
        return False
    shown = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(shown) or sys.platform in ("win32", "darwin")
