"""Play the prospector: a whole game by hand agrees with the engine; all that a pilot needs is at hand."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

import sandlot

from .conftest import PHONE, ROOT, until

SPEC = sandlot.load_spec("prospector")
NAMES = SPEC.action_names
REASONS = SPEC.json["reasons"]
KEYS = {
    "HOLD_DRIFT": "h",
    "EMERGENCY_BURN": "b",
    "WIDE_SCAN": "q",
    "FOCUSED_SCAN_SELECTED": "w",
    "DEEP_SCAN_SELECTED": "e",
    "PASSIVE_THREAT_LISTEN": "t",
    "MINE_CONSERVATIVE_SELECTED": "z",
    "MINE_STANDARD_SELECTED": "x",
    "MINE_AGGRESSIVE_SELECTED": "c",
    "STABILIZE_SELECTED": "s",
    "REFINE_ONBOARD": "r",
    "ACTIVE_COOLDOWN": "v",
    "TOOL_MAINTENANCE": "g",
    "HULL_PATCH": "p",
    "DOCK": "d",
    "BUY_REPAIR_KIT": "k",
    "BUY_STABILIZER": "i",
    "BUY_DECOY": "o",
    "FULL_REPAIR_OVERHAUL": "u",
    "CASH_OUT_END_EPISODE": "y",
}
END = "[data-part=end]"


def open_game(page, server, seed: int = 7, time: int | None = None) -> None:
    budget = f"&time={time}" if time else ""
    page.goto(f"{server.url}/play?game=prospector&seed={seed}{budget}")
    page.locator(".play-board").wait_for()


def step(page) -> int:
    return int(page.locator(".play-board").get_attribute("data-step"))


def wait_for_step(page, wanted: int) -> None:
    page.locator(f'.play-board[data-step="{wanted}"]').wait_for()


def button(page, name: str):
    return page.locator(f'button[data-action="{name}"]')


def do(page, *names: str) -> None:
    """By clicks, each of which must be one step."""
    for name in names:
        before = step(page)
        button(page, name).click()
        wait_for_step(page, before + 1)


def figure(page, name: str) -> str:
    return page.locator(f'[data-metric="{name}"]').inner_text()


def number(text: str) -> float:
    return float(re.sub(r"[^\d.−-]", "", text).replace("−", "-"))


def keys_of(name: str) -> list[str] | None:
    """The keys of an action as the page's legend promises them."""
    goods = next(field.labels for field in SPEC.render if field.name == "cargo")
    if name in KEYS:
        return [KEYS[name]]
    if name.startswith("TRAVEL_NEIGHBOR_"):
        return [str(int(name[-1]) + 1)]
    if name.startswith("BUY_FUEL_"):
        return ["f", str(1 + ["SMALL", "MED", "LARGE"].index(name.removeprefix("BUY_FUEL_")))]
    for place, good in enumerate(goods, 1):
        if name == f"JETTISON_{good.upper()}":
            return ["j", str(place)]
        for presses, share in enumerate((100, 50, 25), 1):
            if name == f"SELL_{good.upper()}_{share}":
                return ["l"] * presses + [str(place)]
    return None


# ---------------------------------------------------------------- whole games


def test_a_whole_game_by_keys_and_clicks_ends_with_the_engines_own_numbers(page, server):
    """A scripted player decides, the page is steered by hand, and the native engine plays beside it."""
    seed, config = 7, {"time_max": 420}
    world = sandlot.make("prospector", 1, config=config, autoreset=False)
    world.reset(seed=seed)
    tour, memory, total = sandlot.bot("prospector", "tour", config=config), None, 0.0
    open_game(page, server, seed, config["time_max"])
    played = 0
    while not (world.terminated[0] or world.truncated[0]):
        actions, memory = tour.act(world.observations, world.masks, memory)
        name, keys = NAMES[int(actions[0])], keys_of(NAMES[int(actions[0])])
        if keys and played % 3:
            for key in keys:
                page.keyboard.press(key)
        else:
            button(page, name).click()
        if name == "CASH_OUT_END_EPISODE":
            page.get_by_role("button", name="Cash out", exact=True).click()
        world.step(actions)
        total += float(world.rewards[0])
        played += 1
        wait_for_step(page, played)
        assert page.locator("[data-part=action]").get_attribute("data-action") == name
    end = world.finished()[0]
    page.locator(END).wait_for()
    endings = next(field.labels for field in SPEC.episode if field.name == "ending")
    assert page.locator(END).get_attribute("data-ending") == endings[int(end["ending"])]
    assert number(page.locator("[data-end=profit]").inner_text()) == pytest.approx(
        end["net_profit"], abs=0.51
    )
    row = page.locator("tr", has=page.locator("[data-score=You]")).inner_text().split("\t")
    assert number(row[1]) == pytest.approx(end["net_profit"], abs=0.51)
    assert number(row[2]) == pytest.approx(end["return"], abs=0.0006) == pytest.approx(total, abs=1e-3)
    assert number(row[3]) == end["ticks"]


