"""The programs beside the library do what their heads say."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
from builds import ENGINE, GAMES, ROOT, compilers, link_program, promise, run

import sandlot
from sandlot.worlds import library, load_spec

METRICS = [
    *("credits", "net_profit", "profit_per_tick", "survival", "overheat_ticks", "pirate_encounters"),
    *("value_lost_to_pirates", "fuel_used", "hull_damage", "tool_wear", "scan_count", "mining_ticks"),
    "cargo_utilization_avg",
]

RECORD = np.dtype(
    [
        ("t", "<u4"),
        ("action", "u1"),
        ("dt", "<u2"),
        ("reward", "<f4"),
        ("terminated", "u1"),
        ("truncated", "u1"),
        ("invalid", "u1"),
        ("resolved", "<i2"),
        ("observation", "<f4", 260),
        ("metrics", "<f4", 13),
    ]
)


@pytest.fixture(scope="module")
def recorder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    return link_program(folder / "prospector_trace", "prospector_trace.c", library.default_path())


@pytest.mark.parametrize("source", sorted(ENGINE.glob("*/*_test.c")), ids=lambda path: path.stem)
def test_a_games_own_checks_pass(source, tmp_path):
    """Without reading or writing past the end of an array: that ends the program."""
    program = tmp_path / source.stem
    bounds = ["-fsanitize=bounds", "-fsanitize-undefined-trap-on-error"]
    run(
        [
            *compilers()["gcc"],
            "-std=gnu11",
            "-O1",
            *bounds,
            *promise(),
            str(source),
            "-lm",
            "-o",
            str(program),
        ]
    )
    run([str(program)])


def test_every_game_has_its_own_checks_in_c():
    assert {path.stem for path in ENGINE.glob("*/*_test.c")} >= {f"{game}_test" for game in GAMES}


def play_in_python(seed: int, actions: np.ndarray, config: dict) -> np.ndarray:
    """The records that prospector_trace writes, made over the Python face."""
    world = sandlot.make("prospector", config=config, autoreset=False)
    records = np.zeros(len(actions), RECORD)
    world.reset(seed=seed)
    for t, action in enumerate(actions):
        world.actions[0] = action
        world.step()
        info = world.info(0)
        record = records[t]
        record["t"], record["action"], record["dt"], record["reward"] = (
            t,
            action,
            world.ticks[0],
            world.rewards[0],
        )
        record["terminated"], record["truncated"] = world.terminated[0], world.truncated[0]
        record["invalid"], record["resolved"] = info["invalid_action"], info["action"]
        record["observation"] = world.observations[0]
        record["metrics"] = [info[name] for name in METRICS]
        if world.terminated[0] or world.truncated[0]:
            seed += 1
            world.reset(seed=seed)
    return records


@pytest.mark.parametrize("profile, number", [("balanced", 0), ("classic", 1)])
def test_packed_records_are_what_python_sees(profile, number, recorder, tmp_path):
    actions = np.random.default_rng(4).integers(0, 80, 1500).astype(np.uint8)
    (tmp_path / "actions").write_bytes(actions.tobytes())
    out = tmp_path / "records"
    options = ["--profile", str(number), "--set", "time_max=250"]
    printed = run([str(recorder), "11", str(tmp_path / "actions"), str(out), *options]).stdout
    assert printed.startswith(f"1500 decisions, {RECORD.itemsize} bytes each")
    expected = play_in_python(11, actions, {"profile": profile, "time_max": 250})
    assert out.read_bytes() == expected.tobytes()
    assert expected["truncated"].any() or expected["terminated"].any()  # the next seed was played too


def test_a_program_says_what_it_lacks(recorder, tmp_path):
    done = subprocess.run(
        [str(recorder), "1", "nowhere", str(tmp_path / "out")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "cannot open nowhere" in done.stderr


# ---------------------------------------------------------------- the numbers on the prospector's page


@pytest.fixture(scope="module")
def drive(tmp_path_factory):
    program = tmp_path_factory.mktemp("programs") / "prospector_drive"
    source = str(ENGINE / "tests" / "prospector_drive.c")
    run(["cc", "-std=gnu11", "-O3", *promise(), source, "-lm", "-o", str(program)])
    return program


def rows_on_page(heading: str) -> dict[str, list[str]]:
    """The table of docs/games/prospector.md with this heading: the other columns by the first."""
    page = (ROOT / "docs" / "games" / "prospector.md").read_text().splitlines()
    return rows_of(page[page.index(heading) :])


def rows_of(lines: list[str]) -> dict[str, list[str]]:
    """A Markdown table's rows, to its first line that is none: cells by column, under their first cells."""
    table = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in lines]
    end = next((i for i, line in enumerate(lines) if not line.startswith("|")), len(lines))
    return {" ".join(cells[:3]): cells for cells in table[2:end]}


def test_the_page_shows_the_mining_modes_that_the_program_prints(drive):
    printed = run([str(drive), "modes"]).stdout.splitlines()
    rows = rows_of(printed)
    assert rows == rows_on_page(printed[0])
    assert {"conservative", "standard", "aggressive"} <= {row[3] for row in rows.values()}


def test_a_setting_changes_the_printed_modes(drive):
    """Where nothing breaks up and nothing heats, there is no reason to be gentle."""
    harmless = run([str(drive), "modes", "fracture_scale=0", "heat_dissipation=100"]).stdout
    assert {row[3] for row in rows_of(harmless.splitlines()).values()} == {"aggressive"}


@pytest.mark.slow
def test_the_page_shows_the_profits_that_the_program_prints(drive):
    printed = run([str(drive), "bots", "1000"], timeout=500).stdout.splitlines()
    names = [name.strip() for name in printed[0].strip("|").split("|")]
    shown = [column for column, name in enumerate(names) if name not in ("destroyed", "stranded", "overheat")]
    page = (ROOT / "docs" / "games" / "prospector.md").read_text().replace(",", "").replace("−", "-")
    for line in printed[2:]:
        cells = line.strip("|").split("|")
        assert "|" + "|".join(cells[column] for column in shown) + "|" in page
    assert len(printed) == 2 + len(load_spec("prospector").bots) + 2
