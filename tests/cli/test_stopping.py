"""cli/stopping.py: SIGTERM inside is Ctrl-C, and outside it is what it was."""

import os
import signal
import threading

import pytest

from sandlot.cli.stopping import terminable


def test_sigterm_ends_what_happens_inside_as_ctrl_c_does():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), terminable():
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_handler_is_put_back_after_a_failure_and_after_success():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(ZeroDivisionError), terminable():
        assert signal.getsignal(signal.SIGTERM) is not before
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGTERM) is before
    with terminable():
        pass
    assert signal.getsignal(signal.SIGTERM) is before


def test_on_another_thread_it_does_nothing():
    reached = []

    def inside():
        with terminable():
            reached.append(True)

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert reached == [True]
