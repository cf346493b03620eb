extends TagCase
## The same seed and actions give the same match, whatever the pace and however many arenas there are.


func _trace(game: TagGame, world: int, steps: int, one_tick_a_frame := false) -> String:
	var random := SandlotRandom.new(21)
	var hash := HashingContext.new()
	hash.start(HashingContext.HASH_SHA256)
	for _step in steps:
		var own := PackedFloat32Array()
		for _i in 6:
			own.append(random.uniform_in(-1.0, 1.0))
		var actions := PackedFloat32Array()
		for _world in game.state.worlds:
			actions.append_array(own)
		if one_tick_a_frame:
			game.begin_step(actions)
			for _tick in game.rules.ticks_per_step:
				await frame()
				game.play_tick()
			game.end_step()
		else:
			game.step(actions)
		hash.update(game.batch.observations.slice(world * 312, world * 312 + 312).to_byte_array())
	return hash.finish().hex_encode()


func test_the_same_seed_and_actions_give_the_same_bits() -> void:
	var first := await arena({"obstacles": 8})
	var trace := await _trace(first, 0, 100)
	clean_up()
	var second := await arena({"obstacles": 8})
	equal(await _trace(second, 0, 100), trace, "the second trace")


func test_real_time_and_flat_out_give_the_same_bits() -> void:
	var fast := await arena({"obstacles": 8})
	var fast_trace := await _trace(fast, 0, 60)
	clean_up()
	var slow := await arena({"obstacles": 8})
	equal(await _trace(slow, 0, 60, true), fast_trace, "the trace in real time")


func test_neighbours_make_no_difference_beyond_rounding() -> void:
	var places: Array[Vector3] = []
	for worlds: int in [1, 9]:
		var game := await arena({"obstacles": 8}, worlds)
		game.reset(worlds - 1, 77)
		await _trace(game, worlds - 1, 60)
		places.append(game.state.place(worlds * 2 - 2))
		clean_up()
	check(places[0].distance_to(places[1]) < 0.001, "places differ: %s" % [places])


func test_the_next_match_of_a_world_has_a_seed_of_its_own() -> void:
	var game := await arena({"obstacles": 8})
	game.reset(0, 5)
	var first := game.state.place(0)
	game.next_match(0)
	check(game.state.place(0) != first, "the second match began like the first")
	game.reset(0, 5)
	equal(game.state.place(0), first, "the place after the same reset")


func test_random_numbers_are_those_of_the_native_engine() -> void:
	var random := SandlotRandom.new(42)
	equal([random.draw(), random.draw(), random.draw()], [2707161783, 2068313097, 3122475824], "draws of seed 42")
	equal(SandlotRandom.split(7, 1), 309689372594955804, "child 1 of seed 7")
	equal(SandlotRandom.split(-5, 3), -2814969192020637181, "child 3 of seed 2^64 - 5")


func test_separation_at_the_start_always_holds() -> void:
	var game := await arena({"seekers": 4, "hiders": 4, "obstacles": 12}, 20)
	for world in 20:
		for a in 8:
			for b in a:
				var distance := game.state.place(world * 8 + a).distance_to(game.state.place(world * 8 + b))
				check(distance >= 5.9999, "world %d: %s m apart" % [world, distance])
		check(worst_intrusion(game, world) < 1e-6, "somebody begins inside a box")
