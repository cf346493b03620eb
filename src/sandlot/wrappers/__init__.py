"""Wrappers: the same worlds as Gymnasium, PettingZoo and PufferLib environments.

One file per library, all optional:

    gym.py, gym_vector.py   gymnasium.make("sandlot/Tag-v0"), gymnasium.make_vec("sandlot/Prospector-v0", ...)
    zoo.py                  a learner for every agent: parallel_env(game), aec_env(game)
    puffer.py               any game over PufferLib's own buffers
    spaces.py               a game's spec as Gymnasium spaces, for all of them

Importing this package needs none of those libraries; a wrapper whose library is missing names its extra.
"""

PACKAGE = "sandlot.wrappers"

# Gymnasium's id -> game. A table, as `import sandlot` must work where the engine is not built.
GYM_IDS = {
    "sandlot/Landing-v0": "landing",
    "sandlot/Navigation-v0": "navigation",
    "sandlot/Prospector-v0": "prospector",
    "sandlot/Tag-v0": "tag",
}


def register() -> None:
    """Register our ids with Gymnasium, if it is installed. `import sandlot` calls this.

    Gymnasium 1.0 dropped its plugin entry points, so an id must be registered by code that runs. We do it at
    import because users expect `import sandlot` to be enough; importing Gymnasium adds some 50 ms to numpy's
    60. (`gymnasium.make("sandlot:sandlot/Tag-v0")` works without importing sandlot first.)
    """
    try:
        import gymnasium
    except ImportError:
        return
    one, batch = f"{PACKAGE}.gym:GameEnv", f"{PACKAGE}.gym_vector:GameVectorEnv"
    for name, game in GYM_IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=one, vector_entry_point=batch, kwargs={"game": game})
