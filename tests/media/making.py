"""Small runs on disk, written as a trainer and an evaluator write them, but without playing."""

import json

import numpy as np

from sandlot.runs import Store, WindowRow

STEPS = 1000  # a window


def window_row(run_id, window, **metrics):
    end = (window + 1) * STEPS
    return WindowRow(
        run_id=run_id,
        window_id=window,
        window_complete=True,
        env_steps_start=end - STEPS,
        env_steps_end=end,
        env_steps_in_window=STEPS,
        env_steps_total=end,
        ticks_in_window=3000,
        ticks_total=3000 * (window + 1),
        episodes_completed=5,
        episodes_total=5 * (window + 1),
        terminated_episodes=5,
        truncated_episodes=0,
        reward_sum=float(window),
        reward_mean=window / STEPS,
        return_mean=0.5,
        return_median=0.4,
        invalid_action_rate=0.0,
        **metrics,
    )


def tag_metrics(window):
    metrics = {
        "seeker_win_rate": 0.4,
        "hider_win_rate": 0.6,
        "seeker_win_rate_vs_scripted": 0.3,
        "seeker_return_mean": 0.3,
        "hider_return_mean": -0.2,
        "seeker_reward_mean": 1.0,
        "hider_reward_mean": -1.0,
    }
    metrics |= {"steps_mean": 60.0, "seconds": float(window), "stage": 0}
    for role in ("seeker", "hider"):
        metrics |= {
            f"{role}_{name}": 0.1 * (window + 1)
            for name in ("policy_loss", "value_loss", "entropy", "approx_kl", "updates")
        }
    return metrics


def pilot_metrics(window):
    names = (
        "hull_damage",
        "ticks",
        "value_lost_to_pirates",
        "pirate_encounters",
        "fuel_used",
        "scan_count",
        "mining_ticks",
        "mined_value",
        "station_arrivals",
        "arrival_load",
        "decisions",
    )
    metrics = {f"{name}_mean": 2.0 + window for name in names}
    metrics |= {"net_profit_mean": 10.0 * window, "survival_rate": 0.5, "profit_mean": 10.0 * window}
    return metrics | {
        "profit_median": 8.0 * window,
        "survival_rate": 0.5,
        "pilot_policy_loss": 0.1,
        "pilot_entropy": 1.0,
    }


def make_tag_run(root, windows=3):
    """A run of tag with windows, judgements and episodes. Closed: as after its end."""
    with Store(root).create({}, game="tag", trainer_backend="ppo", window_env_steps=STEPS) as run:
        rows = [window_row(run.run_id, window, **tag_metrics(window)) for window in range(windows)]
        run.append_windows(rows)
        judge(
            run,
            windows,
            lambda w: {"seeker_rating": 900.0 + w, "hider_rating": 1000.0, "seeker_beats_evade_3": 0.2},
        )
        if windows:
            _play(run, windows)
            run.update(env_steps_total=windows * STEPS)
    return run


def make_pilot_run(root, windows=3, config=None):
    about = {"trainer_backend": "ppo", "window_env_steps": STEPS}
    with Store(root).create(config or {}, game="prospector", **about) as run:
        run.append_windows(
            [window_row(run.run_id, window, **pilot_metrics(window)) for window in range(windows)]
        )
        judge(
            run,
            windows,
            lambda w: {"net_profit_mean": 5.0, "survival_rate": 1.0, "value_low": 4.0, "value_high": 6.0},
        )
    return run


def judge(run, windows, metrics):
    with run.paths.evaluations.open("a") as file:
        for window in range(windows):
            row = {
                "window_id": window,
                "env_steps_total": (window + 1) * STEPS,
                "value": 5.0,
                **metrics(window),
            }
            file.write(json.dumps(row) + "\n")


def _play(run, windows, count=5):
    total = windows * count
    columns = {
        "episode": np.arange(total),
        "episode_id": np.arange(total),
        "window_id": np.repeat(np.arange(windows), count),
        "steps": np.full(total, 60),
        "updates": 4,
        "advantage_mean": 0.1,
        "advantage_std": 1.0,
        "policy_loss": 0.1,
        "value_loss": 0.2,
        "seeker_reward": np.linspace(-1, 1, total),
        "hider_reward": np.linspace(1, -1, total),
        "seeker_distance": np.full(total, 5.0),
        "hider_distance": np.full(total, 5.0),
        "duration_s": np.full(total, 3.0),
        "winner": np.arange(total) % 2 + 1,
        "reason": np.arange(total) % 2 + 1,
    }
    codes = {"winner": ("none", "seeker", "hider"), "reason": ("none", "tag", "timeout")}
    run.episode_log([], codes, ("seeker", "hider")).append(columns, total)
