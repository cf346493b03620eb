"""Wrappers: the same worlds as Gymnasium, PettingZoo and PufferLib environments.

One file per library, all optional:

    gym.py, gym_vector.py   gymnasium.make("sandlot/Tag-v0"), gymnasium.make_vec("sandlot/Prospector-v0", ...)
    zoo.py                  tag for several learners: tag_parallel_env(), tag_env()
    puffer.py               Tag, Prospector, Landing and Navigation over PufferLib's own buffers
    spaces.py               a game's spec as Gymnasium spaces, for all of them

Importing this package needs none of those libraries; a wrapper whose library is missing names its extra.
"""

PACKAGE = "sandlot.wrappers"

# Gymnasium's id -> (class of one world, class of a batch of worlds).
GYM_IDS = {
    "sandlot/Landing-v0": ("gym:LandingEnv", "gym_vector:LandingVectorEnv"),
    "sandlot/Navigation-v0": ("gym:NavigationEnv", "gym_vector:NavigationVectorEnv"),
    "sandlot/Prospector-v0": ("gym:ProspectorEnv", "gym_vector:ProspectorVectorEnv"),
    "sandlot/Tag-v0": ("gym:TagEnv", "gym_vector:TagVectorEnv"),
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
    for name, (one, batch) in GYM_IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=f"{PACKAGE}.{one}", vector_entry_point=f"{PACKAGE}.{batch}")
