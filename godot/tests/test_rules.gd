extends TagCase
## Touches, time, roles and rewards, by hand-made steps.


func test_a_touch_in_the_last_tick_before_the_limit_wins_and_at_the_limit_loses() -> void:
	for last: int in [599, 600]:
		var game := await arena({"ticks_per_step": 1})
		put(game, 0, Vector3(-4.0, 0.0, 0.0))
		put(game, 1, Vector3(4.0, 0.0, 0.0))
		game.state.tick[0] = last - 1
		put(game, 1, Vector3(-2.95, 0.0, 0.0))
		game.step(idle(game))
		equal(game.state.tick[0], last, "tick")
		var winner := TagRules.Winner.SEEKER if last == 599 else TagRules.Winner.HIDER
		equal(game.state.winner[0], winner, "winner at %d" % last)
		equal(game.state.reason[0], TagRules.Reason.TAG if last == 599 else TagRules.Reason.TIMEOUT, "reason")


func test_bodies_that_overlap_from_the_start_of_a_tick_touch() -> void:
	var game := await arena()
	put(game, 0, Vector3.ZERO)
	put(game, 1, Vector3(1.05, 0.0, 0.0))
	game.step(idle(game))
	equal(game.state.winner[0], TagRules.Winner.SEEKER, "winner")
	equal(game.batch.terminated[0], 1, "terminated")
	equal(game.batch.truncated[0], 0, "truncated")
	equal(Array(game.batch.ended), [0], "ended worlds")


func test_reach_is_measured_on_every_axis() -> void:
	var cases := {
		Vector3(1.09, 0, 0): true, Vector3(1.12, 0, 0): false,
		Vector3(1.05, 0, 1.05): true, Vector3(0.5, 1.2, 0): false,
	}
	for offset: Vector3 in cases:
		var game := await arena({"ticks_per_step": 1})
		put(game, 0, Vector3.ZERO)
		put(game, 1, offset)
		game.state.vy[1] = 9.8 / 60.0  # hangs still for the one tick that is looked at
		game.step(idle(game))
		equal(game.is_over(), cases[offset], "a touch at %s" % offset)


func test_time_up_is_truncation_in_switch_and_termination_in_timed() -> void:
	for mode: String in ["timed", "switch"]:
		var game := await arena({"mode": mode, "time_limit": 1})
		for _step in 20:
			game.step(idle(game))
		equal(game.batch.terminated[0], int(mode == "timed"), "terminated in " + mode)
		equal(game.batch.truncated[0], int(mode == "switch"), "truncated in " + mode)
		equal(game.state.winner[0], TagRules.Winner.HIDER if mode == "timed" else TagRules.Winner.NOBODY, "winner")


func test_switch_passes_the_role_and_makes_both_immune() -> void:
	var game := await arena({"mode": "switch", "time_limit": 20})
	put(game, 0, Vector3.ZERO)
	put(game, 1, Vector3(1.05, 0.0, 0.0))
	game.step(idle(game))
	equal([game.state.seeker[0], game.state.seeker[1]], [0, 1], "roles after the pass")
	check(game.state.immunity[0] > 0 and game.state.immunity[1] > 0, "somebody is not immune")
	equal(game.is_over(), false, "over")
	var passes := game.state.tags[0]
	for _step in 28:
		game.step(idle(game))
	equal(game.state.tags[0], passes, "passes while immune")
	for _step in 4:
		game.step(idle(game))
	equal(game.state.tags[0], passes + 1, "passes after 1.5 s")
	near(game.batch.rewards[1] + game.batch.rewards[0], 0.0, 6.1, "pass rewards are opposite")


func test_the_last_hider_ends_a_match_of_several() -> void:
	var game := await arena({"hiders": 2})
	put(game, 0, Vector3.ZERO)
	put(game, 1, Vector3(1.05, 0.0, 0.0))
	put(game, 2, Vector3(6.0, 0.0, 6.0))
	game.step(idle(game))
	equal([game.state.in_play[1], game.state.in_play[2], game.is_over()], [0, 1, false], "after the first touch")
	put(game, 2, Vector3(-1.05, 0.0, 0.0))
	game.step(idle(game))
	equal(game.is_over(), true, "over after the second touch")


func test_each_reward_term_pays_what_the_settings_say() -> void:
	var game := await arena()
	put(game, 0, Vector3(0.0, 0.0, 0.0))
	put(game, 1, Vector3(5.0, 0.0, 0.0))
	game.state.distance[0] = 6.0  # as if the last step had closed one metre
	game.state.distance[1] = 6.0
	game.step(idle(game))
	near(game.batch.rewards[0], 0.14 * 1.0 - 0.1 * 0.05, 1e-5, "seeker's progress and time")
	near(game.batch.rewards[1], -0.14 * 1.0 + 0.2 * 0.05, 1e-5, "hider's progress and survival")
	put(game, 1, Vector3(1.05, 0.0, 0.0))
	game.step(idle(game))
	near(game.batch.rewards[0], 10.0, 0.1, "seeker's touch")
	near(game.batch.rewards[1], -10.0, 0.1, "hider's touch")


