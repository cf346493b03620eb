"""Watch the prospector: at any step of a replay the page shows what the engine's own frames hold."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

import sandlot
from sandlot.evaluate.replay_reader import open_replay
from sandlot.evaluate.replay_recorder import Origin, record
from sandlot.runs import Replay, Store

from .conftest import PHONE

GOODS = ("iron", "nickel", "water_ice", "pge", "rare_isotopes", "volatiles")
GAUGES = {name: name for name in ("fuel", "hull", "heat", "tool", "alert")} | {"cargo": "cargo_total"}
CELLS = {"units": "cargo", "price": "price", "change": "price_delta", "stock": "stock"}
METRICS = {
    "Credits": "credits",
    "Net profit": "net_profit",
    "Time left": "time_remaining",
    "Decoys": "decoys",
}


@pytest.fixture(scope="module")
def tour() -> Replay:
    """A competent player's first two thousand ticks: trips, sales, break-ups."""
    player = sandlot.bot("prospector", "tour", config={"time_max": 2000})
    return record("prospector", player, seed=7, config={"time_max": 2000}, names={"pilot": "tour"})


@pytest.fixture
def shown(tour: Replay, own_runs: Path, start_server):
    """`shown(page, moment)`: the replay on the page, at a moment."""
    store = Store(own_runs)
    run = store.open(next(each.run_id for each in store.runs() if each.game == "prospector"))
    origin = Origin(run.run_id, run.windows()[-1].window_id)
    header = tour.header.model_copy(update={"run_id": run.run_id, "window_id": origin.window_id})
    run.add_replay(Replay(header, tour.actions, tour.events, tour.hashes, tour.end))
    server = start_server(own_runs)

    def show(page, moment: str = "#t=0") -> None:
        page.goto(f"{server.url}/?run={run.run_id}&replay={tour.header.replay_id}{moment}")
        page.locator("[data-view=prospector]").wait_for()

    return show


@pytest.mark.parametrize(("fps", "stride"), [(1, 1), (6, 1), (20, 1), (10, 5)])
def test_frames_advance_as_fast_as_chosen_by_a_controlled_clock(page, shown, fps, stride):
    """Time passes only as the test lets it: so many frames per second, neither more nor fewer."""
    shown(page)
    page.get_by_role("button", name="Play (Space)").wait_for()
    page.get_by_label("Frames a second").fill(str(fps))
    page.get_by_label("Stride").fill(str(stride))
    page.clock.install(time=datetime(2026, 1, 1, tzinfo=UTC))
    page.clock.pause_at(datetime(2026, 1, 1, 1, tzinfo=UTC))
    page.clock.run_for(100)  # animation frames now come from this clock
    page.get_by_role("button", name="Play (Space)").click()
    page.clock.run_for(1000)  # the click itself may have let a moment pass
    begun = step_shown(page)
    page.clock.run_for(3000)
    assert abs(step_shown(page) - begun - 3 * fps * stride) <= stride


def step_shown(page) -> int:
    return int(page.locator("[data-view=prospector]").get_attribute("data-step"))


def jump(page, step: int) -> None:
    page.get_by_label("Moment of the replay").fill(str(step))
    page.locator(f'[data-view=prospector][data-step="{step}"]').wait_for()


def number(text: str) -> float:
    return float(re.sub(r"[^\d.−-]", "", text).replace("−", "-"))


def near(value: float) -> object:
    return pytest.approx(value, abs=0.51 if abs(value) >= 100 else 0.051)


