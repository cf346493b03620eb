"""Every column that a run writes, recomputed from what the worlds gave step by step; none may be left out.

windows.jsonl, episodes.csv, evaluations.jsonl and the scalars of TensorBoard, of a competitive game, of two
games of one agent (one with truncated episodes) and of a Gymnasium env. A column that nothing here recomputes
fails, and so does one that is the same in every row without a reason.
"""

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

from sandlot import seeding
from sandlot.evaluate.evaluator import Evaluator
from sandlot.evaluate.play import play
from sandlot.media.tensorboard import TensorBoard
from sandlot.policies import Policy
from sandlot.policies.policy import unpack
from sandlot.runs.episodes import read_episodes
from sandlot.runs.store import Store
from sandlot.train.compose import compose
from sandlot.train.loop import Loop, begin
from sandlot.worlds import NativeWorld
from sandlot.worlds.gym import GymWorld

WINDOW = 1000
JUDGED = 4  # held-out episodes of an evaluation
SMALL = (
    "run.windows=3", f"run.window_env_steps={WINDOW}", "run.threads=1", "ppo.num_envs=16", "ppo.num_steps=16",
    "ppo.num_minibatches=4", "ppo.stagger_steps=0", "network.hidden_sizes=[16]", "ppo.ent_coef=0.01",
    "ppo.learning_rate=0.01", f"evaluation.episodes={JUDGED}",
)  # fmt: skip
GAMES = {
    "tag": ("settings.time_limit=2", "settings.arena_half=5", "settings.spawn_separation=2"),
    "landing": ("settings.time_limit=5", "settings.altitude_min=60", "settings.altitude_max=120"),
    "prospector": ("settings.time_max=200", "ppo.rollouts_per_iteration=1"),
    "gym:CartPole-v1": ("settings.max_episode_steps=25",),
}
# Metrics of an update, by role: test_update.py recomputes an update; here they only must be finite.
UPDATE = {
    "policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "grad_norm", "updates",
    "advantage_mean", "advantage_std", "explained_variance", "learning_rate", "ent_coef",
}  # fmt: skip
# Columns that may be the same in every row, with the reason.
MEASURED = {"seconds", "memory_trainer_mb", "memory_free_mb"}  # of the machine: tests/train/test_memory.py
CONSTANT = {
    "memory_trainer_mb": "a short training may not grow", "memory_free_mb": "nor the machine be busy",
    "schema_version": "of the file's form",
    "run_id": "one run",
    "window_complete": "every window here is",
    "env_steps_in_window": "windows have one size",
    "stage": "no lessons here",
    "boxes_mean": "a setting", "boxes_median": "a setting", "boxes": "a setting",
    "invalid": "heads choose legal actions alone", "invalid_action_rate": "heads choose legal actions alone",
    "evaluator_pid": "one process",
    "episodes": "a setting",
    "updates": "epochs times minibatches",
}  # fmt: skip
# Columns of single games that cannot vary, or hardly do so early in a training.
STILL = {
    "tag": r"truncated|^terminated$|_vs_(past|scripted)$",  # its clock is a rule; few meet a bot so early
    "landing": r"soft_landing|hard_landing|success|fuel_efficiency|out_of_bounds",  # nobody can fly yet
    "prospector": r"destroyed|overheat_ticks|invalid_actions",  # 200 ticks are few; masks keep actions legal
    "gym:CartPole-v1": r"^(reward_mean|reward_sum|ticks_in_window)$",  # a step is a tick and pays 1
}


def recorded(patch):
    """What every world gives from now on, at its own `step` and `finished`."""
    raw = SimpleNamespace(ticks=[], rewards=[], invalid=[], episodes=[])

    def watch(kind):
        step, finished = kind.step, kind.finished

        def recording_step(world, *actions):
            ended = step(world, *actions)
            by_world = world.worlds, world.spec.agents
            raw.ticks.append(world.ticks.reshape(by_world)[:, 0].copy())
            raw.rewards.append(world.rewards.reshape(by_world).astype(np.float64))
            raw.invalid.append(world.invalid.reshape(by_world).any(axis=1))
            return ended

        def recording_finished(world):
            episodes = finished(world)
            raw.episodes.extend(dict(episode) for episode in episodes)
            return episodes

        patch.setattr(kind, "step", recording_step)
        patch.setattr(kind, "finished", recording_finished)

    for kind in (NativeWorld, GymWorld):
        watch(kind)
    return raw


