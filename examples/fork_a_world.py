"""What if? Fork one moment of a match into 64 worlds and let each hider run another way for a second."""

import numpy as np

import sandlot

FUTURES, STEPS = 64, 20  # 20 steps of 3 ticks are a second
with sandlot.make("tag", worlds=FUTURES, seed=3) as world:
    world.reset()
    for target in range(1, FUTURES):
        world.fork(0, target)
    assert len({world.hash(i) for i in world}) == 1  # all the same, to the last bit
    angle = np.linspace(0, 2 * np.pi, FUTURES, endpoint=False)
    hiders = slice(world.spec.roles.index("hider"), None, world.spec.agents)
    world.actions[hiders, 0], world.actions[hiders, 1] = np.cos(angle), np.sin(angle)
    paid = np.zeros(FUTURES)
    for _ in range(STEPS):
        world.step()
        paid += world.rewards[hiders]
best = int(paid.argmax())
print(
    f"Running at {np.degrees(angle[best]):.0f} degrees is best ({paid[best]:+.2f}, worst {paid.min():+.2f})."
)
