"""A `Progressed` event of a run in the middle of a window, for the tests of the dashboard."""

from sandlot.train import events

DEFAULTS = {
    "window_id": 3,
    "share": 0.5,
    "run_share": 0.25,
    "decisions_per_second": 34_200.0,
    "ticks_per_second": 102_600.0,
    "env_steps_total": 1_200_000,
    "ticks_total": 1_200_000,
    "episodes_total": 2327,
    "seconds": 60.0,
    "shares": {"world": 0.2, "policy": 0.1, "learner": 0.6, "opponents": 0.05, "files": 0.0},
    "metrics": {
        "seeker": {"entropy": 3.25, "approx_kl": 0.0015},
        "hider": {"entropy": 2.5, "approx_kl": 0.002},
    },
    "opponents": {"seeker chase:3": 0.88},
}


def progressed(**changes: object) -> events.Progressed:
    return events.Progressed(**(DEFAULTS | changes))
