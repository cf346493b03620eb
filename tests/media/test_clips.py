"""Which clip shows which match: found by what is in it, never by its name."""

from dataclasses import replace

import pytest
from leaks import nothing_left_open

from sandlot.errors import ConfigError, Damaged, UnknownName
from sandlot.media import clips
from sandlot.media.clips import (
    HOLD_S,
    MIN_PLAY_S,
    VideoSettings,
    clip_path,
    find,
    full_shot,
    last_seconds,
    match_seconds,
    parse_size,
)

from .filming import make_clip, make_filmed_run, play
from .making import make_tag_run

pytest.importorskip("av")
SMALL = VideoSettings((64, 36), 10, "low")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return make_filmed_run(tmp_path_factory.mktemp("runs"), windows=3)


@pytest.fixture(scope="module")
def match():
    return play(7)


def test_all_of_a_match_and_its_end_held(match):
    shot = full_shot(match, SMALL, "scene")
    assert shot.first_step == 0 and shot.frames == round((match_seconds(match) + HOLD_S) * 10)


def test_the_last_seconds_begin_so_much_later(match):
    shot = last_seconds(match, SMALL, "scene", HOLD_S + 0.5)
    assert shot.frames == round((HOLD_S + 0.5) * 10)
    played_s = (match.end.steps - shot.first_step) / match.end.steps * match_seconds(match)
    assert played_s == pytest.approx(0.5, abs=0.06)


def test_a_moment_of_play_is_always_shown(match):
    shot = last_seconds(match, SMALL, "scene", 0.1)
    assert shot.first_step < match.end.steps and shot.frames == round((HOLD_S + MIN_PLAY_S) * 10)


def test_more_seconds_than_there_are_is_all_of_it(match):
    assert last_seconds(match, SMALL, "scene", 100.0) == full_shot(match, SMALL, "scene")


def test_every_difference_makes_another_clip(match):
    shots = [
        full_shot(match, SMALL, "scene"),
        full_shot(match, SMALL, "another scene"),
        full_shot(match, VideoSettings((64, 36), 12, "low"), "scene"),
        full_shot(match, VideoSettings((66, 36), 10, "low"), "scene"),
        full_shot(match, VideoSettings((64, 36), 10, "high"), "scene"),
        full_shot(play(8), SMALL, "scene"),
    ]
    assert len({shot.note for shot in shots}) == len(shots)


def test_a_clip_is_found_under_any_name_and_a_stale_or_short_one_is_not(tmp_path, match):
    run = make_tag_run(tmp_path)
    shot = full_shot(match, SMALL, "scene")
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
    part, longer = (last_seconds(match, SMALL, "scene", HOLD_S + seconds) for seconds in (0.5, 1.0))
    clip = make_clip(clip_path(run.paths, longer), longer.frames, note=longer.note)
    assert find(run.paths, part) == (clip, 5)
    assert find(run.paths, full_shot(match, SMALL, "scene")) is None


def test_parts_lie_one_folder_deeper(run, match):
    part = last_seconds(match, SMALL, "scene", HOLD_S + 0.5)
    assert clip_path(run.paths, part).parent == run.paths.videos / "clips"
    assert clip_path(run.paths, full_shot(match, SMALL, "scene")).parent == run.paths.videos


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


# ---------------------------------------------------------------- what a clip is known by


def renamed(replay, **changes):
    return replace(replay, header=replay.header.model_copy(update=changes))


def test_every_part_of_a_shot_is_part_of_its_note_but_not_where_it_begins(match, monkeypatch):
    shot = full_shot(match, SMALL, "scene")
    others = [
        replace(shot, replay_id="replay-another"),
        replace(shot, replay_digest="0" * 24),
        replace(shot, scene="another"),
        replace(shot, video=replace(SMALL, quality="high")),
        replace(shot, video=replace(SMALL, fps=11)),
        replace(shot, video=replace(SMALL, size=(64, 38))),
        replace(shot, video=replace(SMALL, size=(66, 36))),
    ]
    notes = {other.note for other in others}
    monkeypatch.setattr(clips, "HOLD_S", 1.4)
    notes |= {shot.note}
    monkeypatch.undo()
    assert len(notes) == 8 and shot.note not in notes
    assert replace(shot, first_step=5, frames=3).note == shot.note
    assert shot.note.startswith("sandlot clip ") and len(shot.note) == len("sandlot clip ") + 24


