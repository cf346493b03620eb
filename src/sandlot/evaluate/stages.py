"""A stage of learning: weights play fixed seeds, which are recorded, and many more, which are counted."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .. import seeding
from ..games.scripted import default_players
from ..policies import Policy
from ..runs import Replay
from ..runs.learning import SEEDS, LearningReplay, LearningResult, LearningRow, learning_replay_id
from ..spec import EpisodeField, Spec
from .replay_recorder import Origin, record
from .scoring import evaluate
from .statistics import proportion

EVERY_STAGE = -1  # key of the seeds: windows, whose replays have seeds of their own, count from 0


def initial_metrics(policies: Mapping[str, Policy], seeds: Sequence[int]) -> dict[str, Any]:
    """What the weights of step 0 reach: what every later stage is compared with."""
    return evaluate(policies, seeds)


def record_stage(policies: Mapping[str, Policy], origin: Origin | None, name: str) -> list[Replay]:
    """The matches of one stage, one per seed; natively where the game is ours, wherever it was trained."""
    spec = next(iter(policies.values())).spec
    roles = spec.role_names
    players: dict[str, Any] = dict(policies) | default_players(spec, set(roles) - set(policies))
    playing = players if len(roles) > 1 else next(iter(policies.values()))
    names = {role: f"{role} {name}" if role in policies else str(players[role].name) for role in roles}
    count = SEEDS if spec.source == "engine" else 1  # another engine takes seconds to start
    window = origin.window_id if origin else None
    return [
        record(spec.address, playing, seed, spec.settings, names, origin).called(
            learning_replay_id(window, number)
        )
        for number, seed in enumerate(seeding.held_out("replay", count, EVERY_STAGE))
    ]


def stage_row(
    spec: Spec,
    metrics: Mapping[str, Any],
    replays: list[Replay],
    window_id: int | None,
    env_steps_total: int,
    trained_s: float | None,
    digest: str,
) -> LearningRow:
    """The line about a stage. metrics: as `scoring.evaluate` has them."""
    return LearningRow(
        window_id=window_id,
        env_steps_total=env_steps_total,
        trained_s=trained_s,
        episodes=int(metrics.get("episodes", 0)),
        results=results_of(spec, metrics),
        replays=[
            LearningReplay(
                seed=one.header.seed,
                replay_id=one.header.replay_id,
                steps=one.end.steps,
                ending=_ending(spec, one),
            )
            for one in replays
        ],
        checkpoint_sha256=digest,
    )


def _ending(spec: Spec, replay: Replay) -> str:
    """How a match ended, in the game's word: who won, else how it ended."""
    for field in sorted((f for f in spec.episode if f.is_code), key=lambda f: f.kind != "outcome"):
        word = replay.end.episode.get(field.name)
        if isinstance(word, str) and word != field.labels[0]:
            return word.replace("_", " ")
    return ""


def results_of(spec: Spec, metrics: Mapping[str, Any]) -> list[LearningResult]:
    """What tells a visitor how well these weights play, most telling first.

    Roles that compete: how often each beats the scripted players, which never change, then who wins between
    the two. Any other game: its headline.
    """
    if spec.competes:
        return [*_against_scripted(spec, metrics), *_against_each_other(spec, metrics)]
    headline = spec.headline
    if headline is None or not {headline.metric, "value_low"} & metrics.keys():
        return []
    if headline.kind == "flag" and headline.metric in metrics:
        return [_share(_of_flag(headline), headline.metric, metrics, headline.better)]
    sign = -1 if headline.better == "lower" else 1  # `value` is higher for better play
    ends = sorted(sign * metrics[name] for name in ("value_low", "value_high"))
    return [
        LearningResult(
            label=_plain(headline.name),
            value=sign * metrics["value"],
            low=ends[0],
            high=ends[1],
            share=False,
            unit=headline.unit,
            better=headline.better,
        )
    ]


def _against_scripted(spec: Spec, metrics: Mapping[str, Any]) -> list[LearningResult]:
    found = []
    for role in spec.role_names:
        scores = [value for name, value in metrics.items() if name.startswith(f"{role}_beats_")]
        label = f"{role} beats scripted players"
        if scores:  # as many matches against each of them
            episodes = int(metrics["episodes"])
            points = round(2 * sum(scores) * episodes) / 2  # a draw is a half
            won = proportion(points, episodes * len(scores))
            found.append(
                LearningResult(
                    label=label, role=role, value=won.value, low=won.low, high=won.high, better="higher"
                )
            )
        elif f"{role}_score" in metrics:
            found.append(_share(label, f"{role}_score", metrics, "higher", role))
    return found


def _against_each_other(spec: Spec, metrics: Mapping[str, Any]) -> list[LearningResult]:
    first, *others = spec.role_names
    if f"{first}_win_rate" not in metrics or not others:
        return []
    label = f"{first} wins against this {others[0]}"
    return [_share(label, f"{first}_win_rate", metrics, role=first)]


def _share(
    label: str, name: str, metrics: Mapping[str, Any], better: str = "none", role: str = ""
) -> LearningResult:
    low, high = metrics.get("intervals", {}).get(name, (None, None))
    value = float(metrics[name])
    return LearningResult(label=label, role=role, value=value, low=low, high=high, better=better)


def _of_flag(field: EpisodeField) -> str:
    """What a flag stands for: specs say "1 for a soft landing", "1 when the goal was reached"."""
    found = re.match(r"1 (?:for|when) (?:an? )?(.+)", field.text)
    return found[1] if found else _plain(field.name)


def _plain(name: str) -> str:
    return name.replace("_", " ")
