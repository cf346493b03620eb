"""Zips of Stable-Baselines3 with our facts inside, and their ONNX; the library itself is not imported."""

import json
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from refusals import refused

from sandlot.errors import CheckpointError
from sandlot.policies import sb3
from sandlot.policies.exported import open_session


class Model:
    """The parts of `stable_baselines3.PPO` that are used: an actor of two layers over three numbers."""

    def __init__(self, activation=torch.nn.Tanh, low=(-1.0, -1.0), high=(1.0, 1.0)):
        torch.manual_seed(5)
        layers = torch.nn.Sequential(torch.nn.Linear(3, 4), activation())
        self.policy = SimpleNamespace(
            mlp_extractor=SimpleNamespace(policy_net=layers), action_net=torch.nn.Linear(4, 2)
        )
        self.action_space = SimpleNamespace(low=np.array(low), high=np.array(high), shape=(2,))

    def save(self, file):
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("data", "{}")
            archive.writestr("policy.pth", b"weights")

    @torch.no_grad()
    def predict(self, observations, deterministic):
        assert deterministic
        hidden = self.policy.mlp_extractor.policy_net(torch.from_numpy(observations))
        actions = self.policy.action_net(hidden).numpy()
        return actions.clip(self.action_space.low, self.action_space.high), None


def test_facts_come_back_and_the_librarys_own_entries_stay(tmp_path):
    path = sb3.save_model(Model(), tmp_path / "model.zip", {"task": "walk", "timesteps": 7})
    assert sb3.read_facts(path) == {"task": "walk", "timesteps": 7}
    with zipfile.ZipFile(path) as archive:
        assert archive.read("policy.pth") == b"weights" and archive.testzip() is None


def test_a_model_that_was_saved_without_facts_has_none(tmp_path):
    with (tmp_path / "plain.zip").open("wb") as file:
        Model().save(file)
    assert sb3.read_facts(tmp_path / "plain.zip") is None


@pytest.mark.parametrize("missing", ["data", "policy.pth"])
def test_another_zip_is_no_model(missing, tmp_path):
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        for name in {"data", "policy.pth"} - {missing}:
            archive.writestr(name, "x")
    with pytest.raises(CheckpointError, match="is a zip, but not a model"):
        sb3.read_facts(tmp_path / "other.zip")


def test_a_file_that_is_no_zip_and_one_that_is_not_there_are_named(tmp_path):
    (tmp_path / "text.zip").write_text("hello")
    with pytest.raises(
        CheckpointError, match=r"text\.zip is not a model of Stable-Baselines3, or is damaged"
    ):
        sb3.read_facts(tmp_path / "text.zip")
    with pytest.raises(CheckpointError, match=r"There is no model .*missing\.zip"):
        sb3.read_facts(tmp_path / "missing.zip")


def test_facts_that_are_no_json_are_damage(tmp_path):
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
        for name in ("data", "policy.pth", sb3.FACTS):
            archive.writestr(name, "{")
    with pytest.raises(CheckpointError, match="or is damaged"):
        sb3.read_facts(tmp_path / "model.zip")


@pytest.mark.parametrize("activation", [torch.nn.Tanh, torch.nn.ReLU])
@pytest.mark.parametrize("clamp", [None, 1.5])
def test_the_file_takes_raw_observations_and_acts_as_the_model_does(activation, clamp, tmp_path):
    model, scale = Model(activation), np.array([0.1, 1.0, 2.0], np.float32)
    difference = sb3.export_onnx(model, tmp_path / "model.onnx", scale, clamp, {"format": "sb3"}, "walker")
    assert 0 <= difference <= 1e-5
    raw = np.array([[1.0, -2.0, 3.0], [-30.0, 0.5, 0.0]], np.float32)
    session = open_session((tmp_path / "model.onnx").read_bytes(), "model.onnx")
    inputs, outputs = (
        [each.name for each in group] for group in (session.get_inputs(), session.get_outputs())
    )
    assert (inputs, outputs) == (["obs", "state_ins"], ["output", "state_outs"])
    actions, state = session.run(None, {"obs": raw, "state_ins": np.zeros(2, np.float32)})
    seen = raw * scale if clamp is None else np.clip(raw * scale, -clamp, clamp)
    np.testing.assert_allclose(actions, model.predict(seen, True)[0], atol=1e-5)
    assert actions.shape == (2, 2) and state.shape == (2,)


def test_actions_keep_their_own_bounds(tmp_path):
    model = Model(low=(-0.01, -0.01), high=(0.02, 0.02))
    sb3.export_onnx(model, tmp_path / "model.onnx", np.ones(3, np.float32), None, {}, "walker")
    session = open_session((tmp_path / "model.onnx").read_bytes(), "model.onnx")
    rows = np.random.default_rng(1).normal(0, 9, (64, 3)).astype(np.float32)
    actions = session.run(["output"], {"obs": rows, "state_ins": np.zeros(64, np.float32)})[0]
    assert actions.min() == pytest.approx(-0.01) and actions.max() == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (Model(torch.nn.ELU), "A layer of kind ELU cannot be exported"),
        (Model(low=(-1.0, -2.0)), "the same bounds"),
        (Model(high=(1.0, 2.0)), "the same bounds"),
    ],
)
def test_what_cannot_be_exported_leaves_no_file(model, sentence, tmp_path):
    with refused(tmp_path, CheckpointError, sentence):
        sb3.export_onnx(model, tmp_path / "model.onnx", np.ones(3, np.float32), None, {}, "walker")


def test_a_file_that_would_act_differently_is_not_written(tmp_path, monkeypatch):
    model = Model()
    predict = model.predict
    monkeypatch.setattr(model, "predict", lambda rows, deterministic: (predict(rows, True)[0] + 2e-5, None))
    with refused(tmp_path, CheckpointError, "would act differently from the model"):
        sb3.export_onnx(model, tmp_path / "model.onnx", np.ones(3, np.float32), None, {}, "walker")


def test_facts_are_whole_or_not_there(tmp_path, monkeypatch):
    def full(*_):
        raise OSError("disk full")

    path = sb3.save_model(Model(), tmp_path / "model.zip", {"timesteps": 1})
    monkeypatch.setattr(sb3, "put", full)
    with pytest.raises(OSError, match="disk full"):
        sb3.save_model(Model(), path, {"timesteps": 2})
    assert json.dumps(sb3.read_facts(path)) == '{"timesteps": 1}'
