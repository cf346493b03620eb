"""cli/demo.py: the match in the terminal, what was learned, and the commands that come next."""

import io
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from media.making import make_tag_run

from sandlot import bot, load_spec, make
from sandlot.cli import demo as module
from sandlot.cli.show import Terminal
from sandlot.errors import MissingExtra
from sandlot.games import terminal

from .documented import assert_documented


@pytest.fixture
def players():
    return {"seeker": bot("tag", "chase"), "hider": bot("tag", "evade")}


def test_the_arena_is_drawn_from_above_with_boxes_and_noses(players):
    with make("tag", seed=11) as world:
        world.reset(11)
        state = world.render()
    text = terminal.tag_picture(state)
    rows = text.plain.splitlines()
    assert rows[0] == "┌" + "─" * 61 + "┐" and rows[-1].startswith("└" + "─" * 61 + "┘ ")
    assert len(rows) == 27 and all(row[0] == row[-1] == "│" and len(row) == 63 for row in rows[1:-1])
    assert text.plain.count("S") == text.plain.count("H") == 1
    styles = {text.plain[span.start : span.end]: span.style for span in text.spans if span.style}
    assert styles["S"] == "bold red" and styles["H"] == "bold blue"
    half = state["arena_half"]
    for place, mark in zip(state["position"], ("S", "H"), strict=True):
        row = int((place[2] / half + 1) / 2 * 24 + 0.5)
        column = int((place[0] / half + 1) / 2 * 60 + 0.5)
        assert rows[1 + row][1 + column] == mark


def corners(**changes):
    state = {
        "arena_half": 10.0, "boxes": [[-10, 0, -10, -8, 1.0, -8], [8, 0, 8, 10, 2.0, 10], [0, 0, 0, 9, 9, 9]],
        "box_count": 2, "position": [[-20.0, 0, 0.0], [20.0, 0, 0.0]], "facing": [[0.0, 0.0], [0.0, 0.0]],
        "seeker": [True, False], "time_left": 7.25,
    }  # fmt: skip
    return state | changes


def test_low_boxes_are_shaded_high_ones_are_full_and_those_that_are_not_there_are_not_drawn():
    rows = terminal.tag_picture(corners()).plain.splitlines()
    assert rows[1].startswith("│▒▒▒▒▒▒▒ ") and rows[25].endswith(" ███████│")
    assert rows[15][1:-1].strip() == "" and rows[-1].endswith(" 7.2 s left")
    assert rows[13][1] == "S" and rows[13][61] == "H", "an agent beyond the wall stands at it"


def test_a_match_is_shown_move_by_move_in_a_terminal_at_its_speed(players, monkeypatch):
    size = {"width": 80, "height": 40, "_environ": {"TERM": "xterm"}}
    console = Terminal(file=io.StringIO(), force_terminal=True, **size)
    pauses = []
    monkeypatch.setattr(module, "out", console)
    monkeypatch.setattr(module.time, "sleep", pauses.append)
    module.watch(load_spec("tag"), players, 11, 2.0)
    text = console.file.getvalue()
    config = players["seeker"].spec.config
    expected = config["ticks_per_step"] / config["tick_rate"] / 2.0
    assert pauses == [pytest.approx(expected)] * len(pauses) and len(pauses) > 5
    assert text.count("s left") >= len(pauses) and "wins." in text


def test_a_pipe_gets_the_end_alone_and_without_waiting(players, monkeypatch, capsys):
    monkeypatch.setattr(module.time, "sleep", pytest.fail)
    module.watch(load_spec("tag"), players, 11, 0.1)
    text = capsys.readouterr().out
    assert "s left" not in text and text.strip().startswith("After ") and text.count("\n") <= 2


def test_the_first_and_the_last_evaluation_stand_side_by_side(tmp_path, capsys):
    run = make_tag_run(tmp_path)
    module._print_evaluations(load_spec("tag"), run)
    text = capsys.readouterr().out
    assert "window 0" in text and "window 2" in text and "900" in text and "902" in text
    assert "20%" in text and "hider beats" not in text, "only what was evaluated"


def test_what_a_game_is_judged_by_follows_from_its_spec():
    row = {"success_rate": 0.5, "return_mean": 12.5, "fuel_used_mean": 3.0, "steps_mean": 4.0, "value": 0.5}
    names = [name for _, name in module._measures(load_spec("landing"), row)]
    assert names == ["return", "success", "fuel used"], "those with a direction"
    row = {"seeker_rating": 900.0, "hider_beats_chase_3": 0.25, "duration_s_mean": 4.0}
    assert [name for _, name in module._measures(load_spec("tag"), row)] == [
        "seeker rating",
        "hider beats chase 3",
    ]
    assert [module._written(name, row) for name in row] == ["900", "25%", "4"]


def test_an_episode_ends_in_a_sentence_of_its_game():
    episode = {"winner": 0.0, "duration_s": 8.0}
    assert module.ending(load_spec("tag"), episode) == "After 8.0 s nobody wins."
    assert module.ending(load_spec("tag"), episode | {"winner": 1.0}) == "After 8.0 s the seeker wins."
    done = {"success": 1.0, "soft_landing": 1.0, "return": 97.5, "duration_s": 8.0, "length": 80}
    assert module.ending(load_spec("landing"), done) == "After 8.0 s: success 1, soft landing 1, return 97.5."


