"""Play 1,024 worlds of the prospector with random legal actions, and say what that earns."""

import numpy as np

import sandlot

rng = np.random.default_rng(0)
with sandlot.make("prospector", worlds=1024, seed=7) as world:
    world.reset()
    for _ in range(500):
        # the largest of random numbers, among legal actions alone: a uniform legal choice
        world.actions[:] = np.argmax(rng.random(world.masks.shape) * world.masks, axis=1)
        world.step()
    episodes = world.finished()
print(f"{len(episodes)} episodes ended; mean profit {episodes.column('net_profit').mean():.0f} credits")
