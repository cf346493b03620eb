"""Settings of runs that are over in a moment."""

# One short rollout an iteration: the recipe's own would take a thousand windows of this size at once.
PROSPECTOR = (
    "ppo.worlds=16",
    "ppo.horizon=16",
    "ppo.minibatches=4",
    "ppo.rollouts=1",
    "ppo.stagger=0",
)
