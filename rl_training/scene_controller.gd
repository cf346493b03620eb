extends AIController3D
## What the controllers of this folder share: the episodes of a scene, by the interface of the Godot RL Agents plugin.
##
## Put a controller below the body that it steers, beside the scene's own agent: it asks that agent for what is observed and
## paid, so that a policy learns the same task through [Sync] as through `sandlot train`. The scene must have no
## SandlotTrainer; res://scenes/rl_training.tscn takes it out and adds these controllers.

const ARENA := &"rl_training_arena"  # meta of the scene's root: its controllers share one episode
const LAST := 1000  # of the nodes in a tick: the game has played when episodes are looked at

var agent: SandlotAgent

var _arena: SandlotArena
var _seed := 1
var _is_fresh := true  # the next episode is the first one of its seed


func _ready() -> void:
	super()
	process_physics_priority = LAST
	agent = get_parent().get_node("Agent")
	var root := _root()
	if not root.has_meta(ARENA):
		root.set_meta(ARENA, SandlotArena.of(root))
	_arena = root.get_meta(ARENA)
	init(get_parent() as Node3D)
	if _is_leader():
		root.ready.connect(_begin, CONNECT_ONE_SHOT)


## The scene that this controller plays in: the topmost node of its file's tree, below which its agent is found.
func _root() -> Node:
	var node: Node = agent.owner
	while node.owner:
		node = node.owner
	return node


func _is_leader() -> bool:
	return _arena.agents[0] == agent


func _all() -> Array[Node]:
	return get_tree().get_nodes_in_group("AGENT").filter(func(one: Node) -> bool: return one.get("_arena") == _arena)


## The seed of the episodes that begin from now on; the trainer gives it.
func set_seed(value: int) -> void:
	_seed = value
	_is_fresh = true


func _begin() -> void:
	if _is_fresh:
		_arena.reset(_seed)
	else:
		_arena.next_episode()
	_is_fresh = false
	for one in _all():
		one.call("reset")


func _physics_process(delta: float) -> void:
	super(delta)
	if not _is_leader():
		return
	_arena.after_tick()
	if not _arena.over and _all().any(func(one: Node) -> bool: return one.get("needs_reset")):
		_arena.end(false)
	if _arena.over:
		for one in _all():
			one.call("_finish", _arena.terminated)
		_begin()


## The episode is over; what it paid is kept until the trainer reads it.
func _finish(by_the_game: bool) -> void:
	_collect()
	truncated = not by_the_game
	done = true


func _collect() -> void:
	reward += agent.step_reward
	agent.next_decision()


# ---------------------------------------------------------------- the plugin's interface


func get_reward() -> float:
	if not _arena.over:
		agent.settle_rewards()
		_collect()
	return reward


## The heads in the order of [method get_action_space], as the agent declares its actions.
func set_action(action) -> void:
	var numbers := PackedFloat32Array()
	for head: String in get_action_space():
		for number: float in action[head]:
			numbers.append(clampf(number, -1.0, 1.0))
	agent.take(numbers)


func get_info() -> Dictionary:
	return {"is_success": bool(agent.reported.get("success", false))}


## Heads of one number each, -1 to 1.
static func axes(names: Array[String]) -> Dictionary:
	var made := {}
	for name in names:
		made[name] = {"size": 1, "action_type": "continuous"}
	return made
