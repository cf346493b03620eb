extends SceneTree
## How fast the training scene is with nobody at the other end: the ceiling that `benchmarks/godot_bridge.py`
## compares the bridge with. Words: --worlds=N --seconds=S; warms up for half as long, then prints a line of JSON.

const SETS := 16  # of random actions, drawn before the clock runs

var _game := TagGame.new()
var _actions: Array[PackedFloat32Array] = []


func _initialize() -> void:
	_measure()


func _measure() -> void:
	var arguments := SandlotArguments.parse()
	root.add_child(_game)
	await physics_frame
	_game.build(SandlotSpec.from_file(TagGame.SPEC_FILE), arguments.integer("worlds", 8))
	await physics_frame
	for world in _game.state.worlds:
		_game.reset(world, 7 + world)
	_draw_actions()
	var seconds := arguments.number("seconds", 1.0)
	_play(0.5 * seconds)
	print("CEILING ", JSON.stringify(_play(seconds)))
	quit(0)


func _play(seconds: float) -> Dictionary:
	var began := Time.get_ticks_usec()
	var steps := 0
	var passed := 0.0
	while passed < seconds:
		_game.step(_actions[steps % SETS])
		steps += 1
		passed = (Time.get_ticks_usec() - began) / 1e6
	return {"decisions": steps * _game.batch.rows(), "seconds": passed}


func _draw_actions() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = 7
	for i in SETS:
		var one := PackedFloat32Array()
		for j in _game.batch.rows() * _game.batch.action_size:
			one.append(random.randf_range(-1.0, 1.0))
		_actions.append(one)
