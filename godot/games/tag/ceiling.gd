extends SceneTree
## How fast the training scene is with nobody at the other end: the ceiling that `sandlot bench --engine godot`
## compares the bridge with. Words: --worlds=N --steps=N --rounds=N; prints one line of JSON a round.


func _initialize() -> void:
	_measure()


func _measure() -> void:
	var words := SandlotWords.given()
	var worlds := words.integer("worlds", 8)
	var steps := words.integer("steps", 100)
	var game := TagGame.new()
	root.add_child(game)
	await physics_frame
	game.build(SandlotSpec.from_file(TagGame.SPEC_FILE), worlds)
	await physics_frame
	for world in worlds:
		game.reset(world, 7 + world)
	var actions := _random_actions(game.batch.rows() * game.batch.action_size, 16)
	for round_number in words.integer("rounds", 1) + 1:
		var began := Time.get_ticks_usec()
		for step in steps:
			game.step(actions[step % actions.size()])
		var seconds := (Time.get_ticks_usec() - began) / 1e6
		if round_number > 0:  # the first one warms up
			print("CEILING ", JSON.stringify({"decisions": steps * game.batch.rows(), "seconds": seconds}))
	quit(0)


func _random_actions(numbers: int, count: int) -> Array[PackedFloat32Array]:
	var random := RandomNumberGenerator.new()
	random.seed = 7
	var made: Array[PackedFloat32Array] = []
	for i in count:
		var one := PackedFloat32Array()
		one.resize(numbers)
		for j in numbers:
			one[j] = random.randf_range(-1.0, 1.0)
		made.append(one)
	return made
