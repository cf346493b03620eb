extends SceneTree
## How many agent decisions a second the arenas do with no trainer at all. Words: WORLDS SECONDS


func _initialize() -> void:
	_measure.call_deferred()


func _measure() -> void:
	var words := OS.get_cmdline_user_args()
	var worlds := words[0].to_int() if words.size() > 0 else 128
	var seconds := words[1].to_float() if words.size() > 1 else 3.0
	var pause := words[2].to_int() if words.size() > 2 else 1
	var game := TagGame.new()
	root.add_child(game)
	game.build(SandlotSpec.from_file(TagGame.SPEC_FILE), worlds)
	await physics_frame
	var random := SandlotRandom.new(1)
	for world in worlds:
		game.reset(world, SandlotRandom.split(1, world))
	var actions := PackedFloat32Array()
	actions.resize(worlds * game.rules.agents * game.rules.action_size())
	for i in actions.size():
		actions[i] = random.uniform_in(-1.0, 1.0)
	var steps := 0
	var began := Time.get_ticks_usec()
	while Time.get_ticks_usec() - began < seconds * 1e6:
		game.step(actions)
		steps += 1
		if pause > 0 and steps % pause == 0:
			await physics_frame
	var taken := (Time.get_ticks_usec() - began) / 1e6
	var decisions := steps * worlds * game.rules.agents / taken
	print(JSON.stringify({"worlds": worlds, "steps": steps, "seconds": taken, "decisions_per_s": decisions}))
	quit(0)
