"""Networks exported as users of Stable-Baselines3, godot-rl and PyTorch do it."""

import copy
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3 import DQN, PPO, SAC

WIDE, ROWS = 12, 64  # numbers of an observation; steps of an episode
PICTURE = (3, 36, 36)  # the smallest that NatureCNN takes


class Noise(gymnasium.Env):
    """An env of which only the spaces matter."""

    def __init__(self, observation: spaces.Space, action: spaces.Space):
        self.observation_space, self.action_space = observation, action

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}


FLAT = spaces.Box(-5.0, 5.0, (WIDE,), np.float32)
PIXELS = spaces.Box(0, 255, PICTURE, np.uint8)
AXES, CHOICE = spaces.Box(-1.0, 1.0, (3,), np.float32), spaces.Discrete(5)


class PolicyAsIs(torch.nn.Module):
    """What the guide of Stable-Baselines3 exports of PPO: the whole policy, the likeliest action first."""

    def __init__(self, policy):
        super().__init__()
        self.policy = policy

    def forward(self, observation):
        return self.policy(observation, deterministic=True)


class ActorAlone(torch.nn.Module):
    """What it exports of SAC and TD3."""

    def __init__(self, actor):
        super().__init__()
        self.actor = actor

    def forward(self, observation):
        return self.actor(observation, deterministic=True)


class QNetwork(torch.nn.Module):
    """Of DQN: one value for each action."""

    def __init__(self, q_net):
        super().__init__()
        self.q_net = q_net

    def forward(self, observation):
        return self.q_net(observation)


class PluginPolicy(torch.nn.Module):
    """The form of the Godot plugin: `obs` and `state_ins` in, `output` and `state_outs` out."""

    def __init__(self, policy):
        super().__init__()
        self.policy = policy

    def forward(self, obs, state_ins):
        features = self.policy.mlp_extractor.forward_actor(self.policy.extract_features(obs))
        return self.policy.action_net(features), state_ins


def sharpened(network: torch.nn.Module) -> torch.nn.Module:
    """With opinions: untrained outputs lie so close together that nothing could tell their order."""
    torch.manual_seed(7)
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.dim() > 1:
                parameter.mul_(1.5)
            else:
                parameter.add_(torch.randn_like(parameter) * 0.1)
    return network.eval()


def write(path: Path, network: torch.nn.Module, inputs: tuple, names: list[str], outputs: list[str], **more):
    """torch.onnx.export as it is called in the guides."""
    validating = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(False)  # the dynamo exporter cannot trace it
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                network, inputs, str(path), input_names=names, output_names=outputs, verbose=False, **more
            )
    finally:
        torch.distributions.Distribution.set_default_validate_args(validating)


def model(kind, observation, action, **more):
    name = "CnnPolicy" if observation is PIXELS else "MlpPolicy"
    return kind(name, Noise(observation, action), device="cpu", seed=3, **copy.deepcopy(more))


def stable_baselines3(folder: Path, dynamo: bool) -> dict[str, tuple[Path, tuple[int, ...]]]:
    """The recipes of the guide: by name, the file and the shape of an observation."""
    nets = {"net_arch": [32, 32]}
    small = {"buffer_size": 100, "policy_kwargs": nets}
    made = {
        "PPO, axes": (PolicyAsIs(model(PPO, FLAT, AXES, policy_kwargs=nets).policy), FLAT),
        "PPO, a choice": (PolicyAsIs(model(PPO, FLAT, CHOICE, policy_kwargs=nets).policy), FLAT),
        "PPO, pictures": (PolicyAsIs(model(PPO, PIXELS, CHOICE).policy), PIXELS),
        "SAC": (ActorAlone(model(SAC, FLAT, AXES, **small).policy.actor), FLAT),
        "DQN": (QNetwork(model(DQN, FLAT, CHOICE, **small).policy.q_net.q_net), FLAT),
    }
    files = {}
    for name, (network, space) in made.items():
        path = folder / f"{name.replace(', ', '_').replace(' ', '_')}_{'dynamo' if dynamo else 'script'}.onnx"
        whole = isinstance(network, PolicyAsIs)
        outputs = ["actions", "values", "log_prob"] if whole else ["actions"]
        example = (torch.randn(1, *space.shape),)
        seen = ["state" if name == "DQN" else "input"]
        write(path, sharpened(network), example, seen, outputs, opset_version=18, dynamo=dynamo)
        files[name] = (path, space.shape)
    return files


