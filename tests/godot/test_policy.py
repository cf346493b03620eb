"""A policy that left as ONNX gives the same answers in a stock Godot as everywhere else."""

import json

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

import sandlot
from sandlot.bridge.godot_process import GodotProcess
from sandlot.errors import CheckpointError
from sandlot.policies import Policy
from sandlot.policies.config import NetworkConfig
from sandlot.policies.export import export_onnx

CHECK = "res://tests/policy_check.gd"
LIMIT_S = 120
CASES = {
    "table": ("tag", "seeker", "table", {}, False),
    "gaussian with memory": ("tag", "hider", "gaussian", {"recurrent_size": 20}, False),
    "mixed, not normalised": (
        "tag",
        "seeker",
        "mixed",
        {"normalize_observations": False, "activation": "tanh"},
        False,
    ),
    "masked choice": ("prospector", "pilot", "auto", {}, False),
    "bytes": ("tag", "seeker", "mixed", {"recurrent_size": 16}, True),
}


def policy(game: str, role: str, head: str, **shape) -> Policy:
    """With opinions, as if it had been trained for a while."""
    made = Policy(
        sandlot.load_spec(game), role, NetworkConfig(head=head, **{"hidden_sizes": (32, 24), **shape}), seed=3
    )
    with torch.no_grad():
        made.network.last.weight *= 100
    if made.normalizer is not None:
        seen = np.random.default_rng(1).normal(0.2, 0.7, (400, made.spec.observation_size))
        made.normalizer.update(seen)
    return made


def run(engine, project, *words) -> tuple[int, str]:
    arguments = ["--script", CHECK, "--", *map(str, words)]
    with GodotProcess(arguments, project=project, engine=engine) as process:
        ended = process.wait(LIMIT_S)
        return ended.code, ended.output


def seen_in(game: str, count: int) -> tuple[np.ndarray, np.ndarray | None]:
    with sandlot.make(game, worlds=count, seed=1) as world:
        world.reset()
        rows = slice(0, count)
        return world.observations[rows].copy(), None if world.masks is None else world.masks[rows].copy()


def answers_of_onnxruntime(path, observations, masks, memory):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    state, expected = np.zeros((1, memory), np.float32), []
    for i in range(len(observations)):
        given = {"observations": observations[i : i + 1]}
        if masks is not None:
            given["masks"] = masks[i : i + 1].astype(np.float32)
        if memory:
            given["state"] = state
        seen = dict(zip(names, session.run(None, given), strict=True))
        state = seen.get("next_state", state)
        expected.append(seen)
    return expected


@pytest.mark.parametrize("case", CASES, ids=str)
def test_godot_answers_as_onnxruntime_does(case, engine, project, tmp_path):
    game, role, head, shape, int8 = CASES[case]
    made = policy(game, role, head, **shape)
    path = tmp_path / "policy.onnx"
    export_onnx(made, path, int8=int8)
    observations, masks = seen_in(game, 24)
    cases = [{"observation": row.tolist()} for row in observations]
    if masks is not None:
        cases = [case | {"mask": mask.tolist()} for case, mask in zip(cases, masks, strict=True)]
    (tmp_path / "case.json").write_text(json.dumps(cases))

    code, log = run(engine, project, path, tmp_path / "case.json", tmp_path / "out.json")
    assert code == 0, log
    godot = json.loads((tmp_path / "out.json").read_text())
    wanted = answers_of_onnxruntime(path, observations, masks, shape.get("recurrent_size", 0))
    for mine, theirs in zip(godot, wanted, strict=True):
        for name in set(theirs) - {"value"}:
            np.testing.assert_allclose(mine[name], theirs[name].ravel(), rtol=1e-3, atol=1e-3, err_msg=name)


