"""Policies as files: what leaves comes back the same, and nothing else is let in."""

from __future__ import annotations

import io
import pickle
import zipfile

import numpy as np
import pytest
import torch

import sandlot
from sandlot.digest import seal
from sandlot.errors import CheckpointError, SandlotError, SpecMismatch, UnknownName
from sandlot.policies import Policy
from sandlot.policies.config import NetworkConfig
from sandlot.policies.policy import pack, unpack


def policy(game: str = "tag", role: str = "seeker") -> Policy:
    return Policy(sandlot.load_spec(game), role, seed=3)


def rows(game: str) -> tuple[np.ndarray, np.ndarray | None]:
    with sandlot.make(game, worlds=8, seed=1) as world:
        world.reset()
        return world.observations.copy(), None if world.masks is None else world.masks.copy()


@pytest.mark.parametrize(("game", "role"), [("tag", "hider"), ("prospector", "pilot")])
def test_a_policy_from_its_file_acts_as_before(tmp_path, game, role):
    made = policy(game, role)
    (tmp_path / "p.pt").write_bytes(made.to_bytes())
    loaded = sandlot.load_policy(tmp_path / "p.pt")
    observations, masks = rows(game)
    made.greedy = loaded.greedy = True
    assert np.array_equal(made.act(observations, masks)[0], loaded.act(observations, masks)[0])
    assert np.array_equal(made.values(observations), loaded.values(observations))


