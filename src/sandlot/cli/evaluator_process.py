"""The evaluator process of a training: started, restarted when it dies, waited for at the end."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..processes import new_session_options
from .show import err

WAIT_SECONDS = 300  # how long the end of a run waits for the last windows
LOG_VARIABLE = "SANDLOT_GODOT_LOG"  # file for the output of an engine, where a world is one
RESTARTS = 3  # of an evaluator that died, per training session
LOOK_SECONDS = 1.0  # between two looks at it while training
STOP_SECONDS = 10  # between asking it to end and killing it


class EvaluatorProcess:
    """Runs the evaluator in another process. Called at every event, it restarts a dead one."""

    def __init__(self, run: Any):
        self.run = run
        self.log = run.paths.logs / "evaluator.log"
        self._restarts, self._next_look = 0, 0.0
        self._process = self._start()

    def __call__(self, event: Any) -> None:
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + LOOK_SECONDS
            self._restart_if_dead()

    def wait(self) -> None:
        """Wait until it ends after the last window, at most WAIT_SECONDS."""
        if self._process.poll() is None:
            err.print("Evaluating the last windows …")
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                code = self._process.wait(timeout=max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                err.print(f"The evaluator is still running after {WAIT_SECONDS} s and is stopped.")
                return
            if code in (0, 1) or not self._restart_if_dead():
                return

    def stop(self) -> None:
        """Close its input, then terminate it, then kill it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "sandlot.evaluate.evaluator", str(self.run.paths.folder)]
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as output:
            return subprocess.Popen(
                [*command, "--until-input-closes"],
                env=self._environment(),
                stdin=subprocess.PIPE,  # closes when this process ends, however that happens
                stdout=output,
                stderr=output,
                **new_session_options(),
            )

    def _environment(self) -> dict[str, str]:
        """Our environment, with a separate log for the engine."""
        log = self.run.paths.logs / "godot_evaluator.log"
        return {**os.environ, LOG_VARIABLE: str(log.absolute())}

    def _restart_if_dead(self) -> bool:
        """Start it again if it died; True when it runs. After RESTARTS times it is given up."""
        code = self._process.poll()
        if code is None:
            return True
        if not self.run.retention.evaluated_every:
            return False  # given up
        why = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        if self._restarts == RESTARTS:
            self.run.evaluated_every(0)
            err.print_line(f"The evaluator {why} and is not started again; see {self.log}.")
            return False
        self._restarts += 1
        err.print_line(f"The evaluator {why}; it is started again. See {self.log}.")
        self.stop()
        self._process = self._start()
        return True


@contextmanager
def evaluator(run: Any, every: int) -> Iterator[list[Any]]:
    """Evaluate checkpoints in the background; yields listeners. every: windows, 0 for no evaluation."""
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


def warn_unevaluated(run: Any, every: int) -> bool:
    """Warn about windows that were not evaluated; True if there are any."""
    waiting = run.unevaluated(every) if every else []
    if not waiting:
        return False
    more = f" and {len(waiting) - 10} more" if len(waiting) > 10 else ""
    shown = ", ".join(map(str, waiting[:10])) + more
    err.print_line(
        f"Not evaluated: {'window' if len(waiting) == 1 else 'windows'} {shown}. The weights are kept. "
        f"{run.paths.logs / 'evaluator.log'} says why; try again with: "
        f"{Path(sys.executable).name} -m sandlot.evaluate.evaluator {run.paths.folder}"
    )
    return True