def test_the_end_compares_with_bots_and_the_newest_policy_on_the_same_seed(page, server):
    from sandlot.evaluate.play import play

    open_game(page, server, seed=11, time=60)
    for _ in range(60):
        page.keyboard.press("h")
    page.locator(END).wait_for()
    for name in ("tour", "greedy_miner", "cautious_scanner", "market_timer"):
        row = page.locator("tr", has=page.locator(f"[data-score={name}]")).inner_text().split("\t")
        config = {"time_max": 60}
        alone = play("prospector", sandlot.bot("prospector", name, config=config), [11], config)
        assert number(row[1]) == pytest.approx(float(alone.column("net_profit")[0]), abs=0.51), name
    page.locator("[data-score]", has_text="@").wait_for()  # RUN@WINDOW: the trained one
    page.get_by_role("button", name="Same belt again").click()
    page.locator('.play-board[data-step="0"][data-seed="11"]').wait_for()
    assert page.locator(END).count() == 0


def test_a_game_saved_as_a_replay_is_proven_by_the_native_engine(page, server, tmp_path):
    open_game(page, server, seed=3, time=30)
    do(page, "TRAVEL_NEIGHBOR_0", "WIDE_SCAN", "HOLD_DRIFT")
    page.get_by_text("Advanced").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as replay").first.click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    command = [sys.executable, "-m", "sandlot", "replay", str(file), "--verify"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_playing_asks_the_server_for_nothing(page, server, complaints):
    open_game(page, server)
    page.wait_for_load_state("networkidle")  # its pictures are fetched ahead
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    do(page, "TRAVEL_NEIGHBOR_0", "WIDE_SCAN", "PASSIVE_THREAT_LISTEN", "HOLD_DRIFT")
    assert asked == []


# ---------------------------------------------------------------- the deck


def test_all_actions_are_there_and_greyed_ones_say_the_engines_reason(page, server):
    open_game(page, server)
    world = sandlot.make("prospector", 1, autoreset=False)
    world.reset(seed=7)
    for name in (None, "TRAVEL_NEIGHBOR_0", "SELECT_ASTEROID_1"):
        if name:
            do(page, name)
            world.step(np.int32([NAMES.index(name)]))
        why_not = world.render(0)["why_not"].astype(int)
        shown = page.locator("button[data-action]").evaluate_all(
            "all => all.map(b => [b.dataset.action, b.getAttribute('aria-disabled'), b.title])"
        )
        assert sorted(each[0] for each in shown) == sorted(NAMES)
        for action, greyed, title in shown:
            reason = REASONS[why_not[NAMES.index(action)]]
            assert (greyed == "true") == (reason["name"] != "none"), action
            assert greyed == "false" or reason["text"] in title, (action, title)


def test_a_forbidden_action_moves_nothing_and_says_why(page, server):
    open_game(page, server)
    button(page, "MINE_STANDARD_SELECTED").click(force=True)  # greyed, and yet it answers
    notice = page.locator("[data-part=notice]")
    assert "Select an asteroid first." in notice.inner_text()
    page.keyboard.press("d")
    page.get_by_text("No alert to take away.").nth(0).wait_for()
    assert "Lie low" in notice.inner_text() and step(page) == 0
    do(page, "HOLD_DRIFT")
    assert notice.count() == 0


