"""PPO as CleanRL writes it, in one file from top to bottom, on a scene of a Godot project or any other game.

    python examples/other_trainers/cleanrl_ppo.py --game godot:my_game --num-envs 16 --total-timesteps 200000

CleanRL itself is files to copy, not a library: what PyPI has under its name is 0.4.8 of 2021, for `gym`. This
is our own program in its manner; one continuous or discrete action space, all agents share one policy.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical, Normal

import sandlot


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", required=True, help="such as godot:my_game, or navigation")
    for name, value in {
        "num-envs": 16, "num-steps": 64, "total-timesteps": 200_000, "seed": 1, "update-epochs": 4,
        "num-minibatches": 4, "learning-rate": 3e-4, "gamma": 0.99, "gae-lambda": 0.95, "clip-coef": 0.2,
        "ent-coef": 0.01, "vf-coef": 0.5, "max-grad-norm": 0.5,
    }.items():  # fmt: skip
        parser.add_argument(f"--{name}", type=type(value), default=value)
    return parser.parse_args()


def layer(inputs: int, outputs: int, std: float = 2**0.5) -> nn.Linear:
    made = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(made.weight, std)
    nn.init.zeros_(made.bias)
    return made


class Agent(nn.Module):
    def __init__(self, inputs: int, actions: int, discrete: bool):
        super().__init__()
        self.critic = nn.Sequential(layer(inputs, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, 1, 1.0))
        self.actor = nn.Sequential(
            layer(inputs, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, actions, 0.01)
        )
        self.log_std = None if discrete else nn.Parameter(torch.zeros(actions))

    def value(self, obs: torch.Tensor) -> torch.Tensor:
        return self.critic(obs).squeeze(-1)

    def act(self, obs: torch.Tensor, action: torch.Tensor | None = None) -> tuple[torch.Tensor, ...]:
        out = self.actor(obs)
        if self.log_std is None:
            chosen = Categorical(logits=out)
            action = chosen.sample() if action is None else action
            return action, chosen.log_prob(action), chosen.entropy(), self.value(obs)
        drawn = Normal(out, self.log_std.exp())
        action = drawn.sample() if action is None else action
        return action, drawn.log_prob(action).sum(-1), drawn.entropy().sum(-1), self.value(obs)


def main() -> None:
    args = parse()
    torch.manual_seed(args.seed)
    world = sandlot.make(args.game, worlds=args.num_envs, seed=args.seed)
    spec, rows, steps = world.spec, world.rows, args.num_steps
    agent = Agent(spec.observation_size, spec.action_count or spec.action_size, spec.discrete)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    shape = () if spec.discrete else (spec.action_size,)
    obs = torch.zeros(steps, rows, spec.observation_size)
    actions = torch.zeros(steps, rows, *shape, dtype=torch.int64 if spec.discrete else torch.float32)
    log_probs, rewards, dones, values = (torch.zeros(steps, rows) for _ in range(4))

    next_obs = torch.from_numpy(world.reset(seed=args.seed).copy())
    began, returns = time.time(), []
    for update in range(1, args.total_timesteps // (steps * rows) + 1):
        for t in range(steps):
            obs[t] = next_obs
            with torch.no_grad():
                actions[t], log_probs[t], _, values[t] = agent.act(next_obs)
            chosen = actions[t].numpy()
            world.step(chosen.astype(np.int32) if spec.discrete else np.clip(chosen, -1, 1))
            rewards[t] = torch.tensor(world.rewards)
            dones[t] = torch.from_numpy(world.terminated | world.truncated)
            if world.truncated.any():  # a time limit is no end: what would have followed still counts
                cut = torch.from_numpy(world.truncated & ~world.terminated)
                with torch.no_grad():
                    rewards[t] += args.gamma * cut * agent.value(torch.tensor(world.final_observations))
            next_obs = torch.from_numpy(world.observations.copy())
            returns += [episode["return"] for episode in world.finished()]

        with torch.no_grad():
            advantages, last, next_value = torch.zeros(steps, rows), torch.zeros(rows), agent.value(next_obs)
            for t in reversed(range(steps)):
                goes_on = 1.0 - dones[t]
                delta = rewards[t] + args.gamma * next_value * goes_on - values[t]
                advantages[t] = last = delta + args.gamma * args.gae_lambda * goes_on * last
                next_value = values[t]

        batch = [part.flatten(0, 1) for part in (obs, actions, log_probs, advantages, advantages + values)]
        for _ in range(args.update_epochs):
            for picked in torch.randperm(steps * rows).chunk(args.num_minibatches):
                b_obs, b_actions, b_log_probs, b_advantages, b_returns = (part[picked] for part in batch)
                _, log_prob, entropy, value = agent.act(b_obs, b_actions)
                ratio = (log_prob - b_log_probs).exp()
                scaled = (b_advantages - b_advantages.mean()) / (b_advantages.std() + 1e-8)
                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                policy_loss = torch.max(-scaled * ratio, -scaled * clipped).mean()
                value_loss = 0.5 * (value - b_returns).square().mean()
                loss = policy_loss + args.vf_coef * value_loss - args.ent_coef * entropy.mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
        speed = update * steps * rows / (time.time() - began)
        shown = f"{np.mean(returns[-100:]):.2f}" if returns else "no episode yet"
        print(f"update={update} steps={update * steps * rows} return={shown} steps/s={speed:.0f}", flush=True)
    world.close()


if __name__ == "__main__":
    main()