def test_the_likeliest_action_is_the_one_that_python_takes(engine, project, tmp_path):
    made = policy("tag", "seeker", "mixed")
    export_onnx(made, tmp_path / "policy.onnx")
    observations, _ = seen_in("tag", 16)
    (tmp_path / "case.json").write_text(json.dumps([{"observation": row.tolist()} for row in observations]))
    code, log = run(engine, project, tmp_path / "policy.onnx", tmp_path / "case.json", tmp_path / "out.json")
    assert code == 0, log
    loaded = sandlot.load_policy(tmp_path / "policy.onnx")
    loaded.greedy = True
    wanted, _ = loaded.act(observations)
    found = [row["action"] for row in json.loads((tmp_path / "out.json").read_text())]
    np.testing.assert_allclose(found, wanted, atol=1e-3)


@pytest.mark.parametrize("damage", ["cut", "noise", "empty", "text"])
def test_a_damaged_file_is_refused_in_words(damage, engine, project, tmp_path):
    path = tmp_path / "policy.onnx"
    export_onnx(policy("tag", "seeker", "table"), path)
    whole = path.read_bytes()
    noise = np.random.default_rng(2).integers(0, 256, 500, np.uint8).tobytes()
    path.write_bytes(
        {"cut": whole[: len(whole) // 2], "noise": noise, "empty": b"", "text": b"hello"}[damage]
    )
    (tmp_path / "case.json").write_text("[]")
    code, log = run(engine, project, path, tmp_path / "case.json", tmp_path / "out.json")
    assert code == 2
    assert "policy.onnx" in log and "SCRIPT ERROR" not in log


def changed(path, change):
    """An exported policy, changed; what Godot says of it."""
    model = onnx.load(path)
    change(model, {fact.key: fact for fact in model.metadata_props})
    onnx.save(model, path)


def rename(model, facts):
    model.graph.node[0].op_type = "Conv"


REFUSED = {
    "Conv": rename,
    "its head is": lambda model, facts: setattr(facts["head"], "value", "[]"),
    "known are categorical": lambda model, facts: setattr(facts["head"], "value", '{"kind": "tree"}'),
    "no policy of Sandlot": lambda model, facts: setattr(facts["format"], "value", "other"),
    "its metadata says 7": lambda model, facts: setattr(facts["observation_size"], "value", "7"),
    "memory is no number": lambda model, facts: setattr(facts["memory"], "value", "much"),
    "the bound high": lambda model, facts: setattr(
        facts["head"], "value", '{"kind": "mixed", "numbers": 2, "buttons": 1, "high": [1, 2, 3, 4, 5]}'
    ),
}


@pytest.mark.parametrize("words", REFUSED, ids=str)
def test_a_file_that_cannot_be_played_is_refused_by_name(words, engine, project, tmp_path):
    path = tmp_path / "policy.onnx"
    export_onnx(policy("tag", "seeker", "mixed"), path)
    changed(path, REFUSED[words])
    (tmp_path / "case.json").write_text("[]")
    code, log = run(engine, project, path, tmp_path / "case.json", tmp_path / "out.json")
    assert code == 2 and words in log and "SCRIPT ERROR" not in log, log


def test_actions_are_held_to_the_bounds_that_the_file_names(engine, project, tmp_path):
    path = tmp_path / "policy.onnx"
    made = policy("tag", "seeker", "gaussian")
    with torch.no_grad():
        made.network.last.weight *= 10
    export_onnx(made, path)
    bounds = '{"kind": "gaussian", "numbers": 3, "low": [-30, -0.01, -1], "high": [30, 0.01, 1]}'
    changed(path, lambda model, facts: setattr(facts["head"], "value", bounds))
    observations, _ = seen_in("tag", 16)
    (tmp_path / "case.json").write_text(json.dumps([{"observation": row.tolist()} for row in observations]))
    code, log = run(engine, project, path, tmp_path / "case.json", tmp_path / "out.json")
    assert code == 0, log
    rows = json.loads((tmp_path / "out.json").read_text())
    wanted = np.clip([row["mean"] for row in rows], [-30, -0.01, -1], [30, 0.01, 1])
    np.testing.assert_allclose([row["action"] for row in rows], wanted, atol=1e-6)
    assert np.abs(wanted[:, 0]).max() > 1, "the first number was never beyond 1"
    with pytest.raises(CheckpointError, match=r"from \[-30"):
        sandlot.load_policy(path)
