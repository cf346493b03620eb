"""GodotRLModel plays what Stable-Baselines3, godot-rl and PyTorch export, as onnxruntime does."""

import json
import re
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from stable_baselines3 import PPO
from train.toys import Cue, score, train

import sandlot
from sandlot.bridge.godot_addon import addon_folder
from sandlot.bridge.godot_process import GodotProcess
from sandlot.policies import Policy
from sandlot.policies.config import NetworkConfig
from sandlot.policies.export import export_onnx, to_onnx
from sandlot.policies.godot_rl import export_godot_rl
from sandlot.wrappers.gym import GameEnv

from . import exports

CHECK = "res://tests/onnx_check.gd"
LIMIT_S = 240
CLOSE = 1e-5
RECORDED, AT_ONCE = 10_000, 400  # observations; agents in one call


def in_godot(engine, project, folder: Path, cases: list[dict]) -> list[dict]:
    (folder / "cases.json").write_text(json.dumps(cases))
    words = ["--script", CHECK, "--", str(folder / "cases.json"), str(folder / "out.json")]
    with GodotProcess(words, project=project, engine=engine) as process:
        ended = process.wait(LIMIT_S)
        log = process.log.read_text(errors="replace")
    assert ended.code == 0 and "SCRIPT ERROR" not in log, log[-4000:]
    return json.loads((folder / "out.json").read_text())


def session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def played(path, observations: np.ndarray) -> np.ndarray:
    """The first output of onnxruntime for one observation after the other; memory is handed on."""
    running = session(path)
    seen, *states = running.get_inputs()
    outputs = [one.name for one in running.get_outputs()]
    sources = dict(zip([one.name for one in states], outputs[len(outputs) - len(states) :], strict=True))
    memory = {
        one.name: np.zeros([side if isinstance(side, int) else 1 for side in one.shape], np.float32)
        for one in states
    }
    actions = []
    for one in observations:
        answer = dict(zip(outputs, running.run(None, {seen.name: one[None]} | memory), strict=True))
        actions.append(answer[outputs[0]].ravel())
        memory = {name: answer[sources[name]] for name in memory}
    return np.array(actions, np.float64)


def assert_same(found, wanted, what):
    found = np.asarray(found, np.float64)
    assert found.shape == wanted.shape, what
    np.testing.assert_allclose(
        found, wanted, rtol=CLOSE, atol=CLOSE * max(1.0, np.abs(wanted).max()), err_msg=what
    )
    assert (found.argmax(1) == wanted.argmax(1)).all(), what


@pytest.mark.parametrize(
    "dynamo",
    [
        pytest.param(False, id="TorchScript exporter"),
        pytest.param(True, id="dynamo exporter", marks=pytest.mark.slow),
    ],
)
def test_policies_of_other_trainers_are_played_as_onnxruntime_does(dynamo, engine, project, tmp_path):
    """Every recipe of Stable-Baselines3's guide, godot-rl's form, memory and a small CNN."""
    files = exports.stable_baselines3(tmp_path, dynamo) | exports.recurrent(tmp_path, dynamo)
    files["a small CNN"] = exports.small_cnn(tmp_path, dynamo)
    files |= {} if dynamo else exports.plugin(tmp_path)
    rng, seen = np.random.default_rng(5), {}
    for name, (_, shape) in files.items():
        pixels = "pictures" in name
        seen[name] = (
            rng.uniform(0, 255, (3, *shape)) if pixels else rng.normal(0, 1.5, (30, *shape))
        ).astype(np.float32)
    cases = [
        {"path": str(path), "model": True, "inputs": seen[name].reshape(len(seen[name]), -1).tolist()}
        for name, (path, _) in files.items()
    ]
    for (name, (path, _)), found in zip(
        files.items(), in_godot(engine, project, tmp_path, cases), strict=True
    ):
        assert not found["problem"], f"{name}: {found['problem']}"
        assert_same(found["actions"], played(path, seen[name]), name)
    with_data = [path for path, _ in files.values() if path.with_suffix(".onnx.data").exists()]
    assert bool(with_data) == dynamo, "the dynamo exporter puts the weights into a second file"


def recorded(game: str) -> np.ndarray:
    """Observations of random play."""
    rng, seen = np.random.default_rng(11), []
    with sandlot.make(game, worlds=50, seed=3) as world:
        rows = world.rows // 50  # the first agent of each world
        world.reset(seed=3)
        while sum(map(len, seen)) < RECORDED:
            seen.append(world.observations[::rows].copy())
            if world.spec.discrete:
                world.step(rng.integers(0, world.spec.action_count, world.rows).astype(np.int32))
            else:
                world.step(rng.uniform(-1, 1, world.actions.shape).astype(np.float32))
    return np.concatenate(seen)[:RECORDED]


