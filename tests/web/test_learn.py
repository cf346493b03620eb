"""Learn and Home: the same seeds at several moments of training, and what a first visitor is offered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sandlot.runs.learning import Learning
from sandlot.runs.pretrained import pretrained

from .conftest import PHONE, until
from .test_watch import eventually, run_of

DRAWN = "document.querySelectorAll('.learn-pane canvas[data-drawn]').length === 3"


def open_learn(page, server) -> Learning:
    run = run_of(server.runs)
    page.goto(f"{server.url}/learn?run={run.run_id}")
    until(page, DRAWN)
    return Learning.of(run.paths)


def shown(page) -> list[str]:
    """The replays on screen, from left to right."""
    stages = page.locator(".learn-pane .stage").all()
    return [stage.get_attribute("data-replay") for stage in stages]


def test_the_same_seed_is_played_before_training_in_the_middle_and_at_the_end(page, server):
    stages = open_learn(page, server).stages()
    titles = page.locator(".learn-pane h2").all_inner_texts()
    assert titles[0] == "Before training" and all(
        re.match("After .+ of training", each) for each in titles[1:]
    )
    first, middle, last = shown(page)
    assert first == stages[0].replays[0].replay_id and last == stages[-1].replays[0].replay_id
    assert middle in [stage.replays[0].replay_id for stage in stages[1:-1]]


def test_all_three_are_on_one_clock(page, server):
    open_learn(page, server)
    page.get_by_label("Moment of the round").fill("4")
    page.get_by_role("button", name="Play (Space)").wait_for()
    timers = page.get_by_role("timer")
    assert eventually(page, lambda: timers.all_inner_texts() == ["9.8 s"] * 3)


def test_dragging_through_training_changes_the_middle_and_its_numbers(page, server):
    stages = open_learn(page, server).stages()
    slider = page.get_by_label("Moment of training")
    for place in (1, len(stages) - 2):
        slider.fill(str(place))
        wanted = stages[place].replays[0].replay_id
        assert eventually(page, lambda wanted=wanted: shown(page)[1] == wanted)
        percent = f"{stages[place].results[0].value * 100:.0f} %"
        text = page.locator(".learn-moved .learn-value").first.inner_text()
        assert abs(int(text.split(" ")[0]) - int(percent.split(" ")[0])) <= 1  # halves round differently
        assert re.search(r"\(\d+ to \d+ %\)", text), "with its interval"
    assert shown(page)[0] == stages[0].replays[0].replay_id, "before training stays"
    assert "before training" not in slider.get_attribute("aria-valuetext")


def test_another_seed_is_another_for_all_of_them(page, server):
    stages = open_learn(page, server).stages()
    page.get_by_role("button", name="Round 2").click()
    assert eventually(page, lambda: shown(page)[0] == stages[0].replays[1].replay_id)
    assert eventually(page, lambda: shown(page)[2] == stages[-1].replays[1].replay_id)


def test_the_training_that_ships_is_shown_where_nothing_was_trained(page, start_server, tmp_path):
    server = start_server(tmp_path)
    page.goto(f"{server.url}/learn")
    page.get_by_role("heading", name="Watch it learn: Tag").wait_for()
    until(page, DRAWN)
    last = pretrained("tag").learning.stages()[-1]
    assert shown(page)[2] == last.replays[0].replay_id


def test_an_empty_home_offers_to_watch_and_to_play_and_shows_a_match(page, start_server, tmp_path):
    server = start_server(tmp_path)
    page.goto(server.url)
    page.locator(".canvas3d canvas[data-drawn]").wait_for()
    assert eventually(page, lambda: page.get_by_text("verified", exact=True).is_visible())
    page.get_by_role("link", name="Play against it").click()
    page.wait_for_url(re.compile("game=tag.*against=trained"))
    chosen = page.get_by_label("The seeker")
    url = "/api/pretrained/tag/policies/seeker.onnx"
    assert eventually(page, lambda: chosen.input_value() == url), "the opponent has been trained"
    page.get_by_role("button", name="Start").last.click()
    page.locator(".play-count").wait_for()


def test_home_says_what_this_is_and_what_to_do_next(page, server):
    page.goto(server.url)
    page.get_by_text("Here, computer players teach themselves games.").wait_for()
    page.get_by_role("region", name="Training now").get_by_text("sandlot train tag").wait_for()
    page.get_by_role("region", name="How they play now").get_by_text("rounds of training").wait_for()
    page.get_by_role("link", name="Watch it learn").first.click()
    page.wait_for_url(re.compile(f"learn.run={run_of(server.runs).run_id}"))


def test_the_most_telling_round_is_one_click_away(page, server):
    page.goto(server.url)
    page.get_by_role("region", name="The most telling round").get_by_role("button", name="Watch it").click()
    page.wait_for_url(re.compile("replay="))
    page.locator(".stage canvas[data-drawn]").wait_for()


def test_a_run_without_stages_says_so_and_offers_another(page, own_runs: Path, start_server):
    run = run_of(own_runs)
    Learning.of(run.paths).stages_file.unlink()
    page.goto(f"{start_server(own_runs).url}/learn?run={run.run_id}")
    page.get_by_text("There is nothing to compare yet").wait_for()
    page.get_by_role("button", name="Watch Tag learn meanwhile").click()
    until(page, DRAWN)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_learn_and_home_have_no_accessibility_violations(open_page, server, axe, theme):
    page = open_page(theme=theme)
    open_learn(page, server)
    page.get_by_text("How this was measured").click()
    assert axe(page) == []
    page.goto(server.url)
    page.get_by_role("region", name="The most telling round").wait_for()
    assert axe(page) == []


def test_on_a_phone_nothing_scrolls_sideways(open_page, server, fits):
    page = open_page(PHONE, has_touch=True, is_mobile=True)
    open_learn(page, server)
    assert fits(page)
    page.goto(server.url)
    page.get_by_role("region", name="The most telling round").wait_for()
    assert fits(page)


def test_with_reduced_motion_nothing_plays_by_itself(open_page, server):
    page = open_page(still=True)
    open_learn(page, server)
    assert page.get_by_role("button", name="Play (Space)").is_visible()
    assert page.get_by_label("Moment of the round").input_value() == "0"
