"""Small Gymnasium envs with odd spaces and bad habits, registered for the tests of `gym:` games."""

import gymnasium
import numpy as np
from gymnasium import Env, spaces
from gymnasium.error import DependencyNotInstalled

ANY = spaces.Box(-1.0, 1.0, (2,), np.float32)


class Toy(Env):
    """Gives samples of its observation space, remembers its actions, pays 1 and ends after `length` steps."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}  # noqa: RUF012  (Gymnasium's way)

    def __init__(self, observation=ANY, action=None, length=5, bonus=0.0, bad="", render_mode=None):
        self.observation_space, self.action_space = observation, action or spaces.Discrete(2)
        self.length, self.bonus, self.bad, self.render_mode = length, bonus, bad, render_mode
        self.actions = []
        self.episodes = 0

    def _see(self):
        self.observation_space.seed(int(self.np_random.integers(1 << 30)))
        return self.observation_space.sample()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.bad == "reset":
            raise RuntimeError("the level file is gone")
        self.actions = []
        self.episodes += 1
        if self.bad == "grown" and self.episodes > 40:
            return np.zeros(3, np.float32), {}
        return self._see(), {}

    def step(self, action):
        if self.bad == "step":
            raise KeyError("lost")
        assert self.action_space.contains(action), action
        self.actions.append(action)
        seen, reward = self._see(), 1.0 + self.bonus
        if self.bad == "nan":
            seen = np.array([0.5, np.nan], np.float32)
        if self.bad == "size":
            seen = np.zeros(3, np.float32)
        reward = REWARDS.get(self.bad, reward)
        if self.bad == "quit":
            raise SystemExit(3)
        return seen, reward, len(self.actions) >= self.length, False, {}

    def render(self):
        return np.full((12, 20, 3), 40 * len(self.actions), np.uint8)


def uninstalled(**_):
    """An env whose package is missing."""
    raise DependencyNotInstalled('Box2D is not installed, you can install it by run `pip install "x[box2d]"`')


class Walk(Env):
    """A number that an axis moves; the truth is at the end of a row, so actions can be read back."""

    observation_space = spaces.Box(-np.inf, np.inf, (1,), np.float64)
    action_space = spaces.Box(np.array([-2.0]), np.array([6.0]), dtype=np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = self.np_random.uniform()
        return np.array([self.at]), {}

    def step(self, action):
        self.at += float(action[0])
        return np.array([self.at]), -abs(self.at), False, False, {}


class Pixels(Env):
    """A bright column on the left or on the right; the action that names its side pays 1."""

    observation_space = spaces.Box(0, 255, (12, 12, 3), np.uint8)
    action_space = spaces.Discrete(2)

    def _see(self):
        self.side = int(self.np_random.integers(2))
        picture = np.zeros((12, 12, 3), np.uint8)
        picture[:, 9 * self.side : 9 * self.side + 3] = 255
        return picture

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._see(), {}

    def step(self, action):
        reward = float(action == self.side)
        return self._see(), reward, False, False, {}


DICT = spaces.Dict(
    {
        "speed": spaces.Box(-1.0, 1.0, (3,), np.float32),
        "gear": spaces.Discrete(4, start=1),
        "lamps": spaces.MultiBinary(3),
        "place": spaces.Tuple((spaces.MultiDiscrete([2, 3]), spaces.Box(0.0, 9.0, (), np.float32))),
    }
)
MANY = spaces.Dict(
    {
        "aim": spaces.Box(np.array([0.0, -4.0], np.float32), np.array([1.0, 4.0], np.float32)),
        "fire": spaces.MultiBinary(2),
        "weapon": spaces.Discrete(3, start=5),
    }
)
REWARDS = {
    "reward": float("inf"), "huge": 1e30, "pair": np.array([1.0, 2.0]), "none": None, "words": "much",
    "array": np.array([2.5]), "whole": np.int64(2),
}  # fmt: skip
TOYS = {
    "": {},
    "Dict": {"observation": DICT},
    "Many": {"action": MANY},
    "Start": {"action": spaces.Discrete(3, start=-1)},
    "Multi": {"action": spaces.MultiDiscrete([3, 1, 4])},
    "Free": {"action": spaces.Box(-np.inf, np.inf, (2,), np.float32)},
    "Integer": {"action": spaces.Box(0, 10, (1,), np.int32)},
    "Stacked": {"observation": spaces.Box(0, 255, (4, 20, 24), np.uint8)},
    "NaN": {"bad": "nan"},
    "Infinite": {"bad": "reward"},
    "HugeReward": {"bad": "huge"},
    "TwoRewards": {"bad": "pair"},
    "NoReward": {"bad": "none"},
    "RewardInWords": {"bad": "words"},
    "RewardArray": {"bad": "array"},
    "WholeReward": {"bad": "whole"},
    "Quits": {"bad": "quit"},
    "Resized": {"bad": "size"},
    "Grown": {"bad": "grown"},
    "BadReset": {"bad": "reset"},
    "BadStep": {"bad": "step"},
    "Text": {"observation": spaces.Dict({"note": spaces.Text(5)})},
    "Sequence": {"observation": spaces.Sequence(spaces.Discrete(2))},
    "Graph": {"action": spaces.Graph(spaces.Discrete(2), None)},
    "Huge": {"observation": spaces.Box(0, 255, (600, 600, 3), np.uint8)},
    "Nothing": {"action": spaces.Discrete(1)},
}

for name, arguments in TOYS.items():
    gymnasium.register(f"SandlotToy{name}-v0", entry_point=Toy, kwargs=arguments, max_episode_steps=8)
gymnasium.register("SandlotUninstalled-v0", entry_point=uninstalled)
gymnasium.register("SandlotWalk-v0", entry_point=Walk, max_episode_steps=4)
gymnasium.register("SandlotPixels-v0", entry_point=Pixels, max_episode_steps=8)


class Aim(Env):
    """A number is shown; whoever answers with it, or with its side, is paid best. 8 answers an episode."""

    observation_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self, listed=False):
        self.listed = listed  # the answer is left or right, else a number
        self.action_space = spaces.Discrete(2) if listed else spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _see(self):
        self.shown = float(self.np_random.uniform(-1, 1))
        return np.array([self.shown], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._see(), {}

    def step(self, action):
        if self.listed:
            reward = float(action == (self.shown > 0))
        else:
            reward = 1.0 - abs(self.shown - float(action[0]))
        return self._see(), reward, False, False, {}


class NoText(Walk):
    __doc__ = None


gymnasium.register("SandlotNoText-v0", entry_point=NoText)
gymnasium.register("SandlotAim-v0", entry_point=Aim, max_episode_steps=8)
gymnasium.register("SandlotAimListed-v0", entry_point=Aim, kwargs={"listed": True}, max_episode_steps=8)
