"""The evaluator beside a training: started, looked after, waited for at the end."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..processes import apart
from .show import err

WAIT_SECONDS = 300  # how long the end of a run waits for the last windows
RESTARTS = 3  # of an evaluator that died, in one sitting
LOOK_SECONDS = 1.0  # between two looks at it while training


class EvaluatorProcess:
    """A process of its own. Listens to the loop only to notice, now and then, that it has died."""

    def __init__(self, run: Any):
        self.run = run
        self.log = run.paths.logs / "evaluator.log"
        self._restarts, self._next_look = 0, 0.0
        self._process = self._start()

    def __call__(self, event: Any) -> None:
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + LOOK_SECONDS
            self._revive()

    def wait(self) -> None:
        """Until it has ended by itself, which it does after the last window, but not for ever."""
        if self._process.poll() is None:
            err.print("Evaluating the last windows …")
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                code = self._process.wait(timeout=max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                err.print(f"The evaluator is still at work after {WAIT_SECONDS} s and is stopped.")
                return
            if code in (0, 1) or not self._revive():
                return

    def stop(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "sandlot.evaluate.evaluator", str(self.run.paths.folder)]
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as output:
            return subprocess.Popen(
                [*command, "--until-input-closes"],
                stdin=subprocess.PIPE,  # closed when we are gone, however that comes
                stdout=output,
                stderr=output,
                **apart(),
            )

    def _revive(self) -> bool:
        """Start it again if it died; True when it runs. After a few times its checkpoints wait no longer."""
        code = self._process.poll()
        if code is None:
            return True
        if not self.run.retention.evaluated_every:
            return False  # given up
        why = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        if self._restarts == RESTARTS:
            self.run.evaluated_every(0)
            err.print(f"The evaluator {why} and is not started again; see {self.log}.", markup=False)
            return False
        self._restarts += 1
        err.print(f"The evaluator {why}; it is started again. See {self.log}.", markup=False)
        self.stop()
        self._process = self._start()
        return True


@contextmanager
def evaluator(run: Any, every: int) -> Iterator[list[Any]]:
    """Evaluate a run's checkpoints meanwhile; yields listeners. every: windows, 0 for no evaluation."""
    run.evaluated_every(every)
    if not every:
        yield []
        return
    process = EvaluatorProcess(run)
    try:
        yield [process]
        process.wait()
    finally:
        process.stop()


def say_unevaluated(run: Any, every: int) -> bool:
    """Name the windows that were not evaluated, if any."""
    waiting = run.unevaluated(every) if every else []
    if not waiting:
        return False
    shown = ", ".join(map(str, waiting[:10])) + (
        f" and {len(waiting) - 10} more" if len(waiting) > 10 else ""
    )
    err.print(
        f"Not evaluated: {'window' if len(waiting) == 1 else 'windows'} {shown}. The weights are kept. "
        f"{run.paths.logs / 'evaluator.log'} says why; try again with: "
        f"{Path(sys.executable).name} -m sandlot.evaluate.evaluator {run.paths.folder}",
        markup=False,
        soft_wrap=True,
    )
    return True