def test_a_file_with_code_in_it_is_refused_and_not_run(tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    (tmp_path / "trap.pt").write_bytes(pickle.dumps(Trap(), protocol=2))
    with pytest.raises(CheckpointError, match="does not end with Sandlot's digest"):
        sandlot.load_policy(tmp_path / "trap.pt")
    (tmp_path / "trap2.pt").write_bytes(pack({"policies": Trap()}))
    (tmp_path / "sprung").unlink(missing_ok=True)  # torch.save itself never opens it; loading would
    with pytest.raises(CheckpointError, match="never run"):
        sandlot.load_policy(tmp_path / "trap2.pt")
    assert not (tmp_path / "sprung").exists()


def test_a_truncated_file_is_refused(tmp_path):
    data = policy().to_bytes()
    (tmp_path / "cut.pt").write_bytes(data[: len(data) // 2])
    with pytest.raises(CheckpointError, match="truncated"):
        sandlot.load_policy(tmp_path / "cut.pt")


def test_every_flipped_bit_of_a_file_is_refused():
    data = policy().to_bytes()
    rng = np.random.default_rng(0)
    ends = np.r_[0:64, len(data) - 100 : len(data)]  # headers and the digest itself
    for place in np.r_[ends, rng.integers(0, len(data), 400)]:
        changed = bytearray(data)
        changed[place] ^= 1 << int(rng.integers(8))
        with pytest.raises(CheckpointError, match=r"the file (was changed|cannot be read)"):
            unpack(bytes(changed), "the file")


def test_torch_and_zip_tools_read_a_file_that_carries_its_digest():
    data = policy().to_bytes()
    plain = torch.load(io.BytesIO(data), weights_only=True)
    assert plain["role"] == "seeker"
    assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None


HARMS = {
    "a layer of another shape": lambda s: s["network"].update({"last.weight": torch.zeros(3, 3)}),
    "a layer that is missing": lambda s: s["network"].pop("last.bias"),
    "a normalizer of another shape": lambda s: s["normalizer"].update(mean=torch.zeros(2).double()),
    "no normalizer": lambda s: s.update(normalizer=None),
    "no head": lambda s: s.pop("head"),
    "a network configuration that is none": lambda s: s.update(network_config={"hidden_sizes": "wide"}),
    "a setting too many": lambda s: s["network_config"].update(colour="red"),
    "a config that is none": lambda s: s.update(config=[1]),
    "another format": lambda s: s.update(format=7),
}


@pytest.mark.parametrize("harm", HARMS)
def test_parts_that_do_not_fit_together_are_refused_in_a_sentence(tmp_path, harm):
    state = policy().state()
    HARMS[harm](state)
    (tmp_path / "odd.pt").write_bytes(pack(state))
    with pytest.raises(SandlotError):
        sandlot.load_policy(tmp_path / "odd.pt")


def test_a_file_whose_content_is_no_policy_is_refused(tmp_path):
    for content in ([1, 2], {"policies": 3}, {"policies": {"seeker": 3}}, {"policies": {}}, {}):
        (tmp_path / "odd.pt").write_bytes(pack(content))
        with pytest.raises(CheckpointError):
            sandlot.load_policy(tmp_path / "odd.pt")


def test_a_file_that_unpacks_to_more_than_it_has_is_refused(tmp_path):
    (tmp_path / "p.pt").write_bytes(policy().to_bytes())
    with zipfile.ZipFile(tmp_path / "p.pt") as plain, zipfile.ZipFile(tmp_path / "b.pt", "w") as bomb:
        for entry in plain.infolist():
            padding = bytes(10**8) if entry.filename.endswith("data/0") else b""
            bomb.writestr(entry.filename, plain.read(entry) + padding, zipfile.ZIP_DEFLATED)
    (tmp_path / "b.pt").write_bytes(seal((tmp_path / "b.pt").read_bytes()))
    with pytest.raises(CheckpointError, match="more bytes than it has"):
        sandlot.load_policy(tmp_path / "b.pt")


@pytest.mark.parametrize(
    "claim",
    [
        {"hidden_sizes": [10**9] * 2},
        {"recurrent_size": 10**9},
        {"num_directions": 10**9},
        {"hidden_sizes": [128]},
    ],
)
def test_layers_that_a_file_has_no_weights_for_are_refused_before_they_are_built(claim):
    state = policy().state()
    with pytest.raises(CheckpointError, match="its weights have another shape"):
        Policy.from_state(state | {"network_config": state["network_config"] | claim})


def test_weights_that_repeat_one_number_are_refused():
    state = policy().state()
    wide = {name: torch.zeros(1).expand(weight.shape) for name, weight in state["network"].items()}
    with pytest.raises(CheckpointError, match="its weights have another shape"):
        Policy.from_state(state | {"network": wide})


def test_a_policy_of_another_version_is_refused_with_both_named(tmp_path):
    state = policy().state() | {"spec_hash": "0123456789abcdef", "game_version": "0"}
    (tmp_path / "old.pt").write_bytes(pack(state))
    with pytest.raises(SpecMismatch, match=r"tag 0 \(spec 0123456789abcdef\)"):
        sandlot.load_policy(tmp_path / "old.pt")


def test_a_missing_file_or_role_is_said(tmp_path):
    with pytest.raises(CheckpointError, match="no file"):
        sandlot.load_policy(tmp_path / "nothing.pt")
    (tmp_path / "both.pt").write_bytes(pack({"policies": {"seeker": policy().state()}}))
    with pytest.raises(CheckpointError, match="not for 'goalkeeper'"):
        sandlot.load_policy(tmp_path / "both.pt", "goalkeeper")


def test_a_policy_does_not_see_masked_features(tmp_path):
    spec = sandlot.load_spec("prospector")
    policy = Policy(
        spec, "pilot", NetworkConfig(masked_features=("asteroids.iron", "price_norm"), min_std=0.25), seed=3
    )
    file = tmp_path / "policy.pt"
    file.write_bytes(policy.to_bytes())
    same = sandlot.load_policy(file)
    rows = np.random.default_rng(0).random((8, spec.observation_size), np.float32)
    other = rows.copy()
    other[:, spec.field("price_norm")] = 0.9
    other[:, spec.field("asteroids")].reshape(8, 16, 11)[:, :, 1] = 0.9
    assert not np.array_equal(rows, other)
    assert np.array_equal(same.values(rows), same.values(other))
    other[:, spec.field("asteroids")].reshape(8, 16, 11)[:, :, 2] = 0.9
    assert not np.array_equal(same.values(rows), same.values(other))


def test_a_feature_that_is_exempt_from_the_minimal_std_is_divided_by_its_own(tmp_path):
    spec = sandlot.load_spec("prospector")
    shape = NetworkConfig(
        min_std_exempt=("steps_to_station_norm",), masked_features=("price_norm",), min_std=0.25
    )
    policy = Policy(spec, "pilot", shape)
    rows = np.zeros((100, spec.observation_size), np.float32)
    rows[::2] = 1 / 31  # one hop, and as little of everything else
    policy.normalizer.update(rows)
    (tmp_path / "policy.pt").write_bytes(policy.to_bytes())
    seen = sandlot.load_policy(tmp_path / "policy.pt").normalize(torch.from_numpy(rows)).std(0)
    hops = list(policy.visible).index(spec.field("steps_to_station_norm").start)
    assert float(seen[hops]) == pytest.approx(1.0, rel=0.02)
    assert float(seen[0]) == pytest.approx(0.5 / 31 / 0.25, rel=0.02)


@pytest.mark.parametrize("key", ["masked_features", "min_std_exempt"])
@pytest.mark.parametrize(("name", "sentence"), [("astroids", "asteroids"), ("asteroids.irn", "iron")])
def test_a_part_that_the_observation_does_not_have_is_refused_by_its_name(name, sentence, key):
    with pytest.raises(UnknownName, match=sentence):
        Policy(sandlot.load_spec("prospector"), "pilot", NetworkConfig(**{key: (name,)}))
