#!/usr/bin/env python3
"""Types make's commands on a new machine: a minimal Debian with Python, make and git, and nothing else.

sudo python3 scripts/fresh.py [demo] [test] [any other word of make] [--with PATH]... [--minutes 60] [--keep]

Needs root and mmdebstrap. The machine is a folder, entered with its own mounts and processes, and is removed
at the end. What is committed is cloned into it. `demo` is typed in a terminal and must end with the site,
which is then fetched; every other word must end with exit code 0. An ERROR line of pip is a failure.

Behind a private package index: variables of pip, npm, proxies and certificates are passed on as they are, and
--with brings their files (copied) and folders (bound, read-only) to the same place in the new machine.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
PACKAGES = "python3,python3-venv,make,git,ca-certificates"
PLACE = "root/sandlot"  # of the clone in the new machine
PASSED_ON = re.compile(
    r"(PIP|NPM_CONFIG)_.*|(HTTPS?|ALL|NO)_PROXY|SSL_CERT_.*|NODE_EXTRA_CA_CERTS|(REQUESTS|CURL)_CA_BUNDLE",
    re.I,
)
SITE = re.compile(r"at (http://127\.0\.0\.1:\d+)")
NOT_FOR_A_DEMO = ("ray", "wandb", "stable_baselines3", "pufferlib", "pytest", "mypy", "playwright")


class Failed(Exception):
    """What a person would not have expected."""


def main() -> None:
    asked = parse()
    if os.geteuid() or not shutil.which("mmdebstrap"):
        sys.exit("A fresh machine is made by root with mmdebstrap: sudo apt-get install mmdebstrap")
    folder = Path(tempfile.mkdtemp(prefix="sandlot-fresh-"))
    try:
        make_machine(folder, asked)
        for word in asked.words:
            began = time.monotonic()
            (run_demo if word == "demo" else run_word)(folder, word, asked)
            print(f"==> make {word}: good, {time.monotonic() - began:.0f} s", flush=True)
    except Failed as problem:
        sys.exit(f"==> {problem}")
    finally:
        if asked.keep:
            print(f"==> Kept in {folder}")
        else:
            shutil.rmtree(folder)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="of make (demo, test)")
    parser.add_argument("--with", dest="paths", type=Path, action="append", default=[], help="see above")
    parser.add_argument("--suite", default="bookworm", help="of Debian (bookworm)")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--minutes", type=float, default=60, help="for one command (60)")
    parser.add_argument("--keep", action="store_true", help="leave the machine's folder")
    asked = parser.parse_args()
    asked.words = asked.words or ["demo", "test"]
    return asked


def make_machine(folder: Path, asked: argparse.Namespace) -> None:
    print(f"==> Debian {asked.suite} with {PACKAGES} into {folder}", flush=True)
    subprocess.run(
        [
            "mmdebstrap",
            "--quiet",
            "--variant=minbase",
            f"--include={PACKAGES}",
            asked.suite,
            folder,
            asked.mirror,
        ],
        check=True,
        timeout=900,
    )
    for path in [Path("/etc/resolv.conf"), *asked.paths]:
        there = folder / path.absolute().relative_to("/")
        if path.is_dir():
            there.mkdir(parents=True, exist_ok=True)
        else:
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, there)
    subprocess.run(
        ["git", "clone", "--quiet", "--no-hardlinks", CHECKOUT, folder / PLACE], check=True, timeout=300
    )


def command(folder: Path, word: str, asked: argparse.Namespace) -> list[str]:
    """`make WORD` inside. The mounts belong to a namespace and end with it, as do all processes."""
    place = shlex.quote(str(folder))
    mounts = [
        f"mount -t proc proc {place}/proc",
        f"mount --rbind /dev {place}/dev",
        f"mount --rbind /sys {place}/sys",
    ]
    for path in asked.paths:
        if path.is_dir():
            outside = shlex.quote(str(path.absolute()))
            mounts.append(f"mount --bind -o ro {outside} {place}{outside}")
    variables = {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}
    variables |= {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
    }
    variables |= {"TERM": os.environ.get("TERM", "dumb")}
    words = shlex.join(
        [
            "env",
            "-i",
            *(f"{name}={value}" for name, value in variables.items()),
            "make",
            "-C",
            f"/{PLACE}",
            word,
        ]
    )
    script = (
        " && ".join([*mounts, f"chroot {place} {words}"]) + "; exit $?"
    )  # the shell stays: it is process 1
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script]


def run_word(folder: Path, word: str, asked: argparse.Namespace) -> None:
    print(f"==> make {word}", flush=True)
    lines: list[str] = []
    process = subprocess.Popen(
        command(folder, word, asked),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with ending(process.pid, asked.minutes):
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            print(line, end="", flush=True)
        code = process.wait()
    judge("".join(lines), word)
    if code:
        raise Failed(f"make {word} ended with exit code {code}, or after {asked.minutes:g} minutes")


def run_demo(folder: Path, word: str, asked: argparse.Namespace) -> None:
    """In a terminal, until the site's address appears; the site must answer there, and Ctrl-C must end it."""
    print("==> make demo, in a terminal", flush=True)
    inside = command(folder, word, asked)
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(inside[0], inside)
    with ending(process, asked.minutes):
        output = read_until(terminal, SITE)
        found = SITE.search(output)
        judge(output, word)
        if found is None:
            raise Failed(f"make demo ended without the site, or took more than {asked.minutes:g} minutes")
        look_at(found[1])
        os.write(terminal, b"\x03")
        read_until(terminal, None)
        os.waitpid(process, 0)
    extra = [
        name
        for name in NOT_FOR_A_DEMO
        if list((folder / PLACE / ".venv").glob(f"lib/*/site-packages/{name}"))
    ]
    if extra:
        raise Failed(f"make demo installed what it does not use: {', '.join(extra)}")


def read_until(terminal: int, wanted: re.Pattern[str] | None) -> str:
    output = ""
    with contextlib.suppress(OSError):  # how a terminal says that nobody writes to it any more
        while not (wanted and wanted.search(output)):
            select.select([terminal], [], [])
            new = os.read(terminal, 65536)
            if not new:
                break
            output += new.decode(errors="replace")
            sys.stdout.buffer.write(new)
            sys.stdout.flush()
    return output


def look_at(address: str) -> None:
    for path, word in (("/", "<html"), ("/api/newest", "run_id"), ("/sandlot.wasm", "asm")):
        with urllib.request.urlopen(address + path, timeout=20) as answer:
            if word not in answer.read().decode(errors="replace"):
                raise Failed(f"{address}{path} answers something else than the site")
    print(f"\n==> The site answers at {address}", flush=True)


def judge(output: str, word: str) -> None:
    errors = [line for line in output.splitlines() if "ERROR:" in line and "pip" in line.lower()]
    if errors:
        raise Failed(f"make {word} printed what makes newcomers stop: {errors[0]}")


@contextlib.contextmanager
def ending(process: int, minutes: float):
    """Ends the process, and with it its namespace, after some minutes or when something went wrong."""

    def too_long(*_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)

    signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, minutes * 60)
    try:
        yield
    except BaseException:
        too_long()
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    main()
