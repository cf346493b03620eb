"""serve/pool.py: threads that compute, and that nobody waits for in the end."""

import threading

import pytest

from sandlot.serve.pool import Pool


def test_results_and_troubles_reach_who_asked():
    pool = Pool(1, "test")
    assert pool.submit(lambda a, b: a - b, 5, 2).result(20) == 3
    with pytest.raises(ZeroDivisionError):
        pool.submit(lambda: 1 // 0).result(20)
    with pytest.raises(KeyboardInterrupt):
        pool.submit(_interrupted).result(20)
    assert pool.submit(int, "7").result(20) == 7, "the thread lives on"
    pool.close()


def _interrupted():
    raise KeyboardInterrupt


def test_closing_cancels_what_has_not_begun_and_ends_every_thread():
    pool, gate, begun = Pool(2, "closing"), threading.Event(), threading.Barrier(3)

    def hold():
        begun.wait(20)
        return gate.wait(20)

    held = [pool.submit(hold) for _ in range(2)]
    begun.wait(20)
    waiting = pool.submit(int)
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("closing_")]
    assert sorted(thread.name for thread in threads) == ["closing_0", "closing_1"]
    assert all(thread.daemon for thread in threads)
    pool.close()
    gate.set()
    assert waiting.cancelled() and [each.result(20) for each in held] == [True, True]
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()


def test_what_was_cancelled_before_it_began_is_not_done():
    pool, gate, done = Pool(1, "test"), threading.Event(), []
    pool.submit(gate.wait, 20)
    waiting = pool.submit(done.append, 1)
    waiting.cancel()
    gate.set()
    pool.submit(int).result(20)
    assert done == []
    pool.close()
