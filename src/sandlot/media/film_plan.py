"""The plan of a film as data: shots with their seconds, words and camera, made from the matches of a run.

Every word about the run comes from a number of it; a line whose number is missing is left out. Words are
plain:
FORBIDDEN lists the words of the trade, which a stranger does not know.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ..rating import Estimate

FORBIDDEN = ("window", "tick", "return", "rating", "episode", "policy", "step", "agent", "checkpoint")
LETTERS = 40  # of a caption's line, at most
CAPTION_S, SHOT_S = 1.8, 2.0  # shorter ones cannot be read
RULES_S, EARLY_S, EARLY_END_S, SPLIT_S, TITLE_S, END_S = 4.0, 7.0, 2.0, 7.0, 4.0, 6.0
TOUCH_SPEED, TOUCH_PLAY_S = 0.25, 0.7  # slow motion of the last moments before a touch
PUSH_SPEED, PUSH_PLAY_S = 0.5, 1.0  # of the last second of the trained match
HOLD_S = 1.4  # after the end of a match
LEAST_MATCH_S = 2.0  # of a match that is shown in parts


@dataclass(frozen=True)
class StageFacts:
    """A stage of training: what its match of the chosen start was, and how it does on all starts."""

    trained_s: float | None  # 0: before training; None where the run does not say
    seconds: float  # of the match that is shown
    winner: str = ""  # of it: a role
    wins: Mapping[str, Estimate] = field(default_factory=dict)  # by role; empty where nobody wins
    score: Estimate | None = None  # of a game that one plays alone
    nearest_m: float | None = None  # metres between the two at the closest


@dataclass(frozen=True)
class FilmFacts:
    """What a film tells."""

    title: str  # of the game
    question: str
    stages: Sequence[StageFacts]
    tried: int  # starts
    fits: int  # of them that show the pattern of the chosen one
    pattern: str
    chaser: str = ""
    runner: str = ""
    limit_s: float = 0.0
    colours: Mapping[str, str] = field(default_factory=dict)  # by role: "red"
    won: Mapping[str, str] = field(default_factory=dict)  # by role: "escaped for"
    measure: str = ""  # what a score counts; "" for a share of starts
    success: str = ""  # what such a share counts: "success"
    machine: str = ""


@dataclass(frozen=True)
class Caption:
    """Words at the bottom of the picture, for some seconds of a shot."""

    text: str
    begin_s: float
    end_s: float


@dataclass(frozen=True)
class Panel:
    """A match, or a half of the picture with one: whose, and its seconds that are shown."""

    stage: int
    begin_s: float
    end_s: float
    chip: str = ""  # how long they had trained
    note: str = ""  # how often who wins


@dataclass(frozen=True)
class Shot:
    """A part of a film between two cuts."""

    name: str
    seconds: float
    camera: str
    panels: tuple[Panel, ...] = ()
    speed: float = 1.0  # seconds of the match per second of the film
    title: str = ""
    subtitle: str = ""
    captions: tuple[Caption, ...] = ()
    banner: str = ""
    banner_s: float = 0.0  # from which second on
    clock: bool = True
    same_side: bool = False  # seen from where the shot before it was seen

    def match_s(self, seconds: float, panel: int = 0) -> float:
        """The moment of the match that a panel shows."""
        shown = self.panels[panel]
        return min(shown.end_s, shown.begin_s + seconds * self.speed)


@dataclass(frozen=True)
class Plan:
    """A whole film."""

    facts: FilmFacts
    shots: tuple[Shot, ...]

    @property
    def seconds(self) -> float:
        """Its length."""
        return sum(shot.seconds for shot in self.shots)

    def to_json(self) -> dict[str, Any]:
        """All of it, as it is written beside the film."""
        return asdict(self)


def problems(plan: Plan) -> list[str]:
    """What breaks the rules of words and lengths; none for a good plan."""
    found = []
    for shot in plan.shots:
        if shot.seconds < SHOT_S - 1e-6:
            found.append(f"{shot.name} is only {shot.seconds:.1f} s long")
        for text in words_of(shot):
            found += [
                f"{shot.name} says {word!r}" for word in FORBIDDEN if re.search(rf"\b{word}s?\b", text, re.I)
            ]
        for caption in shot.captions:
            if len(caption.text) > LETTERS:
                found.append(f"{caption.text!r} is longer than {LETTERS} letters")
            if caption.end_s - caption.begin_s < CAPTION_S - 1e-6 or caption.end_s > shot.seconds + 1e-6:
                found.append(f"{caption.text!r} cannot be read in time")
        ends = [(caption.begin_s, caption.end_s) for caption in shot.captions]
        if any(after[0] < before[1] for before, after in itertools.pairwise(ends)):
            found.append(f"{shot.name} has two captions at once")
    return found


def words_of(shot: Shot) -> list[str]:
    """Everything that a shot says."""
    chips = [text for panel in shot.panels for text in (panel.chip, panel.note)]
    return [*filter(None, [shot.title, shot.subtitle, shot.banner, *chips, *(c.text for c in shot.captions)])]


def paced(plan: Plan, seconds: float) -> Plan:
    """A film of at most about this length: of every shot the last part, though never less than SHOT_S."""
    share = seconds / plan.seconds
    if share >= 1:
        return plan
    return replace(
        plan, shots=tuple(_shortened(shot, max(SHOT_S, shot.seconds * share)) for shot in plan.shots)
    )


def _shortened(shot: Shot, seconds: float) -> Shot:
    cut = shot.seconds - seconds
    if cut <= 0:
        return shot
    panels = tuple(
        replace(panel, begin_s=min(panel.end_s, panel.begin_s + cut * shot.speed)) for panel in shot.panels
    )
    moved = [(max(0.0, c.begin_s - cut), c.end_s - cut, c.text) for c in shot.captions]
    captions = [_caption(text, begin, end) for begin, end, text in moved]
    return replace(
        shot,
        seconds=seconds,
        panels=panels,
        captions=tuple(caption for found in captions for caption in found),
        banner_s=max(0.0, shot.banner_s - cut),
    )


# ---------------------------------------------------------------- words


def trained(seconds: float | None, short: bool = False) -> str:
    """How long somebody had trained; "" where that is unknown."""
    if seconds is None:
        return ""
    if seconds <= 0:
        return "Before training"
    for size, unit, most in ((1, "second", 90), (60, "minute", 90 * 60), (3600, "hour", float("inf"))):
        if seconds < most:
            count = max(1, round(seconds / size))
            return f"{count} {unit}{'' if count == 1 else 's'}" + ("" if short else " of training")
    return ""


def wins_of(facts: FilmFacts, stage: StageFacts, role: str) -> str:
    """`Red wins 54 of 100 (44 to 64)`: with the interval that holds the true share with 95 %."""
    wins = stage.wins.get(role)
    if wins is None:
        return ""
    low, high = (round(100 * end) for end in wins.interval)
    return f"{_name(facts, role)} wins {100 * wins.value:.0f} of 100 ({low} to {high})"


def scored(facts: FilmFacts, stage: StageFacts) -> str:
    """`37 of 100 (28 to 46)` or `120 credits (90 to 140)`, of a game that one plays alone."""
    if stage.score is None:
        return ""
    low, high = stage.score.interval
    if not facts.measure:
        name = f"{facts.success.capitalize()}: " if facts.success else ""
        return f"{name}{100 * stage.score.value:.0f} of 100 ({100 * low:.0f} to {100 * high:.0f})"
    return f"{stage.score.value:,.3g} {facts.measure} ({low:,.3g} to {high:,.3g})"


def pattern_words(facts: FilmFacts) -> str:
    """How many of the starts went as the one that is shown."""
    return f"{facts.fits} of {facts.tried} starts went like the one shown."


def _name(facts: FilmFacts, role: str) -> str:
    return (facts.colours.get(role) or role).capitalize()


def _result(facts: FilmFacts, stage: StageFacts) -> str:
    """`Tagged after 3.5 seconds`."""
    won = facts.won.get(stage.winner)
    seconds = f"{stage.seconds:.1f}".removesuffix(".0")
    return f"{won.capitalize()} {seconds} seconds" if won else ""


def banner(facts: FilmFacts, winner: str) -> str:
    """The large word at the end of a match."""
    if winner == facts.chaser:
        return f"{facts.title.upper()}!"
    won = facts.won.get(winner, "")
    return f"{won.split()[0].capitalize()}!" if won else "Time is up"


# ---------------------------------------------------------------- a game of two


def versus(facts: FilmFacts) -> Plan:
    """The film of a game in which one role chases another."""
    last = len(facts.stages) - 1
    shots = [_title(facts, last), _rules(facts), *_early(facts), *_middle(facts), *_trained(facts, last)]
    return Plan(facts, (*shots, _end(last)))


def _panel(facts: FilmFacts, number: int, begin_s: float, end_s: float, short: bool = False) -> Panel:
    stage = facts.stages[number]
    note = wins_of(facts, stage, facts.chaser) if facts.chaser else scored(facts, stage)
    return Panel(number, begin_s, end_s, trained(stage.trained_s, short), note)


def _title(facts: FilmFacts, last: int) -> Shot:
    still = Panel(last, 0.0, 0.0)
    them = "them" if facts.chaser else "it"
    subtitle = f"Nobody tells {them} how."
    return Shot("title", TITLE_S, "title", (still,), title=facts.question, subtitle=subtitle, clock=False)


def _rules(facts: FilmFacts) -> Shot:
    shown = min(len(facts.stages) - 1, 1)
    seconds = max(SHOT_S, min(RULES_S, facts.stages[shown].seconds - 0.3))
    text = f"{_name(facts, facts.chaser)} chases. {_name(facts, facts.runner)} must last "
    text += f"{facts.limit_s:.0f} seconds."
    panel = Panel(shown, 0.0, seconds)
    return Shot("rules", seconds, "follow", (panel,), captions=_caption(text, 0.2, seconds))


def _early(facts: FilmFacts) -> list[Shot]:
    stage = facts.stages[0]
    tagged = stage.winner == facts.chaser
    whole = max(LEAST_MATCH_S, stage.seconds)
    shown = min(EARLY_S, whole)
    caption = "Nobody has learned anything yet" if stage.trained_s == 0 else ""
    captions = _caption(caption, 0.4, min(shown, 4.5))
    panel = _panel(facts, 0, 0.0, shown)
    if whole - shown < 1.0:  # it ends within this shot
        seconds = whole + HOLD_S
        panel = _panel(facts, 0, 0.0, stage.seconds)
        words = banner(facts, stage.winner)
        return [
            Shot("early", seconds, "wide", (panel,), captions=captions, banner=words, banner_s=stage.seconds)
        ]
    rest = Panel(0, shown, stage.seconds, panel.chip)
    speed = (stage.seconds - shown) / (EARLY_END_S - 0.9)
    ended = banner(facts, stage.winner) if tagged else "Time is up"
    ending = Shot(
        "early end",
        EARLY_END_S,
        "wide",
        (rest,),
        speed,
        banner=ended,
        banner_s=EARLY_END_S - 0.9,
        same_side=True,
    )
    return [Shot("early", shown, "wide", (panel,), captions=captions), ending]


def _middle(facts: FilmFacts) -> list[Shot]:
    if len(facts.stages) < 3:
        return []
    stage = facts.stages[1]
    caught = stage.winner == facts.chaser
    until = min(stage.seconds, facts.stages[0].seconds)
    slow = min(TOUCH_PLAY_S, 0.3 * until) if caught and stage.seconds <= until else 0.0
    seconds = max(SHOT_S, min(SPLIT_S, until - slow))
    sides = tuple(_panel(facts, number, 0.0, seconds) for number in (0, 1))
    split = Shot(
        "split", seconds, "panel", sides, captions=_caption("Same start. More training.", 0.2, seconds)
    )
    if not slow:
        return [split]
    return [split, _slow("touch", facts, 1, slow, TOUCH_SPEED, "touch")]


def _trained(facts: FilmFacts, last: int) -> list[Shot]:
    stage = facts.stages[last]
    caught = stage.winner == facts.chaser
    slow = min(TOUCH_PLAY_S if caught else PUSH_PLAY_S, 0.4 * stage.seconds)
    seconds = max(SHOT_S, stage.seconds - slow)
    panel = _panel(facts, last, 0.0, seconds)
    turned = not caught and _won_more(facts, facts.stages[last - 1], stage)
    text = f"Now the {facts.runner} has learned too" if turned else "The same start once more"
    captions = list(_caption(text, 0.4, min(4.0, seconds)))
    if not caught and stage.nearest_m is not None and seconds > 7.5:
        captions += _caption(f"Closest they come: {stage.nearest_m:.1f} metres", 4.6, 7.4)
    ending = _slow("finish", facts, last, slow, TOUCH_SPEED if caught else PUSH_SPEED, "push")
    return [Shot("trained", seconds, "follow", (panel,), captions=tuple(captions)), ending]


def _won_more(facts: FilmFacts, before: StageFacts, after: StageFacts) -> bool:
    """Whether the runner won more often than before, by more than chance explains."""
    ends = [stage.wins.get(facts.runner) for stage in (before, after)]
    return bool(ends[0] and ends[1] and ends[1].interval[0] > ends[0].interval[1])


def _slow(name: str, facts: FilmFacts, number: int, play_s: float, speed: float, camera: str) -> Shot:
    """The last moments of a match in slow motion, and what follows."""
    stage = facts.stages[number]
    played = play_s / speed
    seconds = max(SHOT_S + 0.5, played + HOLD_S)
    shown = _panel(facts, number, stage.seconds - play_s, stage.seconds)
    return Shot(
        name,
        seconds,
        "touch" if stage.winner == facts.chaser else camera,
        (Panel(number, shown.begin_s, shown.end_s, shown.chip),),
        speed,
        captions=_caption(_result(facts, stage), max(0.0, played - 0.6), seconds),
        banner=banner(facts, stage.winner),
        banner_s=played,
        same_side=stage.winner != facts.chaser,
    )


def _end(last: int) -> Shot:
    return Shot("end", END_S, "end", (Panel(last, 0.0, 0.0),), clock=False)


def _caption(text: str, begin_s: float, end_s: float) -> tuple[Caption, ...]:
    """A caption where there are words and time to read them."""
    return (Caption(text, begin_s, end_s),) if text and end_s - begin_s >= CAPTION_S - 1e-9 else ()


# ---------------------------------------------------------------- a game that one plays alone


def solo(facts: FilmFacts) -> Plan:
    """The film of a game that is played alone: one start at every stage, then side by side."""
    last = len(facts.stages) - 1
    sides = tuple(_panel(facts, number, 0.0, facts.stages[number].seconds) for number in (0, last))
    longest = max(stage.seconds for stage in facts.stages)
    split_speed = max(1.0, longest / 12.0)
    shots = [_title(facts, last)]
    for number, stage in enumerate(facts.stages):
        speed = max(1.0, stage.seconds / 8.0)
        shown = _panel(facts, number, 0.0, stage.seconds)
        text = "Nothing has been learned yet" if stage.trained_s == 0 else ""
        text = "The same start, after all training" if number == last else text
        seconds = max(SHOT_S + 1.0, stage.seconds / speed + 1.0)
        caption = _caption(text, 0.3, min(5.0, seconds))
        shots.append(
            Shot(f"stage {number + 1}", seconds, "own", (shown,), speed, captions=caption, clock=False)
        )
    both = Shot(
        "split",
        max(SHOT_S + 1.0, longest / split_speed + 1.0),
        "own",
        sides,
        split_speed,
        captions=_caption("Same start. More training.", 0.3, SHOT_S + 1.0),
        clock=False,
    )
    over = facts.stages[last].seconds
    ended = replace(_end(last), panels=(Panel(last, over, over),))
    return Plan(facts, (*shots, both, ended))