def plugin(folder: Path) -> dict[str, tuple[Path, tuple[int, ...]]]:
    """The form that the Godot plugin's Python side writes: free rows, operator set 17."""
    files = {}
    for name, action in (("plugin, axes", AXES), ("plugin, a choice", CHOICE)):
        network = sharpened(
            PluginPolicy(model(PPO, FLAT, action, policy_kwargs={"net_arch": [32, 32]}).policy)
        )
        path = folder / f"{name.replace(', ', '_').replace(' ', '_')}.onnx"
        rows = {key: {0: "batch_size"} for key in ("obs", "state_ins", "output", "state_outs")}
        write(
            path, network, (torch.randn(1, WIDE), torch.zeros(1)), ["obs", "state_ins"],
            ["output", "state_outs"], opset_version=17, dynamo=False, dynamic_axes=rows,
        )  # fmt: skip
        files[name] = (path, FLAT.shape)
    return files


class WithMemory(torch.nn.Module):
    """A GRU or LSTM between two layers; memory goes in and out by name."""

    def __init__(self, kind: type, units: int = 10, layers: int = 1):
        super().__init__()
        self.first = torch.nn.Linear(WIDE, 16)
        self.memory = kind(16, units, num_layers=layers, batch_first=True)
        self.last = torch.nn.Linear(units, 4)

    def forward(self, obs, h_in, c_in=None):
        states = h_in if c_in is None else (h_in, c_in)
        seen, after = self.memory(torch.tanh(self.first(obs)).unsqueeze(1), states)
        outputs = self.last(seen.squeeze(1))
        return (outputs, after) if c_in is None else (outputs, *after)


RECURRENT = {  # kind, layers, names of the inputs and of the outputs, as people write them
    "GRU": (torch.nn.GRU, 1, ["obs", "h_in"], ["output", "h_out"]),
    "LSTM": (torch.nn.LSTM, 1, ["obs", "h_in", "c_in"], ["output", "h_out", "c_out"]),
    "GRU of two layers": (torch.nn.GRU, 2, ["state", "h_0"], ["action", "h_n"]),
    "LSTM, names of its own": (torch.nn.LSTM, 1, ["x", "hx", "cx"], ["logits", "hy", "cy"]),
    "LSTM, free rows": (
        torch.nn.LSTM, 1, ["observation", "state_in_0", "state_in_1"],
        ["action", "state_out_0", "state_out_1"],
    ),
}  # fmt: skip


def recurrent(folder: Path, dynamo: bool) -> dict[str, tuple[Path, tuple[int, ...]]]:
    """Policies with memory; the last one has free rows, which are the second side of its memory."""
    files = {}
    for name, (kind, layers, inputs, outputs) in RECURRENT.items():
        path = folder / f"{name.replace(', ', '_').replace(' ', '_')}_{'dynamo' if dynamo else 'script'}.onnx"
        states = [torch.zeros(layers, 1, 10) for _ in inputs[1:]]
        free = {key: {0 if key in (inputs[0], outputs[0]) else 1: "rows"} for key in (*inputs, *outputs)}
        more = {"dynamic_axes": free} if "free" in name and not dynamo else {}
        write(
            path, sharpened(WithMemory(kind, layers=layers)), (torch.randn(1, WIDE), *states), inputs,
            outputs, dynamo=dynamo, opset_version=18, **more,
        )  # fmt: skip
        files[name] = (path, (WIDE,))
    return files


def uneven_memory(folder: Path) -> Path:
    """A file whose memory does not fit into itself."""
    network = WithMemory(torch.nn.GRU)
    network.memory.register_forward_hook(lambda _, given, made: (made[0], made[1][:, :, :5]))
    path, example = folder / "uneven.onnx", (torch.randn(1, WIDE), torch.zeros(1, 1, 10))
    write(path, network, example, ["obs", "h_0"], ["output", "h_n"], dynamo=False, opset_version=18)
    return path


class SmallCnn(torch.nn.Module):
    """Convolutions, both pools and a batch normalisation, over a small picture."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, stride=1, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(),
            torch.nn.MaxPool2d(2), torch.nn.Conv2d(8, 8, 3, groups=2, padding="same"), torch.nn.SiLU(),
            torch.nn.AvgPool2d(3, stride=2, padding=1), torch.nn.Flatten(), torch.nn.LazyLinear(6),
            torch.nn.Softmax(dim=1),
        )  # fmt: skip

    def forward(self, x):
        return self.layers(x)


def small_cnn(folder: Path, dynamo: bool) -> tuple[Path, tuple[int, ...]]:
    """A small CNN with free rows."""
    network, example = SmallCnn(), torch.randn(2, 3, 12, 12)
    network(example * 2)  # the batch normalisation has seen something
    path = folder / f"cnn_{'dynamo' if dynamo else 'script'}.onnx"
    free = {"dynamic_shapes": ({0: "rows"},)} if dynamo else {"dynamic_axes": {"x": {0: "rows"}}}
    write(path, sharpened(network), (example,), ["x"], ["output"], dynamo=dynamo, opset_version=18, **free)
    return path, (3, 12, 12)
