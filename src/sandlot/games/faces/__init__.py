"""Faces: the same worlds as Gymnasium, PettingZoo and PufferLib see them. One file a library, all optional.

    gym.py, gym_vector.py   gymnasium.make("sandlot/Tag-v0"), gymnasium.make_vec("sandlot/Prospector-v0", ...)
    zoo.py                  tag for several learners: tag_parallel_env(), tag_env()
    puffer.py               Tag and Prospector over PufferLib's own buffers
    spaces.py, info.py, cast.py    what they share: spaces, metrics, scripted opponents

Importing this package needs none of those libraries; a face whose library is missing names its extra.
"""

from __future__ import annotations

ROOM = "sandlot.games.faces"

# Gymnasium's id -> (class of one world, class of a batch of worlds).
GYM_IDS = {
    "sandlot/Prospector-v0": ("gym:ProspectorEnv", "gym_vector:ProspectorVectorEnv"),
    "sandlot/Tag-v0": ("gym:TagEnv", "gym_vector:TagVectorEnv"),
}


def register() -> None:
    """Tell Gymnasium our ids, if it is installed. `import sandlot` calls this.

    Gymnasium 1.0 dropped its plugin entry points, so an id exists only once somebody has registered it. We do
    it at import because `import sandlot` is all a reader expects to need; Gymnasium adds some 50 ms to
    numpy's 60. (`gymnasium.make("sandlot:sandlot/Tag-v0")` works without importing sandlot first.)
    """
    try:
        import gymnasium
    except ImportError:
        return
    for name, (one, batch) in GYM_IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=f"{ROOM}.{one}", vector_entry_point=f"{ROOM}.{batch}")