@pytest.fixture(scope="module", params=GAMES)
def trained(request, tmp_path_factory):
    config = compose(request.param, words=[*SMALL, *GAMES[request.param]])
    with pytest.MonkeyPatch.context() as patch:
        raw = recorded(patch)
        with begin(Store(tmp_path_factory.mktemp("runs")), config) as run:
            loop = Loop(config, run, [])
            loop.go()
    with Evaluator(run) as evaluator:
        while evaluator.waiting():
            evaluator.work()
    board = TensorBoard(run)
    board.close()
    windows = [json.loads(line) for line in run.paths.windows.read_text().splitlines()]
    rows = read_episodes(run.paths.episodes)
    learners = loop.trainer.windows.learners  # bool [worlds, roles]
    return SimpleNamespace(
        game=request.param, raw=raw, run=run, windows=windows, rows=rows, spec=loop.trainer.spec,
        learners=np.broadcast_to(learners, (config.ppo.num_envs, learners.shape[1])),
    )  # fmt: skip


# ---------------------------------------------------------------- windows.jsonl


def flat(parts):
    return np.concatenate(parts)


def episodes_of(t, window):
    """Episodes whose last step lies in a window, in the order of their ends."""
    worlds = t.raw.ticks[0].size
    ended = [e for e in t.raw.episodes if ((e["step"] - 1) * worlds + e["world"]) // WINDOW == window]
    return sorted(ended, key=lambda e: (e["step"], e["world"]))


def returns_of(t, episode):
    """Sums of what each role was paid in an episode."""
    steps = slice(episode["step"] - int(episode["length"]), episode["step"])
    paid = np.array([rewards[episode["world"]] for rewards in t.raw.rewards[steps]])
    names = np.array(t.spec.roles)
    return {role: paid[:, names == role].mean(axis=1).sum() for role in t.spec.role_names}


def centre(values):
    """Mean and median; None of nothing."""
    return (float(np.mean(values)), float(np.median(values))) if len(values) else (None, None)


def share(hits):
    return float(np.mean(hits)) if len(hits) else None


def expected_window(t, row):
    """Every column of a window that is not an update's, from the record alone."""
    number, spec = row["window_id"], t.spec
    start, end = number * WINDOW, (number + 1) * WINDOW
    ended, before = episodes_of(t, number), [e for w in range(number) for e in episodes_of(t, w)]
    roles = spec.role_names
    learns = np.tile(t.learners[:, 0], len(t.raw.ticks))[start:end]
    paid = flat([r.mean(axis=1, keepdims=True) if len(roles) == 1 else r for r in t.raw.rewards])[
        start:end, 0
    ]
    own = {
        role: [returns_of(t, e)[role] for e in ended if t.learners[e["world"], i]]
        for i, role in enumerate(roles)
    }
    out = {
        "schema_version": 2, "run_id": t.run.run_id, "window_id": number, "window_complete": True, "stage": 0,
        "env_steps_start": start, "env_steps_end": end, "env_steps_in_window": WINDOW, "env_steps_total": end,
        "ticks_in_window": flat(t.raw.ticks)[start:end].sum(), "ticks_total": flat(t.raw.ticks)[:end].sum(),
        "episodes_completed": len(ended), "episodes_total": len(before) + len(ended),
        "terminated_episodes": sum(e["terminated"] for e in ended),
        "truncated_episodes": sum(e["truncated"] for e in ended),
        "reward_sum": paid[learns].sum(), "reward_mean": paid[learns].sum() / learns.sum(),
        "invalid_action_rate": flat(t.raw.invalid)[start:end].mean(),
        "return_mean": centre(own[roles[0]])[0], "return_median": centre(own[roles[0]])[1],
    }  # fmt: skip
    for role in roles if len(roles) > 1 else ():
        out[f"{role}_return_mean"], out[f"{role}_return_median"] = centre(own[role])
    for field in spec.episode:
        values = [e[field.name] for e in ended] if field.size == 1 else []
        if field.size == 1 and field.kind == "measure" and field.name != "return":
            for name in filter(None, (field.name, field.alias)):
                out[f"{name}_mean"], out[f"{name}_median"] = centre(values)
        if field.kind == "flag":
            out[f"{field.name}_rate"] = share(np.array(values) == 1)
        if field.kind == "code":
            for code, label in enumerate(field.labels):
                out |= {f"{label}_rate": share(np.array(values) == code)} if label != "none" else {}
    if not own[roles[0]]:
        out["return_mean"] = (
            0.0  # a number in every row, as the file's form has it; the median says that none ended
        )
    return out | expected_wins(t, ended)


def expected_wins(t, ended):
    """Wins of each role's learner, in all and by opponent; whom it met is in episodes.csv alone."""
    met = {(int(row["world"]), int(row["seed"])): row for row in t.rows}
    out = {}
    for outcome in (o for o in t.spec.outcomes if o.means == "win"):
        won = {}
        for e in ended:
            kind = met[e["world"], e["seed"]][f"{outcome.role}_opponent"]
            label = t.spec.outcome.labels[int(e[outcome.field])]
            won.setdefault(kind, []).append(label == outcome.equals)
        name = f"{outcome.role}_win_rate"
        out[name] = share([hit for kind, hits in won.items() if kind for hit in hits])
        out |= {f"{name}_vs_{kind}": share(won.get(kind, [])) for kind in ("current", "past", "scripted")}
    return out


def update_columns_of(t, row):
    return {name for name in row for role in t.spec.role_names if name.removeprefix(f"{role}_") in UPDATE}


def test_every_column_of_a_window_is_what_the_worlds_gave(trained):
    last = 0.0
    for row in trained.windows:
        expected = expected_window(trained, row)
        unknown = set(row) - set(expected) - update_columns_of(trained, row) - MEASURED
        assert unknown == set(), "a column that nothing recomputes"
        for name, value in expected.items():
            if name in row:
                close = (
                    value
                    if value is None or isinstance(value, str)
                    else pytest.approx(value, rel=1e-5, abs=1e-6)
                )
                assert row[name] == close, (row["window_id"], name)
        assert all(np.isfinite(row[name]) for name in update_columns_of(trained, row))
        assert row["seconds"] > last, "seconds of training, which only grow"
        last = row["seconds"]


def test_every_column_that_the_spec_promises_is_written(trained):
    names = set(expected_window(trained, trained.windows[0]))
    assert names - set(trained.windows[0]) == set()


# ---------------------------------------------------------------- episodes.csv

ENDS = {"duration_sec": "duration_s", "reward_sum": "return"}


def expected_cell(t, row, column, episode):
    """A cell from the record; None where the game does not say."""
    spec, roles = t.spec, t.spec.role_names
    name = ENDS.get(column, column)
    own = next((role for role in roles if column.startswith(f"{role}_")), None)
    labels = next((f.labels for f in spec.episode if f.name == name and f.labels), None)
    if column == "terminal_reason":
        labels = next((f.labels for f in spec.episode if f.name == "reason"), None)
        return labels[int(episode["reason"])] if labels else None
    if labels:
        return labels[int(episode[name])]
    if own and len(roles) > 1:
        rest = column.removeprefix(f"{own}_")
        total = returns_of(t, episode)[own]
        return {
            "reward_sum": total, "reward_mean": total / episode["length"], "steps": episode["length"],
            "avg_distance": episode.get(f"{own}_distance"),
        }[rest]  # fmt: skip
    total = returns_of(t, episode)[roles[0]]
    known = {"steps": episode["length"], "reward_sum": total, "reward_mean": total / episode["length"]}
    known["window_id"] = ((episode["step"] - 1) * t.raw.ticks[0].size + episode["world"]) // WINDOW
    if column in known:
        return known[column]
    return episode.get(name)


def learned_from(t, column):
    """Whether a column is of the update that followed, or of the choice of opponents."""
    names = [column, *(column.removeprefix(f"{role}_") for role in t.spec.role_names)]
    return any(name in UPDATE for name in names) or column.endswith("_opponent")


def test_every_cell_of_an_episode_is_what_its_world_gave(trained):
    t = trained
    by_origin = {(e["world"], e["seed"]): e for e in t.raw.episodes}
    counted = [e for window in range(len(t.windows)) for e in episodes_of(t, window)]
    assert len(t.rows) == len(counted) > 5, "few enough for all of them to be written"
    assert [int(row["episode"]) for row in t.rows] == list(range(len(t.rows)))
    for row in t.rows:
        episode = by_origin[int(row["world"]), int(row["seed"])]
        assert row["episode_id"] == row["episode"]
        for column in set(row) - {"episode", "episode_id"}:
            if learned_from(t, column):
                continue
            value = expected_cell(t, row, column, episode)
            if value is None:
                assert row[column] == "", f"{column} is not the game's"
            elif isinstance(value, str):
                assert row[column] == value, column
            elif column == "seed":
                assert int(row[column]) == value
            else:
                # the game's own sum of a role's rewards and ours may add in another order
                assert float(row[column]) == pytest.approx(float(value), rel=1e-3, abs=0.2), (column, episode)


# ---------------------------------------------------------------- evaluations.jsonl

RATED = re.compile(r"_rating$|^value(_low|_high)?$|^intervals$")
IDENTITY = {
    "schema_version",
    "window_id",
    "checkpoint_sha256",
    "env_steps_total",
    "evaluator_pid",
    "episodes",
}


def expected_evaluation(t, policies):
    """Shares and means of the episodes that these policies play on the held-out seeds."""
    seeds, spec = seeding.held_out("select", JUDGED), t.spec
    if len(spec.role_names) == 1:
        played = play(spec.address, next(iter(policies.values())), seeds, spec.settings)
        out = {}
        for field in (f for f in spec.episode if f.size == 1):
            values = played.column(field.name)
            if field.kind == "measure":
                out[f"{field.name}_mean"] = values.mean()
            elif field.kind == "flag":
                out[f"{field.name}_rate"] = (values == 1).mean()
            else:
                out |= {f"{label}_rate": (values == i).mean() for i, label in enumerate(field.labels) if i}
        sign = -1 if spec.headline.better == "lower" else 1
        return out | {"value": sign * played.column(spec.headline.name).mean()}
    played = play(spec.address, policies, seeds, spec.settings)
    first = spec.role_names[0]
    won = {o.role: spec.outcome.labels.index(o.equals) for o in spec.outcomes if o.means == "win"}
    winner = played.column(spec.outcome.name)
    drawn = [
        spec.outcome.labels.index(o.equals) for o in spec.outcomes if (o.role, o.means) == (first, "draw")
    ]
    return {
        f"{first}_win_rate": (winner == won[first]).mean(), "draw_rate": np.isin(winner, drawn).mean(),
        "duration_s_mean": played.column("duration_s").mean(),
    }  # fmt: skip


def expected_scores(t, policies, row):
    """Scores against single bots, of the names that the row has."""
    import sandlot

    seeds, spec, out = seeding.held_out("select", JUDGED), t.spec, {}
    for name in row:
        if found := re.fullmatch(r"(\w+)_beats_(\w+)_(\d)", name):
            role, bot, level = found[1], found[2], int(found[3])
            (other,) = set(spec.role_names) - {role}
            opponent = sandlot.bot(spec.game, bot, level, spec.settings, seed=level)
            winner = play(spec.address, {role: policies[role], other: opponent}, seeds, spec.settings).column(
                "winner"
            )
            points = {spec.outcome.labels.index(o.equals): {"win": 1.0, "draw": 0.5, "loss": 0.0}[o.means]
                      for o in spec.outcomes if o.role == role}  # fmt: skip
            out[name] = np.mean([points.get(int(code), 0.0) for code in winner])
    return out


def test_every_column_of_an_evaluation_is_what_is_played_on_the_held_out_seeds(trained):
    rows = [json.loads(line) for line in trained.run.paths.evaluations.read_text().splitlines()]
    assert [row["window_id"] for row in rows] == [0, 1, 2]
    for row in rows:
        path = trained.run.paths.checkpoint(row["window_id"])
        states = unpack(path.read_bytes(), path.name)["policies"]
        policies = {role: Policy.from_state(state) for role, state in states.items()}
        expected = expected_evaluation(trained, policies) | expected_scores(trained, policies, row)
        unknown = {name for name in set(row) - set(expected) - IDENTITY if not RATED.search(name)}
        assert unknown == set() and set(expected) <= set(row)
        for name, value in expected.items():
            assert row[name] == pytest.approx(float(value), rel=1e-5, abs=1e-6), name
        assert row["episodes"] == JUDGED and row["env_steps_total"] == (row["window_id"] + 1) * WINDOW
        for name, (low, high) in row["intervals"].items():
            assert low <= row[name] <= high, name
    ratings = [name for name in rows[0] if name.endswith("_rating")]
    assert len(ratings) == (2 if len(trained.spec.role_names) > 1 else 0)
    for name in ratings:  # a rating is a fit of the scores: better scores, a higher rating
        role = name.removesuffix("_rating")
        total = [sum(v for k, v in row.items() if k.startswith(f"{role}_beats_")) for row in rows]
        order = np.argsort([row[name] for row in rows])
        assert [total[i] for i in order] == pytest.approx(sorted(total), abs=0.5)
    if ratings:
        assert all(row["value"] == pytest.approx(np.mean([row[name] for name in ratings])) for row in rows)


# ---------------------------------------------------------------- TensorBoard


def test_every_scalar_of_tensorboard_is_a_number_of_its_row(trained):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(trained.run.paths.tensorboard))
    events.Reload()
    evaluations = [json.loads(line) for line in trained.run.paths.evaluations.read_text().splitlines()]
    length = [[e["length"] for e in episodes_of(trained, row["window_id"])] for row in trained.windows]
    tags = events.Tags()["scalars"]
    assert {"rollout/ep_rew_mean", "rollout/ep_len_mean", "time/fps", "window/episodes_completed"} <= set(
        tags
    )
    for tag in tags:
        group, name = tag.split("/", 1)
        source = evaluations if group == "evaluation" else trained.windows
        by_step = {row["env_steps_total"]: (i, row) for i, row in enumerate(source)}
        for event in events.Scalars(tag):
            i, row = by_step[event.step]
            if tag in ("rollout/ep_len_mean", "episode/steps"):
                expected = np.mean(length[i])
            elif tag in ("rollout/ep_rew_mean", "episode/reward_sum"):
                expected = row["return_mean"]
            elif tag == "time/fps":
                expected = row["env_steps_total"] / row["seconds"]
            elif tag == "time/total_timesteps":
                expected = event.step
            elif group == "episode":
                found = re.fullmatch(r"(\w+)_reward_sum", name)
                expected = row[f"{found[1]}_return_mean"] if found else row[name]
            else:
                expected = row[name if group in ("window", "evaluation") else f"{group}_{name}"]
            assert event.value == pytest.approx(expected, rel=1e-5), (tag, event.step)


