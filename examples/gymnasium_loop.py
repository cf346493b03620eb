"""The usual Gymnasium loop, with the prospector's action mask from `info`."""

import gymnasium

import sandlot  # registers the ids

env = gymnasium.make("sandlot/Prospector-v0", config={"time_max": 2000})
observation, info = env.reset(seed=7)
env.action_space.seed(7)
total, over = 0.0, False
while not over:
    action = env.action_space.sample(mask=info["action_mask"].view("int8"))
    observation, reward, terminated, truncated, info = env.step(action)
    total += reward
    over = terminated or truncated
print(f"sandlot {sandlot.__version__}: return {total:.1f}, profit {info['net_profit']:.0f} credits")
env.close()
