"""The sound of a film, made with numpy alone: a little band, and effects at the moments of the match.

Effects keep their pitch in slow motion and are only placed later. A game whose state has no places on a floor
has music, cuts and the end of a match, but no steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .film_plan import Plan, Shot

RATE = 48_000
TEMPO = 112.0  # beats a minute
CHORDS = ((0, 4, 7), (9, 12, 16), (5, 9, 12), (7, 11, 14))  # C, a minor, F, G above middle C
BEATS_PER_CHORD = 4
STEP_M = 1.6  # run between two steps
DUCK_DB, DUCK_S = -8.0, 1.6  # of the music at a touch
SLOWEST_DUCK_S = 0.05
FADE_OUT_S = 1.5
PEAK = 10 ** (-1.0 / 20)  # -1 dBFS
FARTHER = 0.5  # level of hops of the one that is farther from the aim
SEED = 7
RISING = 0.15  # m/s; a body that rises or falls no faster than this stands


@dataclass(frozen=True, eq=False)
class Motion:
    """Where everybody is at each moment of a match."""

    times: np.ndarray  # [moments], seconds
    places: np.ndarray  # [moments, agents, 3]
    speeds: np.ndarray  # [moments, agents, 3]
    half: float  # metres to the wall: the stereo width
    touched: bool  # the match ends with a touch


@dataclass(frozen=True)
class Sound:
    """A sound at a moment of a match."""

    kind: str  # step, jump, land, touch, horn
    match_s: float
    pan: float = 0.0
    level: float = 1.0


def events(motion: Motion) -> list[Sound]:
    """Steps, jumps and landings of a match, and its end."""
    found = []
    moments, agents = motion.places.shape[:2]
    standing = np.abs(motion.speeds[:, :, 1]) < RISING
    for agent in range(agents):
        pan = np.clip(motion.places[:, agent, 0] / max(motion.half, 1e-6), -0.8, 0.8)
        level = 1.0 if agent == 0 else FARTHER
        run = 0.0
        for i in range(1, moments):
            now, before = standing[i, agent], standing[i - 1, agent]
            when = float(motion.times[i])
            if before and not now:
                found.append(Sound("jump", when, float(pan[i]), level))
            elif now and not before:
                found.append(Sound("land", when, float(pan[i]), level))
            elif now:
                run += float(np.linalg.norm(np.diff(motion.places[i - 1 : i + 1, agent, ::2], axis=0)))
                if run >= STEP_M:
                    run -= STEP_M
                    found.append(Sound("step", when, float(pan[i])))
    last = float(motion.times[-1])
    found.append(Sound("touch" if motion.touched else "horn", last))
    return found


def soundtrack(plan: Plan, motions: Sequence[Motion | None]) -> np.ndarray:
    """Float32 [samples, 2] for the whole film."""
    total = round(plan.seconds * RATE)
    effects = np.zeros((total + 2 * RATE, 2))
    music = _music(plan.seconds + 1.0)[: total + 2 * RATE]
    music = np.vstack([music, np.zeros((len(effects) - len(music), 2))])
    heard = [None if motion is None else events(motion) for motion in motions]
    begin = 0.0
    for shot in plan.shots:
        if begin > 0:
            _add(effects, begin - 0.25, _whoosh(), 0.0, 0.10)
        for when, one in _placed(shot, heard):
            _add(effects, begin + when, _EFFECTS[one.kind](), one.pan, _LEVELS[one.kind] * one.level)
            if one.kind == "touch":
                _duck(music, begin + when)
        begin += shot.seconds
    mixed = (music + effects)[:total]
    fade = round(FADE_OUT_S * RATE)
    mixed[-fade:] *= np.linspace(1, 0, fade)[:, None]
    mixed = np.tanh(1.1 * mixed) / np.tanh(1.1)
    return (mixed * (PEAK / max(float(np.abs(mixed).max()), 1e-9))).astype(np.float32)


def touches(plan: Plan, motions: Sequence[Motion | None]) -> list[float]:
    """Seconds of the film at which a touch is heard."""
    found, begin = [], 0.0
    heard = [None if motion is None else events(motion) for motion in motions]
    for shot in plan.shots:
        found += [begin + when for when, sound in _placed(shot, heard) if sound.kind == "touch"]
        begin += shot.seconds
    return found


def _placed(shot: Shot, heard: Sequence[list[Sound] | None]) -> list[tuple[float, Sound]]:
    """Sounds of the matches that a shot shows, at seconds of the shot."""
    placed = []
    for panel in shot.panels:
        for sound in heard[panel.stage] or ():
            if panel.end_s <= panel.begin_s or not panel.begin_s < sound.match_s <= panel.end_s + 1e-6:
                continue
            when = (sound.match_s - panel.begin_s) / shot.speed
            if when <= shot.seconds + 1e-6:
                placed.append((when, sound))
    return placed


# ---------------------------------------------------------------- instruments


def _time(seconds: float) -> np.ndarray:
    return np.arange(round(seconds * RATE)) / RATE


def _tone(hertz: float, decay: float, seconds: float = 0.6) -> np.ndarray:
    t = _time(seconds)
    wave = sum(level * np.sin(2 * np.pi * hertz * n * t) for n, level in ((1, 1.0), (2, 0.35), (3, 0.12)))
    return np.asarray(wave * np.exp(-t / decay) * np.minimum(1.0, t / 0.002))


def _noise(low: float, high: float, decay: float, seconds: float = 0.2, attack: float = 0.001) -> np.ndarray:
    """Noise between two frequencies."""
    t = _time(seconds)
    spectrum = np.fft.rfft(np.random.default_rng(SEED).standard_normal(len(t)))
    hertz = np.fft.rfftfreq(len(t), 1 / RATE)
    spectrum[(hertz < low) | (hertz > high)] = 0
    wave = np.fft.irfft(spectrum, len(t))
    wave /= max(1e-9, np.abs(wave).max())
    return np.asarray(wave * np.exp(-np.maximum(0, t - attack) / decay) * np.minimum(1.0, t / attack))


def _sweep(low: float, high: float, seconds: float, decay: float) -> np.ndarray:
    t = _time(seconds)
    hertz = low + (high - low) * t / seconds
    return np.asarray(np.sin(2 * np.pi * np.cumsum(hertz) / RATE) * np.exp(-t / decay))


def _whoosh() -> np.ndarray:
    return _noise(400, 4000, 0.08, 0.5, attack=0.25)


def _touch() -> np.ndarray:
    made = np.zeros(round(0.9 * RATE))
    for start, wave in (
        (0.0, _noise(500, 5000, 0.06, 0.3)),
        (0.0, _tone(784, 0.25)),
        (0.1, _tone(1175, 0.3)),
    ):
        first = round(start * RATE)
        made[first : first + len(wave)] += wave
    return made


_EFFECTS = {
    "step": lambda: _noise(300, 1800, 0.020, 0.1),
    "jump": lambda: _sweep(260, 620, 0.18, 0.09),
    "land": lambda: _noise(90, 500, 0.030, 0.15),
    "touch": _touch,
    "horn": lambda: _tone(392, 0.35, 0.9) + _tone(494, 0.35, 0.9),
}
_LEVELS = {"step": 0.10, "jump": 0.10, "land": 0.14, "touch": 0.55, "horn": 0.22}


def _music(seconds: float) -> np.ndarray:
    """A plucked bass on every beat, a marimba in eighths, a soft pad and a shaker."""
    beat = 60.0 / TEMPO
    made = np.zeros((round((seconds + 2) * RATE), 2))
    for number in range(int(seconds / beat)):
        chord = CHORDS[(number // BEATS_PER_CHORD) % len(CHORDS)]
        when = number * beat
        _add(made, when, _tone(_hertz(chord[0] - 24), 0.30), 0.0, 0.30)
        for eighth in range(2):
            note = chord[(2 * number + eighth) % 3] + (12 if (number + eighth) % 4 == 3 else 0)
            _add(made, when + eighth * beat / 2, _tone(_hertz(note), 0.14), 0.5 - eighth, 0.14)
        if number % 2 == 1:
            _add(made, when, _noise(5000, 12000, 0.03, 0.1), 0.2, 0.05)
        if number % BEATS_PER_CHORD == 0:
            for note in chord:
                _add(made, when, _pad(_hertz(note - 12), BEATS_PER_CHORD * beat), 0.0, 0.045)
    return made


def _pad(hertz: float, seconds: float) -> np.ndarray:
    t = _time(seconds)
    return np.asarray(np.sin(2 * np.pi * hertz * t) * np.sin(np.pi * t / seconds) ** 0.5)


def _hertz(semitones: float) -> float:
    """Above middle C."""
    return float(261.63 * 2 ** (semitones / 12))


def _add(track: np.ndarray, when: float, wave: np.ndarray, pan: float, level: float) -> None:
    first = max(0, round(when * RATE))
    wave = wave[: max(0, len(track) - first)]
    track[first : first + len(wave), 0] += wave * level * np.sqrt((1 - pan) / 2) * np.sqrt(2)
    track[first : first + len(wave), 1] += wave * level * np.sqrt((1 + pan) / 2) * np.sqrt(2)


def _duck(music: np.ndarray, when: float) -> None:
    """The music steps back for a moment."""
    first, length = round(max(0.0, when - SLOWEST_DUCK_S) * RATE), round(DUCK_S * RATE)
    part = music[first : first + length]
    share = np.linspace(0, 1, len(part)) ** 3  # back slowly
    least = 10 ** (DUCK_DB / 20)
    part *= (least + (1 - least) * share)[:, None]
