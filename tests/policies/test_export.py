"""A policy as ONNX: the same answers, from a file that says what it is, and nothing else is let in."""

from __future__ import annotations

import json
import os

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import helper

import sandlot
from sandlot.errors import ArrayError, CheckpointError, ConfigError, SpecMismatch
from sandlot.policies import Policy
from sandlot.policies.compare import compare, measure_speed, record_trajectory, single_thread
from sandlot.policies.config import NetworkConfig
from sandlot.policies.distill import agreement, distill
from sandlot.policies.export import DIGEST, OPS, digest_of, export_onnx, to_onnx
from sandlot.policies.exported import OnnxPolicy, load_onnx
from sandlot.policies.godot_rl import export_godot_rl

HEADS = [("tag", "seeker", "table"), ("tag", "hider", "gaussian"), ("tag", "seeker", "mixed"),
         ("prospector", "pilot", "auto")]  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small networks: two threads would mostly wait for each other."""
    with single_thread():
        yield


def policy(game="tag", role="seeker", head="auto", seed=3, **shape) -> Policy:
    """A policy with opinions: as if it had been trained for a while."""
    made = Policy(
        sandlot.load_spec(game),
        role,
        NetworkConfig(head=head, **{"hidden_sizes": (32, 24), **shape}),
        seed=seed,
    )
    with torch.no_grad():
        made.network.last.weight *= 100
    if made.normalizer is not None:
        size = made.spec.observation_size
        made.normalizer.update(np.random.default_rng(1).normal(0.2, 0.7, (400, size)))
    return made


def rows(game: str, count: int = 64) -> tuple[np.ndarray, np.ndarray | None]:
    with sandlot.make(game, worlds=count, seed=1) as world:
        world.reset()
        return world.observations.copy(), None if world.masks is None else world.masks.copy()


# ---------------------------------------------------------------- the same answers


@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("memory", [0, 20])
@pytest.mark.parametrize(("game", "role", "head"), HEADS)
def test_every_head_answers_as_pytorch_does_on_its_own_play(tmp_path, game, role, head, memory, normalise):
    made = policy(
        game, role, head, recurrent_size=memory, normalize_observations=normalise, activation="tanh"
    )
    report = export_onnx(made, tmp_path / "p.onnx")
    assert report.rows >= 700 and report.max_difference < 1e-4
    assert report.greedy_agreement == 1.0 and report.drawn_agreement > 0.99


@pytest.mark.parametrize("normalise", [True, False])
def test_what_a_policy_is_blind_to_counts_nothing_in_its_file_either(tmp_path, normalise):
    shape = NetworkConfig(
        hidden_sizes=(24, 16),
        masked_features=("asteroids.iron", "price_norm"),
        normalize_observations=normalise,
        min_std=0.2,
    )
    made = Policy(sandlot.load_spec("prospector"), "pilot", shape, seed=3)
    assert export_onnx(made, tmp_path / "p.onnx").max_difference < 1e-4
    seen = rows("prospector")[0]
    other = seen.copy()
    other[:, made.spec.field("price_norm")] = 0.9
    file = load_onnx(tmp_path / "p.onnx")
    assert np.array_equal(file.values(seen), file.values(other))


@pytest.mark.parametrize("greedy", [True, False])
@pytest.mark.parametrize(("game", "role", "head"), HEADS)
def test_the_file_acts_like_the_policy_it_was_made_from(tmp_path, game, role, head, greedy):
    made = policy(game, role, head, recurrent_size=16)
    export_onnx(made, tmp_path / "p.onnx")
    loaded = sandlot.load_policy(tmp_path / "p.onnx")
    observations, masks = rows(game)
    states = [None, None]
    for player in (made, loaded):
        player.greedy = greedy
        player.reseed(5)
    for _ in range(4):
        ours, states[0] = made.act(observations, masks, states[0])
        theirs, states[1] = loaded.act(observations, masks, states[1])
        np.testing.assert_allclose(ours, theirs, atol=1e-4)
        loaded.restart(states[1], np.arange(len(observations)) % 2 == 0)
        made.restart(states[0], np.arange(len(observations)) % 2 == 0)
    np.testing.assert_allclose(made.values(observations), loaded.values(observations), rtol=1e-4, atol=1e-4)


def test_the_mask_is_inside_the_graph(tmp_path):
    made = policy("prospector", "pilot")
    export_onnx(made, tmp_path / "p.onnx")
    observations, masks = rows("prospector")
    session = onnxruntime.InferenceSession(tmp_path / "p.onnx")
    fed = {"observations": observations, "masks": masks.astype(np.float32)}
    (logits,) = session.run(["logits"], fed)
    (free,) = session.run(["logits"], fed | {"masks": np.ones_like(masks, np.float32)})
    assert (logits[masks == 0] == np.float32(-1e30)).all()
    assert np.array_equal(logits[masks == 1], free[masks == 1])  # a legal logit keeps its bits


def test_a_difference_is_found_and_nothing_is_written(tmp_path):
    made, other = policy(seed=3), policy(seed=4)
    assert compare(made, OnnxPolicy(to_onnx(other), "other")).max_difference > 0.1
    with torch.no_grad():
        made.network.last.weight[-1, 0] = float("nan")
    with pytest.raises(CheckpointError, match=r"value\.weight holds what is not a number"):
        export_onnx(made, tmp_path / "p.onnx")
    assert list(tmp_path.iterdir()) == []


def test_bytes_for_weights_are_a_third_of_the_size_and_mostly_agree(tmp_path):
    made = policy("prospector", "pilot", hidden_sizes=(128, 128))
    whole = export_onnx(made, tmp_path / "whole.onnx")
    small = export_onnx(made, tmp_path / "small.onnx", int8=True)
    assert small.bytes < whole.bytes / 2.9
    assert small.greedy_agreement > 0.9 and small.int8 and not whole.int8


def test_speed_is_reported_for_each_player_and_batch():
    made = policy()
    result = measure_speed({"pytorch": made, "onnx": OnnxPolicy(to_onnx(made), "p")}, seconds=0.01)
    assert [row["rows"] for row in result] == [1, 64, 1024]
    assert all(row["pytorch"] > 0 and row["onnx"] > 0 for row in result)


# ---------------------------------------------------------------- what is in the file


def test_the_file_says_what_it_is():
    made = policy("prospector", "pilot", recurrent_size=8)
    result = OnnxPolicy(to_onnx(made, run_id="run-1", window_id=12), "p").facts
    assert (result["game"], result["role"], result["spec_hash"]) == ("prospector", "pilot", made.spec.hash)
    assert (result["run_id"], result["window_id"], result["memory"]) == ("run-1", 12, 8)
    assert result["head"] == {"kind": "categorical", "count": 69}
    assert result["actions"] == list(made.spec.action_names) and result["config"] == made.spec.config


def test_a_table_of_actions_travels_exactly():
    made = policy(head="table")
    loaded = OnnxPolicy(to_onnx(made), "p")
    assert torch.equal(made.head.table, loaded.head.table)


@pytest.mark.parametrize("int8", [False, True])
@pytest.mark.parametrize(("game", "role", "head"), HEADS)
def test_only_documented_operators_are_used(game, role, head, int8):
    model = onnx.load_model_from_string(to_onnx(policy(game, role, head, recurrent_size=8), int8=int8))
    assert {node.op_type for node in model.graph.node} <= set(OPS)
    kinds = {onnx.TensorProto.FLOAT, onnx.TensorProto.INT8}
    assert {weight.data_type for weight in model.graph.initializer} <= kinds
    assert (model.opset_import[0].version, model.ir_version) == (13, 8)


def test_the_same_policy_gives_the_same_bytes():
    assert to_onnx(policy()) == to_onnx(policy())


# ---------------------------------------------------------------- what is refused


def changed(data: bytes, **props: str) -> bytes:
    """With other metadata, and a digest that fits them."""
    model = onnx.load_model_from_string(data)
    metadata = {entry.key: entry.value for entry in model.metadata_props if entry.key != DIGEST} | props
    del model.metadata_props[:]
    helper.set_model_props(model, metadata)
    model.metadata_props.add(key=DIGEST, value=digest_of(model))
    return model.SerializeToString()


def with_external_weight(data: bytes) -> bytes:
    model = onnx.load_model_from_string(data)
    weight = model.graph.initializer[0]
    weight.data_location = onnx.TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="/etc/passwd")
    return model.SerializeToString()


def with_strange_operator(data: bytes) -> bytes:
    model = onnx.load_model_from_string(data)
    model.graph.node.append(helper.make_node("Softmax", ["value"], ["extra"]))
    return model.SerializeToString()


@pytest.mark.parametrize(
    ("spoil", "error", "sentence"),
    [
        (lambda data: b"", CheckpointError, "not a policy of ours"),
        (lambda data: data[: len(data) // 2], CheckpointError, "cut off"),
        (lambda data: b"PK\x03\x04" + data, CheckpointError, "not an ONNX file"),
        (lambda data: changed(data, format="other"), CheckpointError, "format 'other'"),
        (lambda data: changed(data, head="{"), CheckpointError, "does not say what it is"),
        (lambda data: changed(data, head="[" * 99_999), CheckpointError, "does not say what it is"),
        (lambda data: changed(data, memory=str(10**12)), CheckpointError, "does not say what it is"),
        (lambda data: changed(data, head='{"kind": "dance"}'), CheckpointError, "does not say what it is"),
        (lambda data: changed(data, spec_hash="0" * 16), SpecMismatch, "trained on tag"),
        (with_external_weight, CheckpointError, "was changed"),
        (with_strange_operator, CheckpointError, "it holds Softmax"),
    ],
)
def test_a_file_that_is_not_ours_is_refused_in_a_sentence(tmp_path, spoil, error, sentence):
    (tmp_path / "p.onnx").write_bytes(spoil(to_onnx(policy())))
    with pytest.raises(error, match=sentence):
        sandlot.load_policy(tmp_path / "p.onnx")


def test_every_flipped_bit_of_an_exported_policy_is_refused():
    data = to_onnx(policy())
    OnnxPolicy(data, "whole")
    for place in np.random.default_rng(7).choice(8 * len(data), 200, replace=False):
        spoiled = bytearray(data)
        spoiled[place // 8] ^= 1 << (place % 8)
        with pytest.raises((CheckpointError, SpecMismatch)):
            OnnxPolicy(bytes(spoiled), "p.onnx")


def test_a_missing_file_another_role_and_rows_of_another_width_are_refused(tmp_path):
    with pytest.raises(CheckpointError, match="There is no file"):
        load_onnx(tmp_path / "none.onnx")
    export_onnx(policy(), tmp_path / "p.onnx")
    with pytest.raises(CheckpointError, match="for seeker, not for 'hider'"):
        sandlot.load_policy(tmp_path / "p.onnx", "hider")
    with pytest.raises(ArrayError, match="expected"):
        sandlot.load_policy(tmp_path / "p.onnx").act(np.zeros((2, 3)))
    with pytest.raises(CheckpointError, match="cannot be saved"):
        sandlot.load_policy(tmp_path / "p.onnx").to_bytes()


def test_a_file_larger_than_any_policy_is_not_even_read(tmp_path):
    path = tmp_path / "p.onnx"
    path.touch()
    os.truncate(path, (256 << 20) + 1)  # without a block on the disk
    with pytest.raises(CheckpointError, match="larger than 256 MiB"):
        load_onnx(path)


# ---------------------------------------------------------------- for the stock plugin


@pytest.mark.parametrize(("game", "role", "head"), HEADS)
def test_the_stock_plugin_gets_the_layout_it_reads(tmp_path, game, role, head):
    made = policy(game, role, head)
    report = export_godot_rl(made, tmp_path / "p.onnx")
    assert report.max_difference < 1e-5 and report.greedy_agreement == 1.0
    session = onnxruntime.InferenceSession(tmp_path / "p.onnx")
    assert {i.name: len(i.shape) for i in session.get_inputs()} == {"obs": 2, "state_ins": 1}
    assert {o.name: len(o.shape) for o in session.get_outputs()} == {"output": 2, "state_outs": 1}
    seen, _ = rows(game, 3)
    fed = {"obs": seen, "state_ins": np.arange(3, dtype=np.float32)}
    found, kept = session.run(["output", "state_outs"], fed)
    assert found.shape == (len(seen), made.spec.action_count or made.spec.action_size)
    assert np.array_equal(kept, fed["state_ins"])


def test_the_stock_plugin_has_no_room_for_memory(tmp_path):
    with pytest.raises(ConfigError, match="has a memory of 8 numbers"):
        export_godot_rl(policy(recurrent_size=8), tmp_path / "p.onnx")


# ---------------------------------------------------------------- students


def test_own_play_begins_with_an_episode_and_marks_where_the_next_begins():
    play = record_trajectory(policy(), worlds=3, steps=5)
    assert play.observations.shape[:2] == (5, 3) and play.masks is None
    assert play.ended[0].all() and not play.ended[1].any()


@pytest.mark.parametrize(("game", "role", "head"), HEADS)
def test_a_student_learns_to_do_what_its_teacher_does(game, role, head):
    teacher = policy(game, role, head)
    untaught = agreement(
        teacher,
        Policy(teacher.spec, role, NetworkConfig(hidden_sizes=(24,), head=head)),
        record_trajectory(teacher, 64, 16),
    )
    student, lesson = distill(teacher, (24,), rounds=10)
    assert lesson.parameters < lesson.teacher_parameters
    assert lesson.agreement > untaught + 0.2
    assert student.spec is teacher.spec and student.role == role


def test_a_teacher_with_memory_has_a_student_with_memory():
    student, lesson = distill(policy(recurrent_size=12), (16, 8), rounds=2)
    assert student.config.recurrent_size == 12 and 0 <= lesson.agreement <= 1
    assert json.dumps(lesson.to_json())


@pytest.mark.parametrize("hidden", [(), (0,), (5000,), (8,) * 9])
def test_a_student_of_no_sensible_size_is_refused(hidden):
    with pytest.raises(ConfigError, match="for example 64,64"):
        distill(policy(), hidden, rounds=1)
