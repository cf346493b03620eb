"""`sandlot serve`: the site and its API, by default for this machine only."""

from __future__ import annotations

import socket
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from ..bridge.godot_process import has_screen
from ..errors import ConfigError
from .options import OpenBrowser
from .show import err, out

if TYPE_CHECKING:
    from ..serve import Settings

LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")


def serve(
    runs: Annotated[Path | None, Option(help="Where runs are kept. [default: runs]")] = None,
    host: Annotated[str | None, Option(help="Address to listen on. [default: 127.0.0.1]")] = None,
    port: Annotated[
        int | None, Option(min=0, max=65535, help="Port; 0 for any free one. [default: 8000]")
    ] = None,
    browser: OpenBrowser = True,
    public: Annotated[bool, Option("--public", help="Allow an address that others can reach.")] = False,
) -> None:
    """Serve the site and its API until Ctrl-C. All settings: docs/api.md, as SANDLOT_… variables.

    Examples: sandlot serve · sandlot serve --runs elsewhere/runs --port 0 --no-open
    """
    from ..serve import Settings

    open_site(Settings.from_environment(runs=runs, host=host, port=port), browser=browser, public=public)


def open_site(settings: Settings, path: str = "", browser: bool = True, public: bool = False) -> None:
    """Serve until Ctrl-C; path: the page that the browser opens."""
    from ..serve import create_app
    from ..serve.server import address_of, is_loopback, listen, run

    local = is_loopback(settings.host)
    if not local and not public:
        raise ConfigError(
            f"{settings.host} can be reached from other machines, and there are no accounts: everybody who "
            "reaches it can read all runs. Add --public to allow that."
        )
    if not settings.hosts:
        settings = settings.model_copy(update={"hosts": _own_names(settings.host, local)})
    listener = listen(settings.host, settings.port)
    address = address_of(listener)
    if not settings.runs.is_dir():
        err.print_line(f"There is no folder {settings.runs} yet; runs appear once there is.")
    if not local:
        warning = f"Anybody who reaches this machine can read the runs in {settings.runs} (no accounts)."
        err.print_line(warning, style="yellow")

    def ready() -> None:
        out.print_line(f"Serving {settings.runs} at {address}{path} (Ctrl-C stops it)")
        sys.stdout.flush()
        if browser and has_browser():
            webbrowser.open(address + path)

    run(create_app(settings), settings, listener, ready)


def _own_names(host: str, local: bool) -> tuple[str, ...]:
    """Host names of this machine; any other name could be DNS rebinding."""
    if local:
        return (*LOCAL_NAMES, host)
    from ..serve.limits import ANY_ADDRESS

    name = socket.gethostname()
    return (*LOCAL_NAMES, host, name, f"{name}.local", socket.getfqdn(), ANY_ADDRESS)


def has_browser() -> bool:
    """Whether there is a terminal user and a screen for a browser."""
    return sys.stdout.isatty() and has_screen()