def policy_of(game: str, role: str, head: str) -> Policy:
    made = Policy(sandlot.load_spec(game), role, NetworkConfig(head=head, hidden_sizes=(48, 48)), seed=3)
    with torch.no_grad():
        made.network.last.weight *= 100
    made.normalizer.update(recorded(game)[:500])
    return made


def theirs(path: Path, game: str) -> None:
    env = GameEnv(game)
    policy = exports.sharpened(exports.PolicyAsIs(PPO("MlpPolicy", env, device="cpu", seed=1).policy))
    with torch.no_grad():
        policy.policy.action_net.weight *= 100
    example = torch.zeros(1, *env.observation_space.shape)
    rows = {"input": {0: "rows"}, "actions": {0: "rows"}}
    exports.write(
        path, policy, (example,), ["input"], ["actions"], dynamo=False, dynamic_axes=rows, opset_version=17
    )
    env.close()


@pytest.mark.slow
def test_ten_thousand_recorded_observations_many_agents_at_once(engine, project, tmp_path):
    games = {"export": "tag", "plugin": "prospector", "sb3 axes": "navigation", "sb3 choice": "prospector"}
    export_onnx(policy_of("tag", "seeker", "table"), tmp_path / "export.onnx")
    export_godot_rl(policy_of("prospector", "pilot", "auto"), tmp_path / "plugin.onnx")
    for name, game in games.items():
        recorded(game).tofile(tmp_path / f"{name}.floats")
        if name.startswith("sb3"):
            theirs(tmp_path / f"{name}.onnx", game)
    cases = [
        {
            "path": str(tmp_path / f"{name}.onnx"), "model": True, "rows": AT_ONCE,
            "floats": str(tmp_path / f"{name}.floats"), "actions": str(tmp_path / f"{name}.actions"),
            "wide": sandlot.load_spec(game).observation_size,
        }
        for name, game in games.items()
    ]  # fmt: skip
    for name, case, found in zip(games, cases, in_godot(engine, project, tmp_path, cases), strict=True):
        assert not found["problem"], found["problem"]
        seen = np.fromfile(case["floats"], np.float32).reshape(RECORDED, -1)
        got = np.fromfile(case["actions"], np.float32).reshape(RECORDED, -1)
        wanted = wanted_of(name, case["path"], seen).reshape(got.shape)
        np.testing.assert_allclose(
            got, wanted, rtol=CLOSE, atol=CLOSE * max(1.0, np.abs(wanted).max()), err_msg=name
        )
        chosen = got.argmax(1) if got.shape[1] > 1 else got
        assert (chosen == (wanted.argmax(1) if got.shape[1] > 1 else wanted)).all(), name
        assert len(np.unique(chosen)) > 2, f"{name} does the same thing all the time"


def wanted_of(name: str, path: str, seen: np.ndarray) -> np.ndarray:
    """What onnxruntime says of all observations in one call."""
    running = session(path)
    if name == "export":
        table = np.array(json.loads(_fact(path, "head"))["table"], np.float32)
        return table[running.run(["logits"], {"observations": seen})[0].argmax(1)]
    if name == "plugin":
        return running.run(["output"], {"obs": seen, "state_ins": np.zeros(len(seen), np.float32)})[0]
    return running.run(["actions"], {"input": seen})[0]


def _fact(path, key):
    return next(fact.value for fact in onnx.load(path).metadata_props if fact.key == key)


def test_a_reset_forgets_and_memory_matters(engine, project, tmp_path):
    path, shape = exports.recurrent(tmp_path, False)["LSTM"]
    seen = np.random.default_rng(2).normal(0, 1, (8, *shape)).astype(np.float32)
    case = {"path": str(path), "model": True, "inputs": seen.tolist()}
    kept, fresh = in_godot(engine, project, tmp_path, [case, case | {"reset": True}])
    alone = np.array([played(path, seen[i : i + 1])[0] for i in range(8)])
    assert_same(fresh["actions"], alone, "reset before each")
    assert_same(kept["actions"], played(path, seen), "remembered")
    assert np.abs(np.array(kept["actions"])[1:] - alone[1:]).max() > 1e-3, "memory changes nothing"


