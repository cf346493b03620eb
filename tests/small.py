"""Settings of runs that are over in a moment."""

# One short rollout an iteration: the recipe's own would take a thousand windows of this size at once.
PROSPECTOR = (
    "ppo.num_envs=16",
    "ppo.num_steps=16",
    "ppo.num_minibatches=4",
    "ppo.rollouts_per_iteration=1",
    "ppo.stagger_steps=0",
)
