"""The matrix of parity cases: seeds x suites x budgets x profiles, and the engine's side of each."""

import contextlib
import functools
import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ..errors import UnknownName
from ..games import Bot
from ..games.reference import parity_setup
from ..games.reference.interface import ParitySetup, Suite, Tolerances
from ..worlds import NativeWorld, library, load_spec
from .parity import Case, CaseResult, EngineSide, ParityRun, Report, TwinSide, write_bundle


@dataclass(frozen=True)
class MatrixPlan:
    """What to compare; None means everything that the game has."""

    game: str
    profiles: tuple[str, ...] | None = None  # of the game, or variants of its ParitySetup
    suites: tuple[str, ...] | None = None
    budgets: tuple[int, ...] | None = None
    seeds: int = 10
    first_seed: int = 0
    steps: int | None = None  # decisions a case; None: as many as the game's ParitySetup says
    tolerances: Tolerances | None = None
    stop_on_first: bool = False
    jobs: int = 1  # processes
    bundles: Path = Path("parity_bundles")


Tell = Callable[[str, int, int], None]  # what, done, of


def run(plan: MatrixPlan, tell: Tell | None = None) -> Report:
    """Play the whole matrix; returns its report."""
    setup = parity_setup(plan.game)
    profiles = chosen_profiles(plan, setup)
    cases = matrix(plan, setup, profiles)
    report = Report(plan.game, coverage_required=plan.suites is None and not plan.stop_on_first)
    report.goals = {p: setup.goals(setup.make(setup.settings(p))) for p in profiles}
    with contextlib.closing(results(plan, cases)) as played:
        for result in played:
            report.cases.append(result)
            if tell:
                tell(result.case.title(), len(report.cases), len(cases))
            if result.mismatch and plan.stop_on_first:
                break
    return report


def results(plan: MatrixPlan, cases: list[Case]) -> Generator[CaseResult, None, None]:
    """Play every case, in order; cases are independent, so processes may share them."""
    if plan.jobs == 1:
        yield from (play(plan, case) for case in cases)
        return
    # spawned, because a progress bar's thread must not be forked
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(plan.jobs, context, begin_worker, (library.default_path(),))
    try:
        yield from pool.map(functools.partial(play, plan), cases)
    finally:
        pool.shutdown(cancel_futures=True)


def begin_worker(engine: Path) -> None:
    """Load the parent's engine. Only the parent handles Ctrl-C, and no worker outlives it."""
    library.use(engine)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=leave_with_parent, daemon=True).start()


def leave_with_parent() -> None:
    """End this process when its parent has ended."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)


def chosen_profiles(plan: MatrixPlan, setup: ParitySetup) -> tuple[str, ...]:
    """The profiles of a plan; UnknownName for one that the game does not have."""
    known = tuple(setup.variants or load_spec(plan.game).profiles)
    return _chosen(f"profile of {plan.game}", plan.profiles, known)


def chosen_suites(setup: ParitySetup, names: tuple[str, ...] | None) -> list[Suite]:
    """Suites by name, all without names."""
    by_name = {suite.name: suite for suite in setup.suites}
    return [by_name[name] for name in _chosen("suite", names, tuple(by_name))]


def _chosen(kind: str, names: tuple[str, ...] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    for name in names or ():
        if name not in known:
            raise UnknownName(kind, name, known)
    return names or known


def matrix(plan: MatrixPlan, setup: ParitySetup, profiles: tuple[str, ...]) -> list[Case]:
    """All cases of a plan."""
    suites = [suite.name for suite in chosen_suites(setup, plan.suites)]
    seeds = range(plan.first_seed, plan.first_seed + plan.seeds)
    cells = itertools.product(profiles, suites, plan.budgets or setup.budgets, seeds)
    steps = plan.steps or setup.steps
    return [Case(plan.game, p, suite, seed, budget, steps) for p, suite, budget, seed in cells]


def play(plan: MatrixPlan, case: Case) -> CaseResult:
    """One case; a difference leaves its bundle."""
    setup = parity_setup(case.game)
    suite = chosen_suites(setup, (case.suite,))[0]
    config = {**setup.settings(case.profile), setup.budget_knob: case.budget}
    bot = Bot(case.game, suite.bot, config=config, seed=case.seed) if suite.bot else None
    twin = TwinSide(setup.make(config), setup.episode)
    with NativeWorld(case.game, worlds=1, config=config, autoreset=False) as world:
        tolerances = plan.tolerances or setup.tolerances
        match = ParityRun(case, setup, suite, twin, EngineSide(world), tolerances, bot)
        result = match.play()
    if result.mismatch:
        write_bundle(plan.bundles, result, match.trace)
    return result