def test_a_trained_policy_without_its_memory_does_worse(engine, project, tmp_path):
    """A light shows a side at the first of four steps; the policy has learned to name it at the last."""
    shape = NetworkConfig(hidden_sizes=(32,), recurrent_size=16)
    policy = train(Cue(128), 60, shape).learner.policy
    assert score(policy, Cue(64, seed=9)) == Cue.BEST
    (tmp_path / "cue.onnx").write_bytes(to_onnx(policy))
    sides = [1.0, -1.0]
    episodes = [[[side, 0, 1], [0, 0, 1], [0, 0, 1], [0, 1, 1]] for side in sides]
    case = {"path": str(tmp_path / "cue.onnx"), "model": True}
    cases = [case | {"inputs": seen, "reset": zeroed} for zeroed in (False, True) for seen in episodes]
    named = [found["actions"][-1][0] for found in in_godot(engine, project, tmp_path, cases)]
    assert named[:2] == [1, 0], "it remembers what it saw"
    assert named[2] == named[3], "with its memory at zero it can only guess"


def test_many_agents_remember_each_for_itself(engine, project, tmp_path):
    path, shape = exports.recurrent(tmp_path, False)["LSTM, free rows"]
    seen = np.random.default_rng(3).normal(0, 1, (6, 3, *shape)).astype(np.float32)  # steps, agents
    (found,) = in_godot(
        engine, project, tmp_path, [{"path": str(path), "model": True, "inputs": seen.tolist()}]
    )
    for agent in range(3):
        alone = [step[agent] for step in found["actions"]]
        assert_same(alone, played(path, seen[:, agent]), f"agent {agent}")


def test_what_cannot_be_played_is_a_sentence(engine, project, tmp_path):
    """A second file that is gone or elsewhere, two observations, no file."""
    path = exports.stable_baselines3(tmp_path, True)["DQN"][0]
    data = path.with_suffix(".onnx.data")
    lost = tmp_path / "lost" / path.name
    lost.parent.mkdir()
    lost.write_bytes(path.read_bytes())
    outside = tmp_path / "outside.onnx"
    made = onnx.load(path, load_external_data=False)
    for tensor in made.graph.initializer:
        for entry in tensor.external_data:
            if entry.key == "location":
                entry.value = f"../{tmp_path.name}/{data.name}"
    outside.write_bytes(made.SerializeToString())
    short = tmp_path / "short" / path.name
    short.parent.mkdir()
    short.write_bytes(path.read_bytes())
    (short.parent / data.name).write_bytes(data.read_bytes()[:40])
    uneven = exports.uneven_memory(tmp_path)
    two = tmp_path / "two.onnx"
    inputs = [onnx.helper.make_tensor_value_info(name, 1, [1, 3]) for name in ("left", "right")]
    node = onnx.helper.make_node("Add", ["left", "right"], ["output"])
    output = onnx.helper.make_tensor_value_info("output", 1, [1, 3])
    graph = onnx.helper.make_graph([node], "two", inputs, [output])
    onnx.save(
        onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), two
    )
    expected = {
        lost: "keep the two files together", outside: "expected a file in the same folder",
        short: "beyond the end", two: "the inputs left, right",
        uneven: "the memory h_0, and its output h_n is of another size",
        tmp_path / "none.onnx": "cannot be read",
    }  # fmt: skip
    cases = [{"path": str(place), "model": True, "inputs": []} for place in expected]
    for words, found in zip(expected.values(), in_godot(engine, project, tmp_path, cases), strict=True):
        assert words in found["problem"] and found["problem"].endswith("."), found


def test_the_reader_uses_nothing_that_a_web_export_lacks():
    """No threads, no native library, no process, no renderer; files are opened through the engine alone."""
    folder = addon_folder()
    names = [
        "policy.gd",
        "godot_rl_model.gd",
        "policy_inputs.gd",
        "protobuf.gd",
        "tensor.gd",
        *(p.name for p in folder.glob("onnx*.gd")),
    ]
    assert len(names) > 10
    words = (
        "Thread Mutex Semaphore WorkerThreadPool OS GDExtension RenderingDevice DirAccess JavaClassWrapper"
    )
    lacking = rf"\b({'|'.join(words.split())})\b"
    for name in names:
        text = re.sub(r"#.*", "", (folder / name).read_text())
        text = re.sub(r'"[^"]*"', "", text)
        assert not re.search(lacking, text), f"{name}: {re.search(lacking, text)[0]}"