def test_a_match_recorded_again_under_the_same_name_is_another_clip(tmp_path, match):
    run = make_tag_run(tmp_path)
    again = renamed(play(8), replay_id=match.header.replay_id, created_at=match.header.created_at)
    old, new = (full_shot(replay, SMALL, "scene") for replay in (match, again))
    make_clip(clip_path(run.paths, old), max(old.frames, new.frames) + 9, note=old.note)
    assert find(run.paths, old) is not None and find(run.paths, new) is None


def test_what_draws_is_known_by_names_contents_and_version(tmp_path):
    def digest(files, more=""):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        return clips.files_digest({path.name: path.read_bytes() for path in folder.iterdir()}, more)

    plain = digest({"a.gd": "xyz", "b.gd": "w"})
    assert plain == digest({"b.gd": "w", "a.gd": "xyz"}) and len(plain) == 24
    others = [
        digest({"a.gd": "xyz", "b.gd": "v"}),
        digest({"a.gd": "xyz", "c.gd": "w"}),
        digest({"a.gd": "xyz"}),
        digest({"a.gd": "xy", "zb.gd": "w"}),
        digest({"a.gd": "xyz", "b.gd": "w"}, more="4.3"),
    ]
    assert len({plain, *others}) == 6


def test_a_part_is_named_as_a_part_and_both_with_size_and_rate(match):
    name = match.header.replay_id
    assert full_shot(match, SMALL, "s").name() == f"{name}-64x36-10fps.mp4"
    assert last_seconds(match, SMALL, "s", 2.0).name() == f"{name}-last-64x36-10fps.mp4"
    assert VideoSettings() == VideoSettings((1280, 720), 30, "high")


def test_a_match_lasts_its_ticks_at_its_own_rate(match):
    slow = renamed(match, config={**match.header.config, "tick_rate": 30})
    assert match_seconds(match) == match.end.ticks / 60 and match_seconds(slow) == match.end.ticks / 30
    unknown = renamed(match, config={})
    assert match_seconds(unknown) == match.end.ticks / 60


@pytest.mark.parametrize("seconds", [0.0, 1.9, 2.0, 2.05, 2.5, 2.95, 3.0, 99.0])
def test_a_shot_shows_what_was_asked_within_the_match(match, seconds):
    shot = last_seconds(match, SMALL, "s", seconds)
    length = match.end.steps
    step_s = match_seconds(match) / length
    played = max(MIN_PLAY_S, seconds - HOLD_S)
    steps = min(length, round(played / step_s))
    assert shot.first_step == length - steps
    assert shot.frames == round((min(played, steps * step_s) + HOLD_S) * 10)


def test_a_match_of_no_step_is_its_held_end(match):
    empty = replace(match, end=match.end.model_copy(update={"steps": 0, "ticks": 0}))
    shot = last_seconds(empty, SMALL, "s", 5.0)
    assert (shot.first_step, shot.frames) == (0, round(HOLD_S * 10))


@pytest.mark.parametrize(
    ("numbers", "text"), [([], ""), ([3], "3"), ([0, 1, 2, 4], "0–2, 4"), ([1, 3, 4], "1, 3–4")]
)
def test_neighbouring_windows_are_named_as_one_span(numbers, text):
    assert clips._spans(numbers) == text


@pytest.mark.parametrize("text", ["64x36", "1920x1080"])
def test_the_smallest_and_the_largest_size_are_taken(text):
    assert "x".join(map(str, parse_size(text))) == text


@pytest.mark.parametrize("text", ["62x36", "64x34", "1922x1080", "1920x1082", "0000000640x360"])
def test_sizes_just_beyond_are_not(text):
    with pytest.raises(ConfigError, match="--size"):
        parse_size(text)


def test_looking_for_a_clip_leaves_no_film_open(tmp_path, match):
    run = make_tag_run(tmp_path)
    shot = full_shot(match, SMALL, "scene")
    make_clip(clip_path(run.paths, shot), shot.frames, note=shot.note)
    (run.paths.videos / "broken.mp4").write_bytes(b"no film")
    with nothing_left_open():
        assert find(run.paths, shot) is not None
        assert find(run.paths, full_shot(match, SMALL, "another")) is None