def test_cash_out_asks_first_and_giving_up_too(page, server):
    open_game(page, server)
    page.get_by_role("button", name="End", exact=True).click()
    dialog = page.get_by_role("dialog")
    assert "not possible now" in dialog.inner_text()
    page.keyboard.press("h")  # the game's keys rest while a question is open
    page.get_by_role("button", name="Go on playing").click()
    assert step(page) == 0
    page.get_by_role("button", name="End", exact=True).click()
    page.get_by_role("button", name="Give up").click()
    until(page, "document.querySelector('.play-board')?.dataset.seed !== '7'")


# ---------------------------------------------------------------- keys


def test_keys_walk_select_repeat_and_wait_for_a_second_key(page, server):
    open_game(page, server)
    page.keyboard.press("3")
    wait_for_step(page, 1)
    page.keyboard.press("ArrowRight")
    wait_for_step(page, 2)
    first = page.locator("[data-part=action]").get_attribute("data-action")
    page.keyboard.press("ArrowRight")
    wait_for_step(page, 3)
    second = page.locator("[data-part=action]").get_attribute("data-action")
    assert (first, second) == ("SELECT_ASTEROID_0", "SELECT_ASTEROID_1")
    page.keyboard.press("x")
    wait_for_step(page, 4)
    page.keyboard.press(" ")
    wait_for_step(page, 5)
    assert page.locator("[data-part=action]").get_attribute("data-action") == "MINE_STANDARD_SELECTED"
    page.keyboard.press("j")
    assert "1 iron" in page.locator("[data-waiting=jettison]").inner_text()
    page.keyboard.press("Escape")
    assert page.locator("[data-waiting]").count() == 0
    page.keyboard.press("j")
    page.keyboard.press("1")
    wait_for_step(page, 6)
    assert page.locator("[data-event=jettison]").inner_text().startswith("Dropped")
    page.keyboard.press("?")
    page.get_by_role("dialog").get_by_text("How to play").wait_for()


def test_keys_are_ignored_while_typing(page, server):
    open_game(page, server)
    page.get_by_text("Advanced").click()
    page.get_by_label("Seed").fill("")
    page.get_by_label("Seed").press_sequentially("1h2q6")
    assert step(page) == 0
    page.get_by_role("button", name="Open this belt").click()
    assert "whole number" in page.get_by_role("alert").inner_text()
    page.get_by_label("Seed").fill("21")
    page.get_by_label("Time budget").fill("500")
    page.get_by_label("Time budget").press("Enter")
    page.locator('.play-board[data-seed="21"]').wait_for()
    assert figure(page, "Time left") == "500 ticks"
    assert "seed=21" in page.url and "time=500" in page.url


class KeyboardPilot:
    """Plays with keys alone; the native engine follows the page, and tells where home is."""

    def __init__(self, page, seed: int):
        self.page, self.steps = page, 0
        self.world = sandlot.make("prospector", 1, autoreset=False)
        self.world.reset(seed=seed)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.steps += 1
        wait_for_step(self.page, self.steps)
        done = self.page.locator("[data-part=action]").get_attribute("data-action")
        self.world.step(np.int32([NAMES.index(done)]))

    @property
    def seen(self) -> dict:
        return self.world.render(0)

    def can(self, name: str) -> bool:
        return bool(self.world.masks[0][NAMES.index(name)])

    def mine(self, times: int) -> None:
        for _ in range(times):
            if self.seen["heat"] > 55:
                self.press("v")
            elif self.can("MINE_STANDARD_SELECTED"):
                self.press("x")
            else:
                self.press("ArrowRight")

    def tab_to(self, label: str) -> None:
        for _ in range(30):
            if self.page.evaluate("document.activeElement.innerText") == label:
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab never comes to {label}")


