extends Node3D
## The training scene: arenas without drawing, driven by the trainer in lock-step, as fast as the machine can.
##
## Nothing here waits for the engine's frames: bodies and rays are asked for directly, so a whole step is
## played between two messages and the same actions give the same match at any speed.

var _game := TagGame.new()
var _link := SandlotLink.new()


func _ready() -> void:
	add_child(_link)
	add_child(_game)
	# the physics space takes up new bodies at its first step
	await get_tree().physics_frame
	_serve()


func _serve() -> void:
	var known := SandlotSpec.from_file(TagGame.SPEC_FILE)
	var welcome := _link.connect_to_trainer("", {"game": "tag", "game_version": known.version()})
	if welcome.is_empty():
		printerr("sandlot: ", _link.problem)
		get_tree().quit(2)
		return
	_game.build(SandlotSpec.from_welcome(welcome), int(welcome.worlds))
	_game.auto_reset = bool(welcome.get("autoreset", true))
	await get_tree().physics_frame
	_link.look = _game.view
	var command := _link.await_command()
	while command != SandlotLink.Command.CLOSE:
		if command == SandlotLink.Command.STEP:
			_game.step(_link.actions)
		else:
			_begin(_link.reset_worlds, _link.seeds)
		command = _link.exchange(_game.batch)
	get_tree().quit(_link.exit_code())


func _begin(worlds: PackedInt32Array, seeds: PackedInt64Array) -> void:
	_game.batch.begin_step()
	for i in worlds.size():
		_game.reset(worlds[i], seeds[i])
