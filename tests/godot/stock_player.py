"""The stock godot-rl client playing a game with random actions; prints what it was given as one JSON line.

Runs in the environment of `make stock` and imports nothing of Sandlot.
"""

import json
import sys

from godot_rl.core.godot_env import GodotEnv

MARK = "PLAYED "


def main() -> None:
    game, port, steps, show_window = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "window"
    env = GodotEnv(env_path=game, port=port, seed=5, speedup=20, action_repeat=4, show_window=show_window)
    for space in env.tuple_action_spaces:
        space.seed(7)
    first, _ = env.reset()
    rewards, dones, infos = [], [], []
    for _ in range(steps):
        actions = [space.sample() for space in env.tuple_action_spaces]
        observations, reward, done, _, info = env.step(actions, order_ij=True)
        rewards.append(reward)
        dones.append(done)
        infos.append(info)
    called = env.call("get_hits")
    print(
        MARK
        + json.dumps(
            {
                "policies": env.agent_policy_names,
                "observations": [list(space["obs"].shape) for space in env.observation_spaces],
                "actions": [{name: str(head) for name, head in space.items()} for space in env.action_spaces],
                "first": [len(seen["obs"]) for seen in first],
                "last": [len(seen["obs"]) for seen in observations],
                "rewards": rewards,
                "dones": dones,
                "infos": infos,
                "called": called,
            }
        ),
        flush=True,
    )
    env.close()


if __name__ == "__main__":
    main()
