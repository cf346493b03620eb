"""A scripted seeker meets a scripted hider in 200 matches of tag."""

import sandlot

MATCHES = 200
with sandlot.make("tag", worlds=MATCHES, seed=1, autoreset=False) as world:
    world.reset()
    players = {"seeker": sandlot.bot("tag", "chase", level=2), "hider": sandlot.bot("tag", "evade", level=2)}
    # each role's rows: its place in a world, then the same place in every world
    seats = [slice(world.spec.roles.index(role), None, world.spec.agents) for role in players]
    memories = [None, None]
    over = 0
    while over < MATCHES:
        for i, (player, rows) in enumerate(zip(players.values(), seats, strict=True)):
            world.actions[rows], memories[i] = player.act(world.observations[rows], state=memories[i])
        over += world.step()
    won = (world.finished().column("winner") == 1).mean()
print(f"The seeker won {100 * won:.0f} % of {MATCHES} matches.")