def test_a_training_without_an_evaluation_says_so(tmp_path, capsys):
    module._print_evaluations(load_spec("tag"), make_tag_run(tmp_path, windows=0))
    assert "No window was evaluated yet" in capsys.readouterr().out


@pytest.fixture
def played(monkeypatch, tmp_path):
    """The steps of a demo whose parts only say that they were called."""
    run, steps = make_tag_run(tmp_path / "runs"), []
    monkeypatch.setattr(
        "sandlot.cli.train.train", lambda *words, **more: steps.append(("train", words, more))
    )
    monkeypatch.setattr("sandlot.cli.plot.plot", lambda *words, **more: steps.append(("plot", words, more)))
    monkeypatch.setattr(module, "_policies", lambda run: ("spec", "players"))
    monkeypatch.setattr(module, "_print_evaluations", lambda spec, run: None)
    monkeypatch.setattr(module, "watch", lambda *words: steps.append(("watch", *words)))
    monkeypatch.setattr(module, "_open_site", lambda runs: steps.append(("site", runs)))
    return SimpleNamespace(run=run, steps=steps)


def test_the_demo_trains_draws_watches_and_names_the_next_commands(played, sandlot):
    done = sandlot("demo", "--minutes", "0.5", "--seed", "4", "--speed", "3")
    assert done.code == 0, done.err
    assert played.steps == [
        ("train", ("tag",), {"minutes": 0.5, "runs": Path("runs")}),
        ("plot", (played.run.run_id,), {"runs": Path("runs")}),
        ("watch", "spec", "players", 4, 3.0),
    ]
    assert "for 0.5 minutes" in done.out
    for words in ("eval", "train --resume"):
        assert f"  sandlot {words} {played.run.run_id}" in done.out
    assert "sandlot serve " in done.out and "--runs" not in done.out


@pytest.mark.parametrize(
    ("words", "terminal", "opens"), [((), True, True), ((), False, False), (("--no-site",), True, False)]
)
def test_the_site_is_opened_for_a_person_who_wants_it(played, sandlot, monkeypatch, words, terminal, opens):
    monkeypatch.setattr(
        module, "sys", SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: terminal), argv=["x"])
    )
    assert sandlot("demo", *words).code == 0
    assert (("site", Path("runs")) in played.steps) is opens


@pytest.mark.parametrize(("code", "goes_on"), [(1, True), (2, False), (130, False)])
def test_only_windows_that_were_not_evaluated_let_the_demo_go_on(played, sandlot, monkeypatch, code, goes_on):
    def ends(*_, **__):
        raise typer.Exit(code)

    monkeypatch.setattr("sandlot.cli.train.train", ends)
    done = sandlot("demo")
    assert done.code == (0 if goes_on else code) and bool(played.steps) is goes_on


@pytest.mark.parametrize("problem", [typer.Exit(1), MissingExtra("Drawing", "matplotlib", "train")])
def test_no_charts_are_no_end_of_the_demo(played, sandlot, monkeypatch, problem):
    def fails(*_, **__):
        raise problem

    monkeypatch.setattr("sandlot.cli.plot.plot", fails)
    done = sandlot("demo")
    assert done.code == 0 and ("No charts: Drawing needs matplotlib" in done.out) is isinstance(
        problem, MissingExtra
    )


def test_a_site_that_is_not_installed_is_said(monkeypatch, capsys, tmp_path):
    def missing(settings):
        raise MissingExtra("The site", "fastapi", "serve")

    monkeypatch.setattr("sandlot.cli.serve.open_site", missing)
    module._open_site(tmp_path)
    assert "No site: The site needs fastapi" in capsys.readouterr().out


def test_the_site_of_the_demo_serves_its_runs_on_any_port(monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr("sandlot.cli.serve.open_site", seen.append)
    module._open_site(tmp_path)
    assert (seen[0].runs, seen[0].port) == (tmp_path, 0)


def test_the_command_for_the_site_names_runs_that_are_elsewhere():
    assert module.serve_command(Path("runs")) == "sandlot serve"
    assert module.serve_command(Path("else")) == "sandlot serve --runs else"


def test_the_program_is_named_by_its_path_only_where_it_was_typed_so(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    for typed, name in (
        (".venv/bin/sandlot", ".venv/bin/sandlot"),
        ("/usr/bin/sandlot", "sandlot"),
        ("bin/other", "sandlot"),
    ):
        monkeypatch.setattr("sys.argv", [typed])
        assert module.program() == name


@pytest.mark.parametrize("game", ["prospector", "landing", "navigation", "gym:CartPole-v1"])
def test_any_game_shows_an_episode_of_scripted_or_random_play(game, sandlot):
    done = sandlot("demo", game, "--minutes", "0")
    assert done.code == 0 and done.out.startswith("After "), done.err
    assert f"sandlot train {game}" in done.out and ("sandlot bots" in done.out) is (":" not in game)


@pytest.mark.slow
def test_a_short_demo_of_an_env_trains_it_and_shows_what_it_learned(sandlot):
    done = sandlot("demo", "gym:CartPole-v1", "--minutes", "0.03")
    assert done.code == 0, done.err
    assert "│ return" in done.out and "After " in done.out and "sandlot eval " in done.out


def test_options_defaults_and_ranges_are_as_documented():
    assert_documented("demo")
