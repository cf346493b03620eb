"""The API under load: people who play and people who watch, all at once, against a real server process.

    python benchmarks/api_load.py [--players 50] [--readers 200] [--seconds 20]

Every player has a session of its own and steps it as fast as answers come; half of the readers page through
frames by HTTP, half stream them by WebSocket, over and over. The table says how many answers there were, how
long they took, and how many went wrong: none should.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import json
import platform
import statistics
import sys
import tempfile
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from websockets.asyncio.client import connect

import sandlot
from sandlot.evaluate.replay_recorder import Origin, record
from sandlot.runs import Store

sys.path.insert(0, str(Path(__file__).parent.parent / "web" / "tools"))
from visitor import serving

REPLAYS = 4
CONNECT_SECONDS = 60
HEAD_BYTES = 1000  # of an answer with frames: what stands before them
PLAYER_SECONDS = 0.05  # between two steps: a person, if a fast one
READER_SECONDS = 2.0  # between two portions: they are watched before the next are asked for


@dataclass
class Tally:
    """What came back, by kind of request."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    received_bytes: int = 0

    @contextlib.contextmanager
    def timed(self, kind: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        except Exception as problem:  # noqa: BLE001  every kind of trouble is one line of the table
            self.errors[kind].append(f"{type(problem).__name__}: {problem}")
        else:
            self.seconds[kind].append(time.monotonic() - began)


def make_runs(root: Path) -> list[tuple[str, str]]:
    """Runs with replays of scripted players: run id and replay id of each."""
    made = []
    games = {
        "tag": {"seeker": sandlot.bot("tag", "chase"), "hider": sandlot.bot("tag", "evade")},
        "prospector": sandlot.bot("prospector", "tour"),
    }
    config = {"tag": {}, "prospector": {"time_max": 2000}}
    for game, players in games.items():
        about = {"game": game, "trainer_backend": "bots", "window_env_steps": 1000}
        with Store(root).create({}, **about) as run:
            for number in range(REPLAYS):
                origin = Origin(run.run_id, number)
                replay = record(game, players, 7 + number, config[game], origin=origin)
                run.add_replay(replay)
                made.append((run.run_id, replay.header.replay_id))
    return made


# ---------------------------------------------------------------- who asks


class Browser:
    """One open connection with as little HTTP as will do: a full client takes longer than the server."""

    def __init__(self, address: str):
        self._host, self._port = address.removeprefix("http://").rsplit(":", 1)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: object = None) -> bytes:
        """The body of a good answer, as it was sent (packed where the server packs)."""
        return await asyncio.wait_for(self._ask(method, path, body), CONNECT_SECONDS)

    async def _ask(self, method: str, path: str, body: object) -> bytes:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, int(self._port))
        reader, writer = self._streams
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._host}\r\nAccept-Encoding: gzip\r\n"
        kind = "Content-Type: application/json\r\n" if data else ""
        writer.write(f"{head}{kind}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        answer = await self._body(reader, headers)
        assert " 200 " in status, f"{status}: {answer[:200]!r}"
        return answer

    async def _body(self, reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
        if "content-length" in headers:
            return await reader.readexactly(int(headers["content-length"]))
        parts = []
        while size := int(await reader.readline(), 16):
            parts.append((await reader.readexactly(size + 2))[:-2])
        await reader.readline()
        return b"".join(parts)

    def close(self) -> None:
        if self._streams:
            self._streams[1].close()


async def play(address: str, tally: Tally, number: int, stop: float) -> None:
    """One person: a session, step after step, and again from the start when it ends."""
    tag = number % 2 == 0
    body = {"game": "tag", "role": "hider"} if tag else {"game": "prospector", "env_time_max": 300}
    browser, path = Browser(address), "/api/play/session"
    with tally.timed("play: begin"):
        path += "/" + unpacked(await browser.ask("POST", path, body))["session_id"]
    while time.monotonic() < stop:
        state: dict = {}
        with tally.timed("play: step"):
            action = [0.5, -1.0, 0.0] if tag else 6
            state = unpacked(await browser.ask("POST", f"{path}/step", {"action": action}))
        if state.get("terminated") or state.get("truncated"):
            with tally.timed("play: reset"):
                await browser.ask("POST", f"{path}/reset")
        await asyncio.sleep(PLAYER_SECONDS)
    with tally.timed("play: end"):
        await browser.ask("DELETE", path)
    browser.close()


async def read_pages(address: str, tally: Tally, replay: tuple[str, str], stop: float) -> None:
    """One who pages through a replay by HTTP, over and over."""
    browser, offset = Browser(address), 0
    while time.monotonic() < stop:
        with tally.timed("replay: page of 64 frames"):
            path = f"/api/runs/{replay[0]}/replays/{replay[1]}/frames?offset={offset}&limit=64"
            answer = await browser.ask("GET", path)
            tally.received_bytes += len(answer)
            page = head_of(zlib.decompressobj(31).decompress(answer, HEAD_BYTES).decode())
            offset = page["next_offset"] if page["has_more"] else 0
        await asyncio.sleep(READER_SECONDS)
    browser.close()


async def read_stream(address: str, tally: Tally, replay: tuple[str, str], stop: float) -> None:
    """One who streams a replay by socket, over and over."""
    path = f"{address.replace('http', 'ws')}/ws/runs/{replay[0]}/replays/{replay[1]}/frames?limit=200"
    while time.monotonic() < stop:
        with tally.timed("replay: stream of 200 frames"):
            async with connect(path, max_size=None, open_timeout=CONNECT_SECONDS) as socket:
                head: dict = {"type": "frames"}
                while head["type"] == "frames":
                    text = await asyncio.wait_for(socket.recv(), CONNECT_SECONDS)
                    tally.received_bytes += len(text)
                    head = head_of(text)
                assert head["type"] == "complete", head
        await asyncio.sleep(READER_SECONDS)


async def watch_health(address: str, tally: Tally, stop: float) -> None:
    """How long a request waits that asks for nothing."""
    browser = Browser(address)
    while time.monotonic() < stop:
        with tally.timed("health"):
            await browser.ask("GET", "/health")
        await asyncio.sleep(0.1)
    browser.close()


def head_of(text: str) -> dict:
    """All but the frames: to read them would take this program longer than the server needs to make them."""
    mark = ',"opening":' if ',"opening":' in text[:HEAD_BYTES] else ',"frames":['
    head, found, _ = text.partition(mark)
    return json.loads(head + "}" if found else text)


def unpacked(answer: bytes) -> dict:
    return json.loads(gzip.decompress(answer) if answer[:2] == b"\x1f\x8b" else answer)


async def load(
    address: str, replays: list[tuple[str, str]], players: int, readers: int, seconds: float
) -> Tally:
    tally = Tally()
    stop = time.monotonic() + seconds
    tasks = [play(address, tally, number, stop) for number in range(players)]
    for number in range(readers):
        reader = read_stream if number % 2 else read_pages
        tasks.append(reader(address, tally, replays[number // 2 % len(replays)], stop))
    await asyncio.gather(*tasks, watch_health(address, tally, stop))
    return tally


# ---------------------------------------------------------------- the table


def table(tally: Tally, elapsed_s: float) -> str:
    lines = ["| request | answers | a second | p50 | p95 | errors |", "|---|---:|---:|---:|---:|---:|"]
    for kind in sorted({*tally.seconds, *tally.errors}):
        took = sorted(tally.seconds[kind]) or [0.0]
        p95 = took[min(len(took) - 1, int(0.95 * len(took)))]
        lines.append(
            f"| {kind} | {len(tally.seconds[kind]):,} | {len(tally.seconds[kind]) / elapsed_s:,.0f} "
            f"| {1000 * statistics.median(took):,.0f} ms | {1000 * p95:,.0f} ms | {len(tally.errors[kind])} |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--players", type=int, default=50)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20.0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        replays = make_runs(root)
        with serving(root) as server:
            began = time.monotonic()
            tally = asyncio.run(load(server.url, replays, chosen.players, chosen.readers, chosen.seconds))
            elapsed_s = time.monotonic() - began
    print(
        f"{chosen.players} players and {chosen.readers} replay readers for {elapsed_s:.0f} s, "
        f"{tally.received_bytes / 1e6:.0f} MB of frames; Python {platform.python_version()}\n"
    )
    print(table(tally, elapsed_s))
    wrong = {kind: problems for kind, problems in tally.errors.items() if problems}
    for kind, problems in wrong.items():
        print(f"{kind}: {problems[0]}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
