"""The sound of a film: as loud as it should be, and in time with what is seen."""

from dataclasses import replace

import numpy as np
import pytest

from sandlot.media.film_plan import Plan, versus
from sandlot.media.film_sound import RATE, Motion, events, soundtrack, touches
from sandlot.media.mp4 import Mp4

from .test_film_plan import FACTS


def walk(seconds: float, touched: bool, hop_at: float | None = None) -> Motion:
    """Two bodies on the floor; the first runs 4 m/s to the right, and hops once."""
    times = np.arange(0, seconds + 1e-9, 0.05)
    places = np.zeros((len(times), 2, 3))
    speeds = np.zeros_like(places)
    places[:, 0, 0] = -6 + 4 * times
    speeds[:, 0, 0] = 4
    if hop_at is not None:
        flying = (times > hop_at) & (times < hop_at + 0.4)
        speeds[flying, 0, 1] = 2
    return Motion(times, places, speeds, 10.0, touched)


def decibels(samples: np.ndarray) -> float:
    return float(20 * np.log10(max(1e-9, np.sqrt((samples**2).mean()))))


MOTIONS = [walk(10, False), walk(3.5, True, hop_at=1.0), walk(10, False)]


@pytest.fixture(scope="module")
def sound():
    return soundtrack(versus(FACTS), MOTIONS)


def test_it_lasts_as_long_as_the_film_and_is_neither_silent_nor_too_loud(sound):
    plan = versus(FACTS)
    assert sound.dtype == np.float32 and sound.shape == (round(plan.seconds * RATE), 2)
    assert 20 * np.log10(np.abs(sound).max()) <= -0.5
    assert -24 <= decibels(sound) <= -12
    assert decibels(sound[-200:]) < -40, "it fades out"


def test_a_touch_is_heard_within_a_tenth_of_a_second_and_the_music_steps_back(sound):
    plan = versus(FACTS)
    (at,) = touches(plan, MOTIONS)
    touch = next(i for i, shot in enumerate(plan.shots) if shot.name == "touch")
    begin = sum(shot.seconds for shot in plan.shots[:touch])
    assert at == pytest.approx(begin + plan.shots[touch].banner_s, abs=0.01)
    silent = soundtrack(plan, [replace(one, touched=False) for one in MOTIONS])
    after = slice(round((at + 0.005) * RATE), round((at + 0.1) * RATE))
    before = slice(round((at - 0.1) * RATE), round((at - 0.005) * RATE))
    assert decibels(sound[after]) > decibels(sound[before]) + 3
    assert decibels(sound[after]) > decibels(silent[after])


def test_steps_jumps_and_landings_come_when_they_happen():
    found = events(MOTIONS[1])
    jumps = [one.match_s for one in found if one.kind == "jump"]
    lands = [one.match_s for one in found if one.kind == "land"]
    assert jumps == [pytest.approx(1.05)] and lands == [pytest.approx(1.4)]
    steps = [one.match_s for one in found if one.kind == "step"]
    assert np.diff([s for s in steps if s > 1.5]) == pytest.approx(0.4, abs=0.06), "every 1.6 m at 4 m/s"
    assert [one.kind for one in found if one.match_s == pytest.approx(3.5)][-1] == "touch"


def test_the_stereo_place_is_that_of_the_body():
    pans = [one.pan for one in events(MOTIONS[0]) if one.kind == "step"]
    assert pans[0] < -0.3 and pans[-1] == pytest.approx(0.8) and pans == sorted(pans)


def test_a_game_without_places_has_music_alone():
    plan = versus(FACTS)
    assert touches(plan, [None] * 3) == []
    assert -30 <= decibels(soundtrack(plan, [None] * 3)) <= -10


def test_a_film_has_one_picture_and_one_sound_stream_of_the_same_length(tmp_path):
    av = pytest.importorskip("av")
    plan = Plan(FACTS, versus(FACTS).shots[:1])
    path = tmp_path / "film.mp4"
    with Mp4(path, (64, 36), 10, sound=soundtrack(plan, MOTIONS)) as film:
        for number in range(round(plan.seconds * 10)):
            film.add(np.full((36, 64, 3), 5 * number, np.uint8))
    with av.open(str(path)) as film:
        assert [stream.type for stream in film.streams] == ["video", "audio"]
        video, audio = (float(stream.duration * stream.time_base) for stream in film.streams)
        assert video == pytest.approx(4.0) and abs(video - audio) <= 0.05
        context = film.streams.audio[0].codec_context
        assert (context.name, context.sample_rate, context.layout.name) == ("aac", 48_000, "stereo")
        heard = np.concatenate([frame.to_ndarray() for frame in film.decode(audio=0)], axis=1)
    assert heard.std() > 0.01
