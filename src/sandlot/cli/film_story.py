"""What a film of a run tells: its checkpoints play the same seeds, and one seed's matches are shown.

It is kept beside the film's clips, so that a film that was interrupted does not play everything again.
"""

import colorsys
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import StoreError
from ..evaluate import solo_story, story
from ..files import write_bytes
from ..media.clips import PARTS, match_seconds, replay_scene
from ..media.film_plan import FilmFacts, StageFacts
from ..media.role_styles import role_styles
from ..rating import Estimate
from ..runs import Replay, Run
from ..spec import Spec
from ..worlds import games, known_spec
from .film_scene import film_words

HUES = ((0.04, "red"), (0.11, "orange"), (0.19, "yellow"), (0.45, "green"), (0.72, "blue"), (0.83, "purple"))
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class FilmStory:
    """The numbers of a film, and the matches that it shows, one of each stage."""

    facts: FilmFacts
    replays: Sequence[Replay]


def tells(run: Run) -> bool:
    """Whether a film can show learning: a native game, and at least two stages of it."""
    return run.record.game in games() and len(story.stages_of(run)) > 1


def film_story(run: Run, threads: int, progress: Progress) -> FilmStory:
    """Played now, or as it was played for an earlier film of the same checkpoints."""
    stages = story.stages_of(run)
    kept = run.paths.videos / PARTS / f"story-{_digest(stages)}.json"
    found = _read(kept)
    if found is None:
        found = _play(run, stages, threads, progress)
        texts = [replay.to_bytes().hex() for replay in found.replays]
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(kept, json.dumps({"facts": asdict(found.facts), "replays": texts}).encode())
    return found


def _digest(stages: Sequence[story.LearningStage]) -> str:
    made = hashlib.sha256(str(story.SEEDS).encode())
    for stage in stages:
        made.update(stage.path.read_bytes())
    return made.hexdigest()[:16]


def _read(path: Path) -> FilmStory | None:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        replays = [Replay.from_bytes(bytes.fromhex(text)) for text in kept["replays"]]
        return FilmStory(_facts_of(kept["facts"]), replays)
    except (OSError, ValueError, KeyError, TypeError, StoreError):
        return None  # not there, or of another version: it is played again


def _facts_of(kept: dict[str, Any]) -> FilmFacts:
    stages = [
        StageFacts(
            **{
                **stage,
                "wins": {role: Estimate(**wins) for role, wins in stage["wins"].items()},
                "score": Estimate(**stage["score"]) if stage["score"] else None,
            }
        )
        for stage in kept["stages"]
    ]
    return FilmFacts(**{**kept, "stages": stages})


# ---------------------------------------------------------------- from what was played


def _play(run: Run, stages: Sequence[story.LearningStage], threads: int, progress: Progress) -> FilmStory:
    names = [stage.name for stage in stages]
    spec = known_spec(run.record.game)
    if spec is not None and story.tells_story(spec):
        played = story.tell(stages, (), threads, progress)
        return FilmStory(_versus(run, played), story.replays(played, run.run_id, names))
    solo = solo_story.tell_alone(stages, (), threads, progress)
    replays = solo_story.replays(solo, run.run_id, names)
    return FilmStory(_alone(run, solo, replays), replays)


def _versus(run: Run, played: story.Story) -> FilmFacts:
    roles, chosen = (played.chaser, played.runner), played.chosen
    stages = []
    for stage, matches in zip(played.stages, played.matches, strict=True):
        nearest = float(matches.nearest[chosen])
        stages.append(
            StageFacts(
                stage.trained_s,
                float(matches.seconds[chosen]),
                matches.winners[chosen],
                {role: matches.wins(role) for role in roles},
                nearest_m=nearest if nearest == nearest else None,  # nan: the game has no places
            )
        )
    styles = role_styles(run.record.game, roles)
    return FilmFacts(
        stages=stages,
        tried=len(played.seeds),
        fits=played.fits,
        pattern=played.pattern,
        chaser=played.chaser,
        runner=played.runner,
        limit_s=played.limit_s,
        colours={role: colour_name(styles[role].colour) for role in roles},
        won={role: styles[role].won for role in roles if styles[role].won},
        **_common(run, played.spec),
    )


def _alone(run: Run, played: solo_story.SoloStory, replays: Sequence[Replay]) -> FilmFacts:
    flag = played.field.kind == "flag"
    stages = [
        StageFacts(stage.trained_s, match_seconds(replay), score=played.score(number))
        for number, (stage, replay) in enumerate(zip(played.stages, replays, strict=True))
    ]
    return FilmFacts(
        stages=stages,
        tried=len(played.seeds),
        fits=played.fits,
        pattern="every stage does at least as well as the one before it",
        success=played.field.name.replace("_", " ") if flag else "",
        measure="" if flag else played.field.unit or played.field.name.replace("_", " "),
        **_common(run, played.spec),
    )


def _common(run: Run, spec: Spec) -> dict[str, Any]:
    title = spec.title or run.record.game
    words = film_words(replay_scene(run.record.game))
    return {"title": title, "question": words.get("question") or f"Can a computer learn {title}?"}


def colour_name(code: str) -> str:
    """The plain name of a colour `#rrggbb`; "" for a grey one."""
    red, green, blue = (part / 255 for part in bytes.fromhex(code.removeprefix("#")))
    hue, _, saturation = colorsys.rgb_to_hls(red, green, blue)
    if saturation < 0.15:
        return ""
    return next((name for most, name in HUES if hue < most), "red")
