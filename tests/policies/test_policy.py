"""A policy at play: its draws, its device of randomness, its memory, and where a run keeps it."""

import numpy as np
import pytest
import torch
from refusals import refused

from sandlot.errors import ArrayError, CheckpointError
from sandlot.policies import Policy, load_policy
from sandlot.policies.config import NetworkConfig
from sandlot.policies.policy import FORMAT, MOST_DIRECTIONS, named_entries
from sandlot.worlds import load_spec

TAG = load_spec("tag")


def policy(role="seeker", seed=0, **shape) -> Policy:
    return Policy(TAG, role, NetworkConfig(hidden_sizes=(8,), **shape), seed)


def seen(rows=64):
    return np.random.default_rng(0).normal(size=(rows, TAG.observation_size)).astype(np.float32)


def test_a_policy_is_built_from_these_settings_unless_told_otherwise():
    assert dict(Policy(TAG, "seeker").config) == {
        "hidden_sizes": (128, 128),
        "activation": "relu",
        "recurrent_size": 0,
        "cnn": "auto",
        "squash": False,
        "head": "auto",
        "num_directions": 16,
        "normalize_observations": True,
        "min_std": 0.0,
        "min_std_exempt": (),
        "masked_features": (),
    }
    assert FORMAT == "sandlot_policy_v2" and MOST_DIRECTIONS == 1024


def test_a_policy_draws_unless_it_is_asked_to_be_greedy():
    made = policy()
    assert made.greedy is False
    first, second = (made.act(seen())[0] for _ in range(2))
    assert not np.array_equal(first, second)
    made.greedy = True
    first, second = (made.act(seen())[0] for _ in range(2))
    assert np.array_equal(first, second)
    outputs, _ = made.outputs(seen())
    assert np.array_equal(first, made.head.to_env(made.head.mode(outputs, None)))


@pytest.mark.parametrize("seed", [0, 1, 7, 2**63 - 1, 2**63 + 7, 2**64 - 1])
def test_reseeding_begins_the_draws_anew_by_the_lower_63_bits(seed):
    made = policy()
    made.reseed(seed)
    first = made.act(seen())[0]
    made.reseed(seed & (2**63 - 1))
    assert np.array_equal(first, made.act(seen())[0])
    for other in (seed ^ 1, seed ^ 2, seed ^ 2**31):  # PyTorch's generator takes 32 bits in
        made.reseed(other)
        assert not np.array_equal(first, made.act(seen())[0])


def test_values_are_the_last_output():
    made = policy()
    outputs, _ = made.outputs(seen(5))
    assert np.array_equal(made.values(seen(5)), outputs[:, -1].detach().numpy())


@pytest.mark.parametrize("shape", [(5,), (5, 3), (2, 5, 156), (156,)])
def test_rows_of_another_width_are_refused_with_both_sizes(shape):
    with pytest.raises(ArrayError, match=r"expected \[rows, 156\]"):
        policy().outputs(np.zeros(shape, np.float32))


def test_memory_is_forgotten_on_the_rows_where_an_episode_ended():
    made = policy(recurrent_size=4)
    _, state = made.act(seen(3))
    made.restart(state, np.array([False, True, False]))
    assert not state[1].any() and state[0].any() and state[2].any()
    made.restart(None, np.array([True]))  # a policy without memory has nothing to forget


@pytest.mark.parametrize("normalise", [True, False])
def test_what_a_network_sees_can_be_written_into_a_given_place(normalise):
    made = policy(normalize_observations=normalise, masked_features=("rays",))
    rows = torch.from_numpy(seen(3))
    fresh = made.normalize(rows)
    place = torch.zeros_like(fresh)
    assert made.normalize(rows, out=place) is place and torch.equal(place, fresh)
    assert fresh.shape[1] < TAG.observation_size


def test_a_policy_under_the_name_of_another_role_is_the_same_network():
    made = policy("shared")
    hider = made.for_role("hider")
    assert (hider.role, hider.name, made.role) == ("hider", "tag hider", "shared")
    assert hider.network is made.network and hider.normalizer is made.normalizer