# ---------------------------------------------------------------- what does not move


def varies(values):
    return len({str(value) for value in values}) > 1


def test_no_column_is_constant_without_a_reason(trained):
    """Over windows, and over episodes; empty ones are what a game does not say, which other tests compare."""
    columns = {name: [row.get(name) for row in trained.windows] for name in trained.windows[0]}
    cells = {name: [row[name] for row in trained.rows] for name in trained.rows[0]}
    still = {name for name, values in columns.items() if not varies(values) and values[0] is not None}
    still -= {name for name in still if name.endswith("_median") and varies(columns[f"{name[:-7]}_mean"])}
    still |= {name for name, values in cells.items() if not varies(values) and values[0] != ""}
    reasons = {*CONSTANT, *(name for name in still if learned_from(trained, name))}
    assert {name for name in still - reasons if not re.search(STILL[trained.game], name)} == set()


def test_both_endings_occur_and_each_episode_has_one(trained):
    rows = trained.windows
    ended = {name: sum(row[f"{name}_episodes"] for row in rows) for name in ("terminated", "truncated")}
    both = sum(
        e["terminated"] and e["truncated"] for row in rows for e in episodes_of(trained, row["window_id"])
    )
    assert sum(ended.values()) - both == sum(row["episodes_completed"] for row in rows)
    assert ended["terminated"] > 0 and (ended["truncated"] > 0 or trained.game == "tag"), (
        "a match has a clock"
    )
    assert both == 0 or trained.game.startswith("gym:"), "an env may say both in one step"
