"""The usual PettingZoo loop: one seeker and three hiders, all of them moving at random."""

from sandlot.wrappers.zoo import tag_parallel_env

env = tag_parallel_env(config={"hiders": 3})
observations, infos = env.reset(seed=7)
totals = dict.fromkeys(env.possible_agents, 0.0)
while env.agents:
    actions = {agent: env.action_space(agent).sample() for agent in env.agents}
    observations, rewards, terminations, truncations, infos = env.step(actions)
    for agent, reward in rewards.items():
        totals[agent] += reward
print(", ".join(f"{agent} {total:+.2f}" for agent, total in totals.items()))
