"""Small documents for the tests of `spec/`: the least that is a game, and one of everything."""

from typing import Any

LEAST: dict[str, Any] = {
    "name": "least",
    "observation": [{"name": "height"}],
    "actions": [{"name": "push"}],
}

# Two seekers against a hider that sees less and does something else.
UNEQUAL: dict[str, Any] = {
    "name": "unequal",
    "title": "Unequal",
    "version": "3",
    "text": "two of one kind, one of another",
    "tick_rate": 20.0,
    "ticks_per_step": 2,
    "profiles": ["calm", "wild"],
    "agent_roles": ["seeker", "seeker", "hider"],
    "teams": {"seeker": "red", "hider": "blue"},
    "role_observation": {
        "seeker": [{"name": "rays", "shape": [4, 2]}, {"name": "place", "shape": [2]}],
        "hider": [{"name": "noise"}],
    },
    "role_actions": {
        "seeker": [
            {"name": "steer", "low": 0, "high": 90, "unit": "deg"},
            {"name": "jump", "kind": "button"},
        ],
        "hider": [{"name": "hide", "kind": "choice", "options": ["no", "box", "wall"]}],
    },
    "knobs": [
        {"name": "wind", "low": 0, "high": 5, "defaults": [1, 4], "unit": "m/s", "text": "of the air"},
        {"name": "boxes", "kind": "integer", "low": 0, "high": 9, "defaults": [2, 3]},
        {"name": "night", "kind": "flag", "low": 0, "high": 1, "defaults": [0, 1]},
        {"name": "arena", "kind": "choice", "choices": ["hall", "yard"], "defaults": [0, 1]},
    ],
    "bots": [{"name": "chase", "role": "seeker", "levels": 2}, {"name": "sit", "role": "all", "levels": 1}],
    "default_bots": {"seeker": "chase", "hider": "sit"},
    "compared_by": {"chase": "tags"},
    "reward_terms": [{"name": "tag", "role": "seeker"}],
    "info": [{"name": "left"}],
    "render": [{"name": "places", "shape": [3, 2]}],
    "episode": [
        {"name": "return", "shape": [3]},
        {"name": "winner", "kind": "outcome", "labels": ["nobody", "seekers", "the hider"]},
        {"name": "reason", "kind": "code", "labels": ["time", "tag"]},
        {"name": "tags", "better": "higher", "headline": True},
        {"name": "found", "kind": "flag"},
    ],
    "outcomes": [
        {"role": "seeker", "field": "winner", "equals": "seekers", "means": "win"},
        {"role": "seeker", "field": "winner", "equals": "the hider", "means": "loss"},
        {"role": "hider", "field": "winner", "equals": "the hider", "means": "win"},
        {"role": "hider", "field": "winner", "equals": "nobody", "means": "draw"},
    ],
    "events": [{"name": "tag", "values": ["who"]}],
}  # fmt: skip


def changed(document: dict[str, Any], **parts: Any) -> dict[str, Any]:
    """A copy with other parts; a part that is None is left out."""
    return {name: part for name, part in (document | parts).items() if part is not None}
