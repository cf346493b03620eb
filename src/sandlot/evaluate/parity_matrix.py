"""The matrix of parity cases: seeds x suites x budgets x profiles, and the engine's side of each."""

from __future__ import annotations

import contextlib
import functools
import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UnknownName
from ..games import Spec, VectorGame, bot, library
from ..games.reference import kit as kit_of
from ..games.reference.kit import Kit, Player, Suite, Tolerances
from .parity import Case, CaseResult, Match, Moment, Report, TwinSide
from .parity_bundle import write_bundle


@dataclass(frozen=True)
class Plan:
    """What to compare; None stands for all that the game has."""

    game: str
    profiles: tuple[str, ...] | None = None  # of the game, or variants of its kit
    suites: tuple[str, ...] | None = None
    budgets: tuple[int, ...] | None = None
    seeds: int = 10
    first_seed: int = 0
    steps: int | None = None  # decisions a case; None: as many as the game's kit says
    tolerances: Tolerances | None = None
    stop_on_first: bool = False
    jobs: int = 1  # processes
    bundles: Path = Path("parity_bundles")


Tell = Callable[[str, int, int], None]  # what, done, of


def run(plan: Plan, tell: Tell | None = None) -> Report:
    """Play the whole matrix and judge it."""
    kit = kit_of(plan.game)
    profiles = chosen_profiles(plan, kit)
    cases = matrix(plan, kit, profiles)
    report = Report(plan.game, coverage_judged=plan.suites is None and not plan.stop_on_first)
    report.goals = {p: kit.goals(kit.make(kit.settings(p))) for p in profiles}
    with contextlib.closing(results(plan, cases)) as played:
        for result in played:
            report.cases.append(result)
            if tell:
                tell(result.case.title(), len(report.cases), len(cases))
            if result.mismatch and plan.stop_on_first:
                break
    return report


def results(plan: Plan, cases: list[Case]) -> Generator[CaseResult, None, None]:
    """Every case played, in order; each stands alone, so several processes may share them."""
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
    """The same engine as the parent's. The parent alone answers Ctrl-C, and no worker outlives it."""
    library.use(engine)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=leave_with_parent, daemon=True).start()


def leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)


def chosen_profiles(plan: Plan, kit: Kit) -> tuple[str, ...]:
    known = tuple(kit.variants or Spec(plan.game).profiles)
    for name in plan.profiles or ():
        if name not in known:
            raise UnknownName(f"profile of {plan.game}", name, known)
    return plan.profiles or known


def chosen_suites(kit: Kit, names: tuple[str, ...] | None) -> list[Suite]:
    by_name = {suite.name: suite for suite in kit.suites}
    for name in names or ():
        if name not in by_name:
            raise UnknownName("suite", name, by_name)
    return [by_name[name] for name in names or by_name]


def matrix(plan: Plan, kit: Kit, profiles: tuple[str, ...]) -> list[Case]:
    suites = [suite.name for suite in chosen_suites(kit, plan.suites)]
    seeds = range(plan.first_seed, plan.first_seed + plan.seeds)
    cells = itertools.product(profiles, suites, plan.budgets or kit.budgets, seeds)
    steps = plan.steps or kit.steps
    return [Case(plan.game, p, suite, seed, budget, steps) for p, suite, budget, seed in cells]


def play(plan: Plan, case: Case) -> CaseResult:
    """One case; a difference leaves its bundle."""
    kit = kit_of(case.game)
    suite = chosen_suites(kit, (case.suite,))[0]
    config = {**kit.settings(case.profile), kit.budget_knob: case.budget}
    with EngineSide(case.game, config) as engine:
        twin, player = TwinSide(kit.make(config), kit.episode), bot_player(case, suite, config)
        match = Match(case, kit, suite, twin, engine, plan.tolerances or kit.tolerances, player)
        result = match.play()
    if result.mismatch:
        write_bundle(plan.bundles, result, match.trace)
    return result


def bot_player(case: Case, suite: Suite, config: Mapping[str, Any]) -> Player | None:
    return bot(case.game, suite.bot, config=config, seed=case.seed) if suite.bot else None


class EngineSide:
    """One native world that stays at its ending until it is reset."""

    def __init__(self, game: str, config: Mapping[str, Any]) -> None:
        self.world = VectorGame(game, worlds=1, config=config, autoreset=False)

    def __enter__(self) -> EngineSide:
        return self

    def __exit__(self, *_: object) -> None:
        self.world.close()

    def reset(self, seed: int) -> Moment:
        self.world.reset(seeds=[seed])
        return self.moment(resetting=True)

    def step(self, action: Any) -> Moment:
        self.world.actions[:] = action  # as it is: the core must cope with ids from nowhere by itself
        self.world.step()
        moment = self.moment()
        for episode in self.world.finished():
            moment.episode = episode
        return moment

    def moment(self, resetting: bool = False) -> Moment:
        """The engine's arrays, copied; a reset writes no reward and no ending."""
        world = self.world
        blank = np.zeros(world.rows, np.float32)
        return Moment(
            observation=world.observations.copy(),
            reward=blank if resetting else world.rewards.copy(),
            terminated=blank.astype(bool) if resetting else world.terminated.copy(),
            truncated=blank.astype(bool) if resetting else world.truncated.copy(),
            mask=None if world.masks is None else world.masks.copy(),
            info=world.info(0),
        )
