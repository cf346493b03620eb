extends Node3D
## Tag for the stock godot-rl client: the very arenas, bodies and rays of the training scene, played tick by tick
## in the engine's own time. Words, beside those of StockSync: --arenas=8 --env_seed=1
##
## Where the project has the plugin itself (addons/godot_rl_agents), its Sync node talks to the client, else ours.

const PLUGIN_SYNC := "res://addons/godot_rl_agents/sync.gd"

var _game := TagGame.new()
var _sync := StockSync.new()
var _agents: Array[StockController] = []
var _ticks := 0  # of this step


func _ready() -> void:
	set_physics_process(false)
	_sync.process_physics_priority = -1  # at a decision tick it speaks first, then the arenas play
	add_child(_sync)
	add_child(_game)
	await get_tree().physics_frame
	_build(maxi(StockSync.arguments().integer("arenas", 8), 1))
	await get_tree().physics_frame
	var seed_value := StockSync.arguments().integer("env_seed", 1)
	for world in _game.state.worlds:
		_game.reset(world, seed_value if world == 0 else SandlotRandom.split(seed_value, world))
	_show()
	if ResourceLoader.exists(PLUGIN_SYNC):
		_begin_with_plugin()
		return
	if _sync.begin():
		set_physics_process(true)
		return
	printerr("sandlot: ", _sync.problem)
	get_tree().quit(2)


## The plugin's node begins when its parent is ready, so it gets one that is not yet.
func _begin_with_plugin() -> void:
	print("STOCK PLUGIN")
	var plugin: Node = load(PLUGIN_SYNC).new()
	plugin.set("action_repeat", _sync.action_repeat)
	plugin.process_physics_priority = -1
	var holder := Node.new()
	holder.add_child(plugin)
	set_physics_process(true)
	add_child(holder)


func _physics_process(_delta: float) -> void:
	if _ticks == 0:
		_begin_where_asked()
		_game.begin_step(_actions())
	_game.play_tick()
	_ticks += 1
	if _ticks == _game.rules.ticks_per_step:
		_ticks = 0
		_game.end_step()
		_show()


func _build(worlds: int) -> void:
	var settings := {"ticks_per_step": _sync.action_repeat}
	_game.build(SandlotSpec.from_file(TagGame.SPEC_FILE, settings), worlds)
	for row in _game.batch.rows():
		var agent := StockController.new()
		add_child(agent)
		_agents.append(agent)


func _begin_where_asked() -> void:
	for world in _game.state.worlds:
		if _agents[world * _game.rules.agents].needs_reset:
			_game.next_match(world)
	for agent in _agents:
		agent.needs_reset = false


func _actions() -> PackedFloat32Array:
	var made := PackedFloat32Array()
	for agent in _agents:
		made.append_array([agent.move.x, agent.move.y, float(agent.jump)])
	return made


func _show() -> void:
	for row in _agents.size():
		var agent := _agents[row]
		agent.observation = _game.observation(row)
		agent.reward += _game.batch.rewards[row]
		agent.done = agent.done or _game.batch.terminated[row] == 1 or _game.batch.truncated[row] == 1