def test_every_number_at_a_step_is_that_of_the_engines_frame(page, shown, tour):
    shown(page)
    with open_replay(tour) as player:
        for step in (1, 40, 333, tour.end.steps // 2, tour.end.steps):
            frame = player.page(step - 1, 1).frames[0]
            jump(page, step)
            state = frame.render_state
            for gauge, field in GAUGES.items():
                body = page.locator(f"[data-gauge={gauge}] .numbers").inner_text()
                assert number(body) == near(state[field]), (step, gauge)
            for place, good in enumerate(GOODS):
                row = page.locator(f"[data-part=market] [data-good={good}]")
                for cell, field in CELLS.items():
                    body = row.locator(f"[data-cell={cell}]").inner_text()
                    assert number(body) == near(state[field][place]), (step, good, cell)
            for name, field in METRICS.items():
                body = page.locator(f'[data-metric="{name}"]').inner_text()
                assert number(body) == pytest.approx(state[field], abs=0.51), (step, name)
            action = page.locator("[data-part=action]")
            assert (
                action.get_attribute("data-action")
                == sandlot.load_spec("prospector").action_names[frame.action]
            )
            assert f"· {frame.action}" in action.inner_text()


def test_the_sector_and_the_map_show_the_place_of_that_step(page, shown, tour):
    shown(page)
    with open_replay(tour) as player:
        frames = player.page(0, tour.end.steps).frames
    afield = next(f for f in frames if f.render_state["selected"] >= 0)
    home = next(f for f in frames[100:] if f.render_state["node"] == 0)
    jump(page, afield.frame_index + 1)
    rocks = [row for row in afield.render_state["asteroids"] if row[0]]
    assert page.locator(".sector .rock").count() == len(rocks)
    selected = page.locator(".sector .rock:has(.rock-selected)").get_attribute("data-slot")
    assert int(selected) == afield.render_state["selected"]
    known = sum(row[0] > 0 for row in afield.render_state["nodes"])
    assert page.locator(".beltmap [data-node]").count() == known
    here = page.locator(".beltmap [data-node]:has(.beltmap-ship)").get_attribute("data-node")
    assert int(here) == afield.render_state["node"]
    assert page.locator('.sector [data-art="entity.ship.agent"]').count() == 1
    jump(page, home.frame_index + 1)
    assert page.locator('.sector [data-art="entity.station"]').count() == 1
    assert page.locator(".sector .rock").count() == 0


def test_what_happens_is_drawn_at_its_step(page, shown, tour):
    """Sales fly out, rocks break up, scans pulse: each effect at the step of its event or action."""
    shown(page)
    first = {name: step + 1 for step, name in reversed(tour.events)}
    for event, effect in (("sell", "flyout.credits"), ("fracture", "explosion.rock"), ("scan", "pulse.wide")):
        jump(page, first[event])
        assert page.locator(f'.sector [data-effect="{effect}"]').count() == 1, event
    jump(page, 0)
    assert page.locator(".sector [data-effect]").count() == 0


def test_the_list_of_events_tells_sentences_and_leads_to_their_moments(page, shown, tour):
    shown(page)
    page.get_by_text("verified", exact=True).wait_for()
    page.get_by_role("tab", name="Events").click()
    page.get_by_label("Kind of event").select_option("sell")
    entry = page.locator(".events button").first  # the newest
    entry.filter(has_text="Sold").wait_for()  # sentences are loaded on demand
    assert re.search(r"Sold [\d.]+ [a-z ]+ for [\d,]+ cr", entry.inner_text())
    entry.click()
    last_sale = max(step for step, name in tour.events if name == "sell") + 1
    page.locator(f'[data-view=prospector][data-step="{last_sale}"]').wait_for()


def test_effects_do_not_pile_up_while_a_replay_plays(page, shown):
    shown(page)
    page.get_by_label("Frames a second").fill("20")
    before = page.evaluate("document.querySelectorAll('*').length")
    page.wait_for_timeout(3000)
    assert page.evaluate("document.querySelectorAll('*').length") < before + 400
    assert page.locator(".sector .fx").count() == 1


def test_frames_of_the_server_show_the_same_numbers(page, shown):
    shown(page)
    jump(page, 200)
    own = page.locator("[data-view=prospector]").inner_text()
    page.goto(page.url.replace("&replay=", "&frames=http&replay="))
    page.locator("[data-view=prospector]").wait_for()
    jump(page, 200)
    assert page.locator("[data-view=prospector]").inner_text() == own


@pytest.mark.parametrize(("size", "theme"), [((1280, 800), "dark"), (PHONE, "light")])
def test_it_fits_and_has_no_accessibility_violations(size, theme, open_page, shown, fits, axe):
    page = open_page(size=size, theme=theme, still=True)
    shown(page, "#t=60")
    assert fits(page)
    assert axe(page) == []