def test_a_trip_with_profit_and_both_dialogs_by_keyboard_alone(page, server):
    open_game(page, server)
    pilot = KeyboardPilot(page, seed=7)
    pilot.press("3")
    pilot.press("q")
    pilot.press("ArrowRight")
    pilot.mine(25)
    while pilot.seen["node"] != 0:
        pilot.press(str(int(pilot.seen["way_home"]) + 1))
    for place, units in enumerate(pilot.seen["cargo"], 1):
        if units >= 0.01:
            pilot.press("l", str(place))
    assert pilot.seen["net_profit"] > 0
    page.keyboard.press("y")
    pilot.tab_to("Cash out")
    page.keyboard.press("Enter")
    page.locator(f'{END}[data-ending="cash_out"]').wait_for()
    assert number(page.locator("[data-end=profit]").inner_text()) == pytest.approx(
        float(pilot.seen["net_profit"]), abs=0.51
    )
    pilot.tab_to("Same belt again")
    page.keyboard.press("Enter")
    page.locator('.play-board[data-step="0"]').wait_for()


def test_space_on_a_button_reached_by_tab_presses_that_button(page, server):
    open_game(page, server)
    page.keyboard.press("h")
    wait_for_step(page, 1)
    button(page, "PASSIVE_THREAT_LISTEN").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press(" ")
    wait_for_step(page, 2)
    assert page.locator("[data-part=action]").get_attribute("data-action") == "PASSIVE_THREAT_LISTEN"


def test_auto_run_repeats_and_stops_by_escape(page, server):
    open_game(page, server)
    page.keyboard.press("h")
    page.get_by_label("Steps a second").fill("10")
    page.locator("body").click(position={"x": 5, "y": 5})
    page.keyboard.press("a")
    until(page, "Number(document.querySelector('.play-board').dataset.step) >= 6")
    page.keyboard.press("Escape")
    stopped = step(page)
    page.wait_for_timeout(400)
    assert step(page) <= stopped + 1


def test_auto_run_stops_when_its_action_is_not_possible_any_more(page, server):
    open_game(page, server)
    do(page, "TRAVEL_NEIGHBOR_2", "SELECT_ASTEROID_0", "MINE_AGGRESSIVE_SELECTED")
    page.get_by_label("Steps a second").fill("10")
    page.get_by_text("Auto-run").click()
    page.get_by_text("Auto-run stopped").wait_for(timeout=60_000)
    assert step(page) > 4


# ---------------------------------------------------------------- first trip, help


def test_the_guide_leads_a_newcomer_through_a_first_trip(page, server):
    open_game(page, server, seed=12)
    seen = []
    for _ in range(200):
        lesson = page.locator(".pr-guide").get_attribute("data-lesson")
        if lesson not in seen:
            seen.append(lesson)
        if lesson == "done":
            break
        before = step(page)
        page.locator(".pr-act-hint").first.click()
        wait_for_step(page, before + 1)
    assert seen == ["leave", "scan", "select", "mine", "watch", "return", "sell", "refuel", "done"]
    page.get_by_role("button", name="Close the guide").click()
    page.reload()
    page.locator(".play-board").wait_for()
    assert page.locator(".pr-guide").count() == 0, "a guide once closed stays closed"


def test_help_has_a_glossary_and_the_keys(page, server):
    open_game(page, server)
    page.get_by_role("button", name="Help").click()
    page.get_by_role("tab", name="Glossary").click()
    page.get_by_text("Slippage", exact=True).wait_for()
    page.get_by_role("tab", name="Keys").click()
    page.get_by_text("Repeat the last action").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")


def test_panels_show_ways_rocks_prices_and_the_log_as_the_engine_has_them(page, server):
    open_game(page, server)
    do(page, "TRAVEL_NEIGHBOR_2", "WIDE_SCAN")
    world = sandlot.make("prospector", 1, autoreset=False)
    world.reset(seed=7)
    for name in ("TRAVEL_NEIGHBOR_2", "WIDE_SCAN"):
        world.step(np.int32([NAMES.index(name)]))
    seen = world.render(0)
    ways = page.locator("[data-way]")
    assert ways.count() == int((seen["edges"].reshape(32, 6, 4)[int(seen["node"]), :, 0] >= 0).sum())
    assert f"{seen['trip_fuel'][0]:.1f}".removesuffix(".0") in ways.first.inner_text()
    page.get_by_role("tab", name="Asteroids").click()
    assert page.locator("[data-rock]").count() == int(seen["asteroids"][:, 0].sum())
    page.get_by_role("tab", name="Market").click()
    for good, price in zip(("iron", "pge"), seen["price"][[0, 3]], strict=True):
        shown = page.locator(f"[data-part=prices] [data-good={good}] [data-cell=price]").inner_text()
        assert number(shown) == pytest.approx(float(price), abs=0.51)
    page.get_by_role("tab", name="Log").click()
    assert "Wide scan" in page.locator("[data-part=log]").inner_text()


