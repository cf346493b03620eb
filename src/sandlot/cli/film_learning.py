"""The film of how a run learned: story, plan, shots, cut. The plan is written beside it as JSON."""

import json
import os
from functools import partial
from pathlib import Path

import numpy as np

from ..clock import now, stamp
from ..evaluate.replay_reader import open_replay
from ..files import write_bytes
from ..media.clips import VideoSettings, match_seconds
from ..media.film_cut import Drawn, cut_film, frames_of
from ..media.film_plan import Plan, paced, pattern_words, solo, versus
from ..media.film_sound import Motion
from ..media.role_styles import role_styles
from ..runs import Replay, Run
from .drawing import drawing_cost_s, format_estimate, picture_progress
from .film_scene import Renderer, Scene, Taken, check_upright, film_scene
from .film_story import FilmStory, film_story, tells
from .progress import progress
from .show import err

LONGEST_S = 60.0
THREADS = 2  # that play the matches
DARKER = 0.85  # than on a page: light words stand on it

can_film = tells  # whether a run can be filmed so


def film(
    run: Run, video: VideoSettings, seconds: float, target: Path | None, limit_s: float
) -> tuple[Path, int]:
    """Make the film; its path and number of pictures. What is drawn stays for a second try."""
    game = run.record.game
    check_upright(game, video.size[1] > video.size[0])
    with progress("Playing") as show:
        story = film_story(run, min(THREADS, os.cpu_count() or 1), show)
    facts = story.facts
    plan = paced(versus(facts) if facts.chaser else solo(facts), seconds)
    err.print_line(f"Chosen: {facts.pattern}. {pattern_words(facts)}")
    artist = (Scene if film_scene(game) else Renderer)(run, game, story.replays, video, limit_s)
    err.print_line("Measuring every picture …")
    taken = artist.take(plan.shots)
    for one in taken:
        for words in one.dropped:
            err.print_line(f"{one.shot.name}: no room for {' '.join(words.split())!r}; it is left out.")
    plan = Plan(facts, tuple(one.shot for one in taken))
    drawn = _draw(artist, taken, video)
    path = target or run.paths.videos / f"learn_progress-{stamp(now())}.mp4"
    motions = [motion_of(replay, facts.chaser) for replay in story.replays]
    with progress("Cutting") as show:
        frames = cut_film(path, video, plan, drawn, motions, _colours(story, game), partial(show, ""))
    write_bytes(path.with_suffix(".json"), json.dumps(plan.to_json(), indent=1).encode())
    return path, frames


def _draw(artist: Scene | Renderer, taken: list[Taken], video: VideoSettings) -> list[Drawn]:
    """Every shot with its clips: those that are there, and the others drawn now."""
    todo = [
        (one, panel)
        for one in taken
        for panel in range(len(one.shot.panels))
        if not artist.is_there(one, panel)
    ]
    total, done = sum(frames_of(one.shot, video.fps) for one, _ in todo), 0
    if todo:
        cost = ""
        if isinstance(artist, Scene):
            counts = [frames_of(one.shot, video.fps) for one, _ in todo]
            cost = f", {format_estimate(sum(drawing_cost_s(n, video.quality, video.size) for n in counts))}"
        err.print_line(f"{total} pictures to draw{cost}.")
    with progress("Drawing") as show:
        for one, panel in todo:
            artist.draw(one, panel, picture_progress(show, total, done))
            done += frames_of(one.shot, video.fps)
    return [
        Drawn(one.shot, [artist.draw(one, panel) for panel in range(len(one.shot.panels))], one.texts)
        for one in taken
    ]


def _colours(story: FilmStory, game: str) -> dict[str, tuple[int, int, int]]:
    """Of the bars: by role, dark enough for light words."""
    roles = [role for role in (story.facts.chaser, story.facts.runner) if role]
    return {
        role: tuple(round(DARKER * part) for part in bytes.fromhex(style.colour.removeprefix("#")))  # type: ignore[misc]
        for role, style in role_styles(game, roles).items()
    }


def motion_of(replay: Replay, chaser: str) -> Motion | None:
    """Where everybody is in every moment; None for a game whose state has no places."""
    states = []
    with open_replay(replay) as reader:
        for frame in reader.page(0, replay.end.steps).frames:
            states.append(frame.to_json().get("render_state") or {})
    if len(states) < 2 or np.ndim(states[0].get("position", 0)) != 2:
        return None
    places = np.array([state["position"] for state in states], float)
    if places.shape[-1] != 3:
        return None
    whole = match_seconds(replay)
    ticks = np.array([state.get("tick", i) for i, state in enumerate(states)], float)
    times = ticks * whole / max(1.0, float(replay.end.ticks))
    half = float(replay.header.config.get("arena_half", np.abs(places[..., [0, 2]]).max()))
    chaser_won = bool(chaser) and replay.end.episode.get("winner") == chaser
    return Motion(times, places, np.gradient(places, times, axis=0), half, chaser_won)
