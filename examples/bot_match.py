"""A scripted seeker meets a scripted hider in 200 matches of tag: fixed seeds, one policy per role."""

import sandlot
from sandlot.evaluate.play import play

players = {"seeker": sandlot.bot("tag", "chase", level=2), "hider": sandlot.bot("tag", "evade", level=2)}
matches = play("tag", players, seeds=range(200))
won = matches.column("winner") == 1
print(f"The seeker won {100 * won.mean():.0f} % of {len(matches)} matches,")
print(f"after {matches.column('duration_s')[won].mean():.1f} s on average.")
