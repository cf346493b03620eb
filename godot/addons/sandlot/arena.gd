class_name SandlotArena
extends RefCounted
## One running copy of the game, for the trainer: its agents, the episode in progress, and how it ended.

var root: Node
var agents: Array[SandlotAgent] = []
var sizes := PackedInt32Array()  ## numbers that each agent observes, as in the spec
var steps := 0  ## decisions of this episode
var ticks := 0  ## physics ticks of this episode
var step_ticks := 0  ## of the present step
var over := false  ## it has ended and the next episode has not begun
var terminated := false  ## the game ended it; false: a limit, or only our watching
var finals: Array[PackedFloat32Array] = []  ## what each agent observed last, of an episode that is over
var random: SandlotRandom  ## of the episode
var problem := ""  ## what the game did wrong here

var _bodies: Array[Node] = []
var _root_seed := 0
var _episode := 0


static func of(node: Node) -> SandlotArena:
	var made := SandlotArena.new()
	made.root = node
	made._gather(node)
	for agent in made.agents:
		agent.find_sensors()
	return made


## Agents and physics bodies, in the order of the tree; what lies below a trainer are other arenas.
func _gather(node: Node) -> void:
	if node is SandlotAgent:
		agents.append(node)
	elif node is CollisionObject2D or node is CollisionObject3D:
		_bodies.append(node)
	for child in node.get_children():
		if not child is SandlotTrainer:
			_gather(child)


## Begin the first episode of a seed.
func reset(seed_value: int) -> void:
	_root_seed = seed_value
	_episode = 0
	_begin(seed_value)


## Begin the episode that follows.
func next_episode() -> void:
	_episode += 1
	_begin(SandlotRandom.split(_root_seed, _episode))


func _begin(seed_value: int) -> void:
	steps = 0
	ticks = 0
	step_ticks = 0
	over = false
	terminated = false
	finals.clear()
	random = SandlotRandom.new(seed_value)
	for agent in agents:
		agent.clear_episode()
	if root.has_method("begin_episode") and not root is SandlotAgent:
		root.call("begin_episode", random)
	for agent in agents:
		agent.begin_episode(random)
		agent.episode_began.emit()
	for body in _bodies:
		if is_instance_valid(body):
			body.call("force_update_transform")  # sensors look before the next physics tick
	for agent in agents:
		agent.begin_rewards()


## After a physics tick: count it, and keep what is observed where the episode has ended.
func after_tick() -> void:
	if over:
		return
	ticks += 1
	step_ticks += 1
	for agent in agents:
		if agent.ended:
			end(agent.terminated)
			return


func end(by_the_game: bool) -> void:
	over = true
	terminated = by_the_game
	for agent in agents:
		agent.settle_rewards()
		agent.ended = true  # whatever happens until the next episode counts no more
	finals.assign(observe())
	for i in agents.size():
		agents[i].episode_closed.emit(finals[i], by_the_game)


## A decision is over; an episode of `most_steps` decisions (0: any number) is cut off by it.
func after_decision(most_steps: int) -> void:
	steps += 1
	if over:
		return
	if most_steps and steps >= most_steps:
		end(false)
		return
	for agent in agents:
		agent.settle_rewards()


## What each agent observes now; `problem` says where that cannot be used.
func observe() -> Array[PackedFloat32Array]:
	var made: Array[PackedFloat32Array] = []
	for i in agents.size():
		var seen := agents[i].collect()
		if sizes and seen.size() != sizes[i] and not problem:
			problem = "The agent %s observes %d numbers, %d at the start. An observation keeps its size; fill up with zeros." % [
				agents[i].get_path(), seen.size(), sizes[i]
			]
		made.append(seen)
	return made


## The first thing that the game did wrong.
func first_problem() -> String:
	for agent in agents:
		if not is_instance_valid(agent):
			return "An agent of the arena %s was freed; put it back into place when an episode begins instead." % root.name
		if agent.problem:
			return agent.problem
	return problem


## The value that any of its agents reported; null where none did.
func reported(what: String) -> Variant:
	for agent in agents:
		if agent.reported.has(what):
			return agent.reported[what]
	return null


## Set the declared settings; the arena's root may take them all at once, in a function configure(settings).
func configure(config: Dictionary) -> void:
	if root.has_method("configure"):
		root.call("configure", config)
	for one in settings():
		if one[1] and config.has(one[0]):
			_apply(one[1], one[0], config[one[0]])


## [name, node] of every declared setting. The node is the first with such a variable of: who declares it, that
## agent's body, the arena's root; null where none of them has it.
func settings() -> Array[Array]:
	var made: Array[Array] = []
	for node: Node in [root] + agents:
		var names: Variant = node.get("settings")
		if names is PackedStringArray or names is Array:
			for setting: String in names:
				var places := [node, node.get_parent(), root].filter(
					func(place: Node) -> bool: return _has_variable(place, setting)
				)
				made.append([setting, null if places.is_empty() else places[0]])
	return made


static func _has_variable(node: Node, variable: String) -> bool:
	return node.get_property_list().any(
		func(one: Dictionary) -> bool: return one.name == variable and one.usage & PROPERTY_USAGE_SCRIPT_VARIABLE
	)


static func _apply(node: Node, setting: String, value: Variant) -> void:
	for property in node.get_property_list():
		if property.name == setting:
			if property.type == TYPE_INT and property.hint == PROPERTY_HINT_ENUM:
				var names: PackedStringArray = property.hint_string.split(",")
				for i in names.size():
					var parts := names[i].split(":")
					if parts[0].strip_edges() == str(value):
						node.set(setting, parts[1].to_int() if parts.size() > 1 else i)
				return
			node.set(setting, type_convert(value, property.type))
			return
