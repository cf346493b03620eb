"""The prospector's core against its twin: the reduced matrix. The full one is `sandlot parity prospector`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandlot.evaluate.parity import Report
from sandlot.evaluate.parity_matrix import MatrixPlan, run
from sandlot.games.reference import parity_setup
from sandlot.games.reference.interface import Tolerances
from sandlot.games.reference.prospector import market
from sandlot.games.reference.prospector.rules import Rules
from sandlot.worlds import load_spec

pytestmark = pytest.mark.parity

EXACT = Tolerances(absolute=0.0, relative=0.0, metric=0.0)
VARIANTS = tuple(parity_setup("prospector").variants)
REACHING = ("random", "adversarial", "novelty", "endings", "hoard")


def play(bundles: Path, **changes) -> Report:
    plan = {"game": "prospector", "seeds": 1, "steps": 400, "budgets": (300,), "bundles": bundles}
    return run(MatrixPlan(**{**plan, **changes}))


def sentences(report: Report) -> list[str]:
    return [f"{r.case.title()}: {r.mismatch.sentence()}" for r in report.mismatches() if r.mismatch]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A little of every suite under every variant, and more of those that reach rare things."""
    bundles, jobs = tmp_path_factory.mktemp("bundles"), min(4, os.cpu_count() or 1)
    report = play(bundles, tolerances=EXACT, jobs=jobs)
    more = play(bundles, tolerances=EXACT, jobs=jobs, suites=REACHING, seeds=2, steps=700, budgets=(500,))
    report.cases += more.cases
    return report


def test_core_and_twin_agree_to_the_bit(whole):
    assert sentences(whole) == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_ending_and_every_action_occurs(variant, whole):
    assert whole.missing()[variant] == []


def test_the_mixtures_turn_every_flag_against_its_profile():
    variants = parity_setup("prospector").variants
    profiles = {name: load_spec("prospector", {"profile": name}) for name in ("balanced", "classic")}
    flags = [k.name for k in profiles["balanced"].knobs if k.kind in ("flag", "choice")]
    turned = {
        flag
        for settings in (variants["mixed"], variants["remixed"])
        for flag in flags
        if flag in settings and settings[flag] != profiles[settings["profile"]].config[flag]
    }
    assert turned == set(flags)


def test_a_wrong_rule_is_found_and_leaves_a_bundle(tmp_path, monkeypatch):
    """The harness must not be blind: a market that forgets its noise differs at the first decision."""
    monkeypatch.setattr(market, "move_noise", lambda twin, dt: [twin.rng.normal() for _ in range(6)])
    report = play(tmp_path, profiles=("balanced",), suites=("random",), steps=50)
    assert not report.good()
    assert report.cases[0].decisions == 1
    folder = next(tmp_path.iterdir())
    assert "-random-seed0-budget300" in folder.name
    assert {path.name for path in folder.iterdir()} == {
        "mismatch.json",
        "actions.json",
        "twin.npz",
        "engine.npz",
    }


def test_several_processes_find_what_one_finds(tmp_path):
    plan = {"suites": ("random",), "seeds": 2, "steps": 60, "profiles": ("balanced",)}
    alone, together = play(tmp_path, **plan), play(tmp_path, **plan, jobs=2)
    assert alone.as_json() == together.as_json()


# Knobs from every corner of the rules that any honest trip feels.
CORNERS = (
    "heat_dissipation", "exposure_hull", "edge_fuel_max", "load_fuel", "wide_blend", "deep_noise",
    "listen_blend", "standard_yield", "standard_wear", "depletion_per_unit", "cooldown_heat",
    "amplitude_max", "price_noise_memory", "stock_depth", "stock_keep", "reward_extract", "reward_wear",
    "richness_hop_gain", "geology",
)  # fmt: skip


@pytest.mark.parametrize("knob", CORNERS)
def test_a_constant_slightly_off_is_noticed(knob, tmp_path, monkeypatch):
    honest = Rules.__init__

    def slightly_off(self, spec):
        values = dict(zip((k.name for k in spec.knobs), spec.knob_values, strict=True))
        values[knob] *= 1.02
        spec.knob_values = list(values.values())
        honest(self, spec)

    monkeypatch.setattr(Rules, "__init__", slightly_off)
    plan = {"profiles": ("balanced",), "suites": ("novelty", "scenarios"), "stop_on_first": True}
    assert not play(tmp_path, **plan).good()
