"""Training: one readable PPO. Read config, rollout, advantages, ppo, learner, trainer in this order."""
