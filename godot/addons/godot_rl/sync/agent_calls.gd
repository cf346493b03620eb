extends RefCounted
## What is asked of an agent, also of one that has only some of a controller's methods.


static func observation_space(agent: Node) -> Dictionary:
	if agent.has_method("get_obs_space"):
		return agent.call("get_obs_space")
	return {"obs": {"size": [agent.call("get_obs").obs.size()], "space": "box"}}


static func info(agent: Node) -> Dictionary:
	return agent.call("get_info") if agent.has_method("get_info") else {}


static func policy_name(agent: Node) -> String:
	var named: Variant = agent.get("policy_name")
	return str(named) if named else "shared_policy"


static func has_done(agent: Node) -> bool:
	return agent.call("get_done") if agent.has_method("get_done") else agent.get("done") == true


## Whether the episode was only cut off.
static func is_truncated(agent: Node) -> bool:
	return agent.get("truncated") == true


## The last observation of an episode that has ended; null where it is not known.
static func terminal_observation(agent: Node) -> Variant:
	var episode: Variant = agent.get("_godot_rl_episode")
	return episode.get("last_observation") if episode is RefCounted else null


## Ask it to keep the last observation of every episode.
static func watch(agent: Node) -> void:
	var episode: Variant = agent.get("_godot_rl_episode")
	if episode is RefCounted:
		(episode as RefCounted).set("is_watched", true)


## The trainer has read how the window ended; nothing of it counts again.
static func begin_window(agent: Node) -> void:
	if agent.has_method("zero_reward"):
		agent.call("zero_reward")
	clear_done(agent)


static func clear_done(agent: Node) -> void:
	if agent.has_method("set_done_false"):
		agent.call("set_done_false")


## Give a seed to a controller and to the body it steers, where they take one.
static func seed_agent(agent: Node, value: int) -> void:
	for taker: Variant in [agent, agent.get("_player")]:
		if taker is Node and (taker as Node).has_method("set_seed"):
			(taker as Node).call("set_seed", value)
