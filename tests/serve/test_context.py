"""Workers: deadlines for who waits, a limit on how many may, an end that waits for nobody, life after it."""

import asyncio
import threading
import time

import pytest

from sandlot.serve.context import Workers
from sandlot.serve.errors import ApiError


def test_who_comes_when_too_many_wait_is_reported_to_come_again():
    async def ask():
        workers, gate = Workers("test", threads=1, seconds=20, most=3), threading.Event()
        waiting = [asyncio.create_task(workers.submit(gate.wait, 20)) for _ in range(3)]
        await asyncio.sleep(0.05)
        with pytest.raises(ApiError, match="too many waiting requests") as refused:
            await workers.submit(time.time)
        gate.set()
        assert await asyncio.gather(*waiting) == [True] * 3
        assert await workers.submit(lambda: "again") == "again"
        workers.close()
        return refused.value

    error = asyncio.run(ask())
    assert (error.status, error.headers) == (503, {"Retry-After": "5"})


def test_who_waits_too_long_is_let_go():
    async def ask():
        workers = Workers("test", threads=1, seconds=0.1, most=3)
        with pytest.raises(ApiError, match=r"took over 0.1 s"):
            await workers.submit(time.sleep, 0.5)
        workers.close()

    asyncio.run(ask())


def test_workers_that_were_closed_can_be_used_again():
    async def ask():
        workers = Workers("test", threads=1, seconds=20, most=3)
        assert await workers.submit(lambda: 1) == 1
        workers.close()
        assert await workers.submit(lambda: 2) == 2
        workers.close()

    asyncio.run(ask())


def test_trouble_in_a_task_reaches_who_asked():
    async def ask():
        with pytest.raises(ZeroDivisionError):
            await Workers("test", 1, 20, 3).submit(lambda: 1 // 0)

    asyncio.run(ask())


def test_who_waits_is_reported_when_the_workers_close_and_nobody_waits_for_them():
    async def ask():
        workers, gate = Workers("test", threads=1, seconds=20, most=3), threading.Event()
        waiting = [asyncio.create_task(workers.submit(gate.wait, 20)) for _ in range(2)]  # one begun, one not
        await asyncio.sleep(0.05)
        workers.close()
        for each in waiting:
            with pytest.raises(ApiError, match="being stopped"):
                await each
        assert all(thread.daemon for thread in threading.enumerate() if thread.name.startswith("test_"))
        gate.set()

    asyncio.run(ask())


def test_a_client_who_goes_away_is_no_refusal():
    async def ask():
        workers, gate = Workers("test", threads=1, seconds=20, most=3), threading.Event()
        waiting = asyncio.create_task(workers.submit(gate.wait, 20))
        await asyncio.sleep(0.05)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        gate.set()
        workers.close()

    asyncio.run(ask())
