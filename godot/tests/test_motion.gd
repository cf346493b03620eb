extends TagCase
## Movement, jumping and falling against the closed forms of the table in docs/games/tag.md.


func test_full_speed_takes_four_tenths_of_a_second_and_one_metre_sixty() -> void:
	var game := await arena({"ticks_per_step": 1})
	put(game, 0, Vector3(-8.0, 0.0, 0.0), Vector2.RIGHT)
	put(game, 1, Vector3(0.0, 0.0, 8.0))
	var ticks := 0
	while game.state.vx[0] < 7.999 and ticks < 100:
		game.step(pushing(game, [Vector2.RIGHT, Vector2.ZERO]))
		ticks += 1
	equal(ticks, 24, "ticks to full speed")
	near(game.state.x[0] + 8.0, 1.6, 0.001, "metres to full speed")
	for _tick in 30:
		game.step(pushing(game, [Vector2.RIGHT, Vector2.ZERO]))
		check(Vector2(game.state.vx[0], game.state.vz[0]).length() < 8.0001, "faster than top speed")


func test_half_strength_is_half_speed() -> void:
	var game := await arena({"ticks_per_step": 1})
	put(game, 0, Vector3(-8.0, 0.0, 0.0), Vector2.RIGHT)
	for _tick in 60:
		game.step(pushing(game, [Vector2.RIGHT * 0.5, Vector2.ZERO]))
	near(game.state.vx[0], 4.0, 0.01, "speed")


func test_stopping_takes_one_metre_seven() -> void:
	var game := await arena({"ticks_per_step": 1})
	put(game, 0, Vector3(-8.0, 0.0, 0.0), Vector2.RIGHT)
	game.state.vx[0] = 8.0
	var ticks := 0
	while game.state.vx[0] > 0.0 and ticks < 100:
		game.step(idle(game))
		ticks += 1
	equal(ticks, 16, "ticks to rest")
	near(game.state.x[0] + 8.0, 8.0 * 8.0 / 60.0, 0.01, "metres to rest")


func test_a_jump_is_as_high_and_long_as_its_speed_says() -> void:
	var game := await arena({"ticks_per_step": 1})
	put(game, 0, Vector3.ZERO)
	put(game, 1, Vector3(6.0, 0.0, 6.0))
	var apex := 0.0
	var ticks := 0
	game.step(pushing(game, [Vector2.ZERO], true))
	while game.state.on_floor[0] == 0 and ticks < 200:
		apex = maxf(apex, game.state.y[0])
		ticks += 1
		game.step(idle(game))
	near(apex, 5.5 * 5.5 / 19.6, 0.01, "apex")
	near(ticks / 60.0, 2.0 * 5.5 / 9.8, 0.02, "seconds in the air")


func test_a_jump_still_works_a_tenth_of_a_second_after_the_edge() -> void:
	var game := await arena({"ticks_per_step": 1})
	put_box(game, Vector3(-1.0, 0.0, -1.0), Vector3(1.0, 1.0, 1.0))
	for late: int in [5, 8]:
		put(game, 0, Vector3(0.0, 1.0, 0.0))
		game.step(idle(game))
		put(game, 0, Vector3(4.0, 1.0, 0.0))
		for _tick in late:
			game.step(idle(game))
		game.step(pushing(game, [Vector2.ZERO], true))
		equal(game.state.vy[0] > 0.0, late == 5, "jumped %d ticks after leaving the floor" % late)


func test_free_fall_is_within_one_per_cent_of_the_closed_form() -> void:
	var game := await arena({"ticks_per_step": 1})
	put(game, 0, Vector3(0.0, 5.0, 0.0))
	for tick in range(1, 57):
		game.step(idle(game))
		var expected := 5.0 - 0.5 * 9.8 * pow(tick / 60.0, 2.0)
		near(game.state.y[0], expected, 0.01 * 5.0, "height at tick %d" % tick)


func test_the_floor_holds_what_falls_on_it() -> void:
	var game := await arena({"ticks_per_step": 1, "time_limit": 20})
	put(game, 0, Vector3(0.0, 5.0, 0.0))
	var lowest := INF
	for tick in 600:
		game.step(idle(game))
		lowest = minf(lowest, game.state.y[0])
		if tick > 120:
			equal(game.state.on_floor[0], 1, "on floor")
	equal(lowest, 0.0, "the lowest point")


func test_scripted_players_and_teleports_never_fall_out_of_the_arena() -> void:
	var game := await arena({"obstacles": 8, "mode": "switch", "time_limit": 60}, 1)
	var random := SandlotRandom.new(9)
	var players: Array[TagPlayer] = [
		TagScripted.new(game.rules, "chase", 3, 1), TagScripted.new(game.rules, "evade", 3, 2)
	]
	for step in 400:
		var actions := PackedFloat32Array()
		for row in 2:
			var seen := game.observation(row)
			actions.append_array(players[row].act(seen).slice(0, 3))
		game.step(actions)
		if step % 20 == 0:
			put(game, step / 20 % 2, Vector3(random.uniform_in(-8.0, 8.0), 4.0, random.uniform_in(-8.0, 8.0)))
		check(worst_intrusion(game) < 0.003, "step %d: %s m inside" % [step, worst_intrusion(game)])


func test_eyes_turn_a_full_circle_in_a_second_and_straight_back_means_left() -> void:
	var game := await arena({"ticks_per_step": 1})
	put(game, 0, Vector3.ZERO, NORTH)
	game.step(PackedFloat32Array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]))
	var facing := Vector2(game.state.fx[0], game.state.fz[0])
	near(rad_to_deg(absf(NORTH.angle_to(facing))), 6.0, 0.01, "degrees in a tick")
	check(facing.x < 0.0, "straight back turned right")
	near(facing.length(), 1.0, 1e-5, "length of the facing")


func test_a_seeker_stands_still_during_the_head_start() -> void:
	var game := await arena({"head_start_s": 1.0})
	var before := game.state.place(0)
	for _step in 19:
		game.step(pushing(game, [Vector2.RIGHT]))
	equal(game.state.place(0), before, "the seeker's place")
	check(absf(game.state.vx[1]) > 1.0 or game.state.x[1] > 9.0, "the hider did not run")
