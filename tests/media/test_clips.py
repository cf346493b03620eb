"""Which clip shows which match: found by what is in it, never by its name."""

import pytest

from sandlot.errors import ConfigError, Damaged, UnknownName
from sandlot.evaluate.replays import Origin, record
from sandlot.games.scripted import bot
from sandlot.media import clips
from sandlot.media.clips import HOLD_S, LEAST_S, Look, clip_path, find, last, parse_size, seconds_of, whole

from .filming import make_clip, make_filmed_run, play
from .making import make_tag_run

pytest.importorskip("av")
SMALL = Look((64, 36), 10, "low")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return make_filmed_run(tmp_path_factory.mktemp("runs"), windows=3)


@pytest.fixture(scope="module")
def match():
    return play(7)


def test_all_of_a_match_and_its_end_held(match):
    shot = whole(match, SMALL, "scene")
    assert shot.first_step == 0 and shot.frames == round((seconds_of(match) + HOLD_S) * 10)


def test_the_last_seconds_begin_so_much_later(match):
    shot = last(match, SMALL, "scene", HOLD_S + 0.5)
    assert shot.frames == round((HOLD_S + 0.5) * 10)
    played_s = (match.end.steps - shot.first_step) / match.end.steps * seconds_of(match)
    assert played_s == pytest.approx(0.5, abs=0.06)


def test_a_moment_of_play_is_always_shown(match):
    shot = last(match, SMALL, "scene", 0.1)
    assert shot.first_step < match.end.steps and shot.frames == round((HOLD_S + LEAST_S) * 10)


def test_more_seconds_than_there_are_is_all_of_it(match):
    assert last(match, SMALL, "scene", 100.0) == whole(match, SMALL, "scene")


def test_every_difference_makes_another_clip(match):
    shots = [
        whole(match, SMALL, "scene"),
        whole(match, SMALL, "another scene"),
        whole(match, Look((64, 36), 12, "low"), "scene"),
        whole(match, Look((66, 36), 10, "low"), "scene"),
        whole(match, Look((64, 36), 10, "high"), "scene"),
        whole(play(8), SMALL, "scene"),
    ]
    assert len({shot.note for shot in shots}) == len(shots)


def test_a_clip_is_found_under_any_name_and_a_stale_or_short_one_is_not(tmp_path, match):
    run = make_tag_run(tmp_path)
    shot = whole(match, SMALL, "scene")
    assert find(run.paths, shot) is None
    run.paths.videos.mkdir()
    (run.paths.videos / "broken.mp4").write_bytes(b"no film")
    make_clip(clip_path(run.paths, shot), shot.frames, note="of another scene")
    assert find(run.paths, shot) is None
    make_clip(run.paths.videos / "short.mp4", shot.frames - 1, note=shot.note)
    assert find(run.paths, shot) is None
    renamed = make_clip(run.paths.videos / "my favourite.mp4", shot.frames, note=shot.note)
    assert find(run.paths, shot) == (renamed, 0)


def test_the_end_of_a_match_is_found_in_a_longer_clip_of_it(tmp_path, match):
    run = make_tag_run(tmp_path)
    part, longer = (last(match, SMALL, "scene", HOLD_S + seconds) for seconds in (0.5, 1.0))
    clip = make_clip(clip_path(run.paths, longer), longer.frames, note=longer.note)
    assert find(run.paths, part) == (clip, 5)
    assert find(run.paths, whole(match, SMALL, "scene")) is None


def test_parts_lie_one_folder_deeper(run, match):
    part = last(match, SMALL, "scene", HOLD_S + 0.5)
    assert clip_path(run.paths, part).parent == run.paths.videos / "clips"
    assert clip_path(run.paths, whole(match, SMALL, "scene")).parent == run.paths.videos


BAD_SIZES = ["", "x", "640", "640x", "641x360", "640x361", "8x8", "9999x720", "-2x4", "640x360x2", "²x²"]


@pytest.mark.parametrize("text", BAD_SIZES)
def test_a_size_that_is_none_is_refused(text):
    with pytest.raises(ConfigError, match="--size"):
        parse_size(text)


def test_sizes():
    assert parse_size("640x360") == (640, 360) and parse_size("1920X1080") == (1920, 1080)


def test_the_first_match_of_the_newest_window_is_the_usual_one(run):
    assert clips.choose(run).header.replay_id == "replay-000002-00000015"


def test_a_window_or_a_replay_can_be_named(run):
    assert clips.choose(run, window_id=0).header.replay_id == "replay-000000-00000001"
    assert clips.choose(run, "replay-000001-0000000c").header.window_id == 1


def test_a_window_without_matches_names_those_that_have_some(run):
    with pytest.raises(ConfigError, match=r"window 9.*0–2"):
        clips.choose(run, window_id=9)


def test_an_unknown_replay_names_the_nearest(run):
    with pytest.raises(UnknownName, match="replay-000001"):
        clips.choose(run, "replay-000001-0000000d")


def test_a_run_without_matches_says_why(tmp_path):
    with pytest.raises(ConfigError, match=r"no recorded matches.*--no-evaluate"):
        clips.choose(make_tag_run(tmp_path))


def test_a_match_whose_file_is_gone_is_said_to_be(tmp_path):
    run = make_filmed_run(tmp_path, windows=1, each=1)
    next(run.paths.replays.iterdir()).unlink()
    with pytest.raises(Damaged, match="no replay"):
        clips.choose(run)


def test_another_game_is_refused_by_name(tmp_path):
    run = make_tag_run(tmp_path)
    config = {"time_max": 40}
    pilot = bot("prospector", "do_nothing", config=config)
    run.add_replay(record("prospector", pilot, 1, config, origin=Origin(run.run_id, 0)))
    with pytest.raises(ConfigError, match="prospector; Godot draws tag"):
        clips.choose(run)
