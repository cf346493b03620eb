"""The plan of a film of learning: which matches, in which order, and for how long.

First, middle and last window, then the best match of each role; always the same for the same run and
length. Time that a short match does not need goes to the longer ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..errors import ConfigError, StoreError
from ..runs import IndexEntry, Replay, Run
from ..runs.index import MAX_LIMIT
from ..spec.document import RoleStyle
from .clips import HOLD_S, MIN_PLAY_S, match_seconds, nothing_recorded, read
from .role_styles import role_styles

TITLE_S, CARD_S, CURVE_S, END_S = 2.4, 1.8, 4.5, 2.4  # of a film of at least USUAL_S
USUAL_S = 40.0  # shorter films have shorter cards
SHORTEST_CARDS = 0.4  # of their usual length
SECONDS_PER_MATCH = 6.0  # of the film's length; a shorter film shows fewer matches
FEWEST, MAX_MATCHES = 2, 5
SEARCHED = 400  # newest replays among which the best are searched


@dataclass(frozen=True)
class Chapter:
    """A match and the reason why it is shown."""

    heading: str
    replay: Replay
    shown_s: float = 0.0  # the last seconds of the match, including the held last frame

    @property
    def window(self) -> int:
        """The window of the match."""
        return self.replay.header.window_id or 0

    @property
    def outcome(self) -> str:
        """The result in a few words."""
        episode = self.replay.end.episode
        if "winner" not in episode and "return" in episode:
            return f"return {episode['return']:.4g}"
        style = _styles(self.replay).get(str(episode.get("winner")))
        seconds = f"{match_seconds(self.replay):.1f} s"
        return f"{style.won or 'won after'} {seconds}" if style else "nobody won"


@dataclass(frozen=True)
class FilmPlan:
    """The parts of a film and their lengths."""

    chapters: Sequence[Chapter]
    title_s: float
    card_s: float
    curve_s: float
    end_s: float


def plan(run: Run, seconds: float, with_curve: bool = True) -> FilmPlan:
    """Plan a film of about this length."""
    count = min(MAX_MATCHES, max(FEWEST, int(seconds / SECONDS_PER_MATCH)))
    chosen = _chosen(run, count)
    pace = min(1.0, max(SHORTEST_CARDS, seconds / USUAL_S))
    cards = (TITLE_S * pace, CARD_S * pace, CURVE_S * pace * with_curve, END_S * pace)
    rest = seconds - cards[0] - cards[1] * len(chosen) - cards[2] - cards[3]
    wholes = [match_seconds(chapter.replay) + HOLD_S for chapter in chosen]
    shares = share_time(max(rest, (HOLD_S + MIN_PLAY_S) * len(chosen)), wholes)
    chapters = [replace(chapter, shown_s=share) for chapter, share in zip(chosen, shares, strict=True)]
    return FilmPlan(chapters, *cards)


def share_time(total: float, most: Sequence[float]) -> list[float]:
    """Equal parts of a total, each at most its limit; what one cannot use goes to the others."""
    made = [0.0] * len(most)
    open_ones = sorted(range(len(most)), key=lambda i: most[i])
    while open_ones:
        i = open_ones.pop(0)
        made[i] = min(most[i], total / (len(open_ones) + 1))
        total -= made[i]
    return made


def _chosen(run: Run, count: int) -> list[Chapter]:
    """`count` different matches in the order in which they are shown."""
    entries = sorted(run.index.find(limit=MAX_LIMIT), key=lambda e: (e.window_id, e.created_at, e.replay_id))
    if not entries:
        raise nothing_recorded(run)
    firsts = list({entry.window_id: entry for entry in reversed(entries)}.values())[::-1]  # one a window
    wanted: list[tuple[str, IndexEntry]] = [("First window", firsts[0])]
    if len(firsts) > 1:
        wanted.append(("Last window", firsts[-1]))
    if len(firsts) > 2 and count > FEWEST:
        wanted.insert(1, ("Half way", firsts[len(firsts) // 2]))
    chapters = [Chapter(heading, read(run, entry.replay_id)) for heading, entry in wanted]
    return chapters + _best(run, entries, chapters, count - len(chapters))


def _best(run: Run, entries: Sequence[IndexEntry], taken: Sequence[Chapter], count: int) -> list[Chapter]:
    """The best match that each role won, among the matches that are not shown yet.

    Matches of the second half of training come first: winning against an untrained opponent is easy.
    """
    shown = {chapter.replay.header.replay_id for chapter in taken}
    others = []
    for entry in entries[-SEARCHED:]:
        if entry.replay_id not in shown:
            try:
                others.append(read(run, entry.replay_id))
            except (StoreError, ConfigError):  # a damaged one cannot be the best
                continue
    half_way = (entries[0].window_id + entries[-1].window_id) / 2
    found = []
    roles = [role for replay in others for role in replay.header.agents]
    for role, style in [*role_styles(run.record.game, roles).items()][: max(0, count)]:
        won = [replay for replay in others if replay.end.episode.get("winner") == role]
        if won:
            found.append(
                Chapter(
                    style.best or f"Best {role}", max(won, key=lambda replay: _merit(replay, role, half_way))
                )
            )
    return found


def _styles(replay: Replay) -> dict[str, RoleStyle]:
    return role_styles(replay.header.game, replay.header.agents)


def _merit(replay: Replay, role: str, half_way: float) -> tuple[bool, float, str]:
    """Sort key of the best match: second half of training, the winners' return, then the id."""
    pairs = zip(replay.header.agents, replay.end.returns, strict=False)
    earned = sum(value for name, value in pairs if name == role)
    return (replay.header.window_id or 0) > half_way, earned, replay.header.replay_id