def test_a_named_part_is_a_field_or_one_of_its_labels():
    prospector = load_spec("prospector")
    whole = named_entries(prospector, ["asteroids"], "here")
    iron = named_entries(prospector, ["asteroids.iron"], "here")
    field = prospector.entry("asteroids")
    assert whole.sum() == field.size and whole[field.slice].all()
    place = field.labels.index("iron")
    assert np.flatnonzero(iron).tolist() == list(
        range(field.start + place, field.start + field.size, len(field.labels))
    )
    assert not named_entries(prospector, [], "here").any()


# ---------------------------------------------------------------- files


def test_the_reason_why_a_policy_cannot_be_rebuilt_is_in_the_sentence():
    state = policy().state()
    state["head"] = {"table": torch.zeros(3)}
    with pytest.raises(CheckpointError, match=r"cannot be rebuilt .* \(RuntimeError: Error\(s\) in loading"):
        Policy.from_state(state)
    with pytest.raises(CheckpointError, match="format None"):
        Policy.from_state({})
    with pytest.raises(CheckpointError, match="format 'list'"):
        Policy.from_state([])


@pytest.mark.parametrize(("directions", "good"), [(MOST_DIRECTIONS, True), (MOST_DIRECTIONS + 1, False)])
def test_a_table_may_have_so_many_directions(directions, good):
    state = Policy(TAG, "seeker", NetworkConfig(hidden_sizes=(2,), num_directions=directions)).state()
    if good:
        assert Policy.from_state(state).config.num_directions == directions
    else:
        with pytest.raises(CheckpointError, match="weights have another shape"):
            Policy.from_state(state)


@pytest.fixture
def run(tmp_path):
    """A run folder with policies by name: run(best=…, policy_seeker=…, ckpt_000001=…)."""
    folder = tmp_path / "checkpoints"
    folder.mkdir()

    def make(**policies):
        for name, made in policies.items():
            (folder / f"{name}.pt").write_bytes(made.to_bytes())
        return tmp_path

    return make


def bias(made):
    return made.network.last.bias[0].item()


def marked(number, role="seeker"):
    made = policy(role)
    made.network.last.bias.data[0] = number
    return made


def test_of_a_run_its_best_is_loaded_else_that_of_the_role_else_the_newest(run):
    folder = run(ckpt_000001=marked(1.0), ckpt_000002=marked(2.0))
    assert bias(load_policy(folder)) == bias(load_policy(folder, "seeker")) == 2.0
    run(policy_seeker=marked(3.0))
    assert bias(load_policy(folder)) == 2.0 and bias(load_policy(folder, "seeker")) == 3.0
    run(best=marked(4.0))
    assert bias(load_policy(folder)) == bias(load_policy(folder, "seeker")) == 4.0


def test_a_run_without_a_checkpoint_is_said_to_have_none(tmp_path, run):
    folder = run()
    with refused(tmp_path, CheckpointError, "has no checkpoint yet"):
        load_policy(folder)


def test_a_shared_policy_is_loaded_for_the_role_that_was_asked_for(tmp_path):
    path = tmp_path / "shared.pt"
    path.write_bytes(policy("shared").to_bytes())
    assert load_policy(path).role == "shared" and load_policy(path, "hider").role == "hider"


def test_a_policy_of_one_role_is_not_loaded_for_another(tmp_path):
    path = tmp_path / "policy_hider.pt"
    path.write_bytes(policy("hider").to_bytes())
    assert load_policy(path).role == load_policy(path, "hider").role == "hider"
    with refused(tmp_path, CheckpointError, r"policy_hider\.pt has a policy for hider, not for 'seeker'"):
        load_policy(path, "seeker")


@pytest.mark.parametrize("part", ["torso.0.weight", "cell.weight_hh"])
def test_a_file_whose_weights_have_another_shape_than_it_claims_is_refused_before_a_network_is_built(part):
    state = policy(recurrent_size=4).state()
    if part not in state["network"]:
        part = next(name for name, w in state["network"].items() if name.startswith("torso.") and w.ndim == 2)
    wide = state["network"][part]
    state["network"][part] = torch.zeros(wide.shape[0] + 1, wide.shape[1] + 1)
    with pytest.raises(CheckpointError, match="its weights have another shape"):
        Policy.from_state(state)


def test_a_weight_without_the_bytes_of_its_shape_is_refused():
    state = policy().state()
    part = next(name for name, w in state["network"].items() if w.ndim == 2)
    state["network"][part] = torch.zeros(1).expand(state["network"][part].shape)
    with pytest.raises(CheckpointError, match="its weights have another shape"):
        Policy.from_state(state)