func test_time_up_pays_six_both_ways() -> void:
	var game := await arena({"time_limit": 1})
	for _step in 20:
		game.step(idle(game))
	near(game.batch.rewards[0], -6.005, 1e-4, "seeker")
	near(game.batch.rewards[1], 6.01, 1e-4, "hider")


func test_shaping_never_pays_more_than_winning() -> void:
	var game := await arena()
	for term: Dictionary in game.spec.description.reward_terms:
		if term.shaping:
			check(term.worst_case < 10.0, "%s can pay %s" % [term.name, term.worst_case])


func test_the_terms_of_an_episode_add_up_to_the_returns() -> void:
	var game := await arena({"time_limit": 2, "obstacles": 8})
	var random := SandlotRandom.new(3)
	var paid := [0.0, 0.0]
	while not game.is_over():
		game.step(random_actions(game, random))
		paid[0] += game.batch.rewards[0]
		paid[1] += game.batch.rewards[1]
	var returns := game.spec.field("returns", "episode")
	var terms := game.spec.field("terms", "episode")
	var sum := 0.0
	for i in terms.y:
		sum += game.batch.episodes[terms.x + i]
	near(game.batch.episodes[returns.x], paid[0], 1e-3, "return of the seeker")
	near(game.batch.episodes[returns.x + 1], paid[1], 1e-3, "return of the hider")
	near(sum, paid[0] + paid[1], 1e-3, "sum of the terms")
	equal(game.batch.episodes.size(), int(game.spec.description.shape.episode), "numbers of an episode")


func test_views_have_the_sizes_of_the_spec() -> void:
	var game := await arena({"obstacles": 8})
	var seen := game.view(0)
	equal(seen.info.size(), int(game.spec.description.shape.info), "info")
	equal(seen.render.size(), int(game.spec.description.shape.render), "render")


func test_the_first_agents_are_the_seekers_unless_set_otherwise() -> void:
	var game := await arena({"first_is_seeker": false})
	equal([game.state.seeker[0], game.state.seeker[1]], [0, 1], "roles")


func test_random_players_meet_and_touch() -> void:
	var game := await arena({"obstacles": 4}, 50)
	var random := SandlotRandom.new(11)
	var met := {}
	var actions := PackedFloat32Array()
	for step in 200:
		if step % 10 == 0:
			actions = random_actions(game, random)
		game.step(actions)
		for world in game.state.worlds:
			if game.state.place(world * 2).distance_to(game.state.place(world * 2 + 1)) < 2.0:
				met[world] = true
	check(met.size() >= 5, "only %d of 50 pairs met" % met.size())
	check(Array(game.state.winner).has(TagRules.Winner.SEEKER), "nobody was touched")


func test_a_scripted_seeker_catches_a_strolling_hider() -> void:
	var game := await arena({"obstacles": 4}, 10)
	var players: Array[TagPlayer] = []
	for row in 20:
		players.append(TagScripted.new(game.rules, "wander" if row % 2 else "chase", 3, row))
	for _step in 200:
		var actions := PackedFloat32Array()
		for row in 20:
			actions.append_array(players[row].act(game.observation(row)).slice(0, 3))
		game.step(actions)
	var caught := Array(game.state.winner).count(TagRules.Winner.SEEKER)
	check(caught >= 7, "caught only %d of 10" % caught)


func test_a_scripted_player_plays_the_role_it_has() -> void:
	var game := await arena()
	put(game, 0, Vector3(0.0, 0.0, 3.0), NORTH)
	put(game, 1, Vector3(0.0, 0.0, -1.0))
	game.sight.look(0)
	for seeks: int in [1, 0]:
		game.state.seeker[0] = seeks
		game.sight.look(0)
		game.sight.write(0, 0, game.batch.observations, 0)
		var player := TagScripted.new(game.rules, "chase", 3, 1)
		var action := player.act(game.observation(0))
		equal(action[1] < 0.0, seeks == 1, "runs ahead as %s" % ["hider", "seeker"][seeks])


func test_a_person_moves_as_the_camera_sees_it_and_jumps() -> void:
	var game := await arena()
	put(game, 0, Vector3.ZERO, Vector2.RIGHT)
	var camera := TagCamera.new()
	add(camera)
	var person := TagHuman.new(camera)
	var keys := {KEY_W: Vector2.UP, KEY_DOWN: Vector2.DOWN, KEY_A: Vector2.LEFT, KEY_RIGHT: Vector2.RIGHT}
	for key: Key in keys:
		put(game, 0, Vector3.ZERO, Vector2.RIGHT)
		_press(key, true)
		game.sight.look(0)
		game.sight.write(0, 0, game.batch.observations, 0)
		var action := person.act(game.observation(0)).slice(0, 3)
		_press(key, false)
		action.append_array([0.0, 0.0, 0.0])
		game.step(action)
		var went := Vector2(game.state.vx[0], game.state.vz[0]).normalized()
		near(went.dot(keys[key]), 1.0, 0.01, "the way of key %s" % OS.get_keycode_string(key))
	_press(KEY_SPACE, true)
	equal(person.act(game.observation(0))[2], 1.0, "jump")
	_press(KEY_SPACE, false)


func _press(key: Key, down: bool) -> void:
	var event := InputEventKey.new()
	event.physical_keycode = key
	event.pressed = down
	Input.parse_input_event(event)
	Input.flush_buffered_events()