def test_a_rock_can_be_picked_in_the_picture_and_a_way_on_the_map(page, server):
    open_game(page, server)
    page.locator(".beltmap-pick").first.click()
    wait_for_step(page, 1)
    page.locator(".rock-pick").nth(2).click()
    wait_for_step(page, 2)
    assert page.locator("[data-part=action]").get_attribute("data-action") == "SELECT_ASTEROID_2"
    assert page.locator('.rock[data-slot="2"] .rock-selected').count() == 1


def test_reset_opens_the_same_belt_and_new_another(page, server):
    open_game(page, server, seed=5)
    do(page, "HOLD_DRIFT")
    page.get_by_role("button", name="Reset").click()
    page.locator('.play-board[data-step="0"][data-seed="5"]').wait_for()
    page.get_by_role("button", name="New", exact=True).click()
    until(page, "document.querySelector('.play-board')?.dataset.seed !== '5'")
    assert "seed" not in page.url


def test_a_wrong_address_is_reported_and_another_belt_opened(page, server):
    page.goto(f"{server.url}/play?game=prospector&seed=seven")
    page.get_by_text("A seed is a whole number").wait_for()
    page.locator(".play-board").wait_for()


def test_without_its_engine_the_page_says_so_and_can_try_again(page, server, complaints):
    complaints.allow("sandlot.wasm|Failed to load resource")
    page.route("**/sandlot.wasm", lambda route: route.abort())
    page.goto(f"{server.url}/play?game=prospector")
    page.get_by_text("The engine could not be fetched").wait_for()
    page.unroute("**/sandlot.wasm")
    page.get_by_role("button", name="Try again").click()
    page.locator(".play-board").wait_for()


# ---------------------------------------------------------------- phones, eyes, ears


def test_a_phone_plays_by_touch_without_sideways_scrolling(open_page, server, fits, axe):
    page = open_page(size=PHONE, theme="light", has_touch=True)
    open_game(page, server, time=40)
    assert fits(page)
    button(page, "TRAVEL_NEIGHBOR_2").tap()
    wait_for_step(page, 1)
    page.get_by_role("tab", name="Scan").tap()
    button(page, "WIDE_SCAN").tap()
    wait_for_step(page, 2)
    page.get_by_role("tab", name="Trade").tap()
    assert fits(page) and axe(page) == []
    button(page, "SELL_IRON_100").tap(force=True)
    assert "Only at the station." in page.locator("[data-part=notice]").inner_text()
    page.get_by_role("tab", name="Fly").tap()
    while not page.locator(END).count():
        button(page, "HOLD_DRIFT").tap()
    assert fits(page)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_no_accessibility_violations_at_the_station_afield_and_at_the_end(theme, open_page, server, axe):
    page = open_page(theme=theme, still=True)
    open_game(page, server, time=12)
    assert axe(page) == []
    do(page, "TRAVEL_NEIGHBOR_2", "SELECT_ASTEROID_0", "MINE_STANDARD_SELECTED")
    for tab in ("Asteroids", "Market", "Log"):
        page.get_by_role("tab", name=tab).click()
        assert axe(page) == [], tab
    while not page.locator(END).count():
        page.keyboard.press("h")
    assert axe(page) == []


def test_less_motion_means_standing_pictures(open_page, server):
    page = open_page(still=True)
    open_game(page, server)
    do(page, "TRAVEL_NEIGHBOR_0")
    streak = page.locator('[data-effect="travel"] .fx-streak').first
    assert streak.evaluate("each => getComputedStyle(each).animationName") == "none"
