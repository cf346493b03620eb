extends TagCase
## What the eyes see: index, distance and kind, of things put in known places.


func _look(game: TagGame, row := 0) -> void:
	game.sight.look(row)


func _ray_toward(game: TagGame, degrees_left: float) -> int:
	return roundi((degrees_left / 120.0 + 0.5) * (TagRules.RAYS - 1))


func test_a_target_straight_ahead_is_seen_in_the_middle_at_its_distance() -> void:
	var game := await arena()
	put(game, 0, Vector3(0.0, 0.0, 4.0), NORTH)
	put(game, 1, Vector3(0.0, 0.0, -2.0))
	_look(game)
	for i: int in [17, 18]:
		equal(game.sight.whom[i], 1, "ray %d" % i)
		var off := deg_to_rad(120.0 * (i / 35.0 - 0.5))
		near(game.sight.distances[i], 5.5 / cos(off), 0.01, "distance of ray %d" % i)


func test_ray_0_is_the_right_edge_and_the_last_one_the_left() -> void:
	var game := await arena()
	for side: float in [1.0, -1.0]:
		put(game, 0, Vector3(0.0, 0.0, 0.0), NORTH)
		put(game, 1, Vector3(side * 5.0 * sin(PI / 3.0), 0.0, -5.0 * cos(PI / 3.0)))
		_look(game)
		equal(game.sight.whom[0 if side > 0.0 else 35], 1, "the edge ray toward x = %s" % side)
		equal(game.sight.whom[35 if side > 0.0 else 0], -1, "the other edge ray")


func test_walls_are_met_at_the_distance_of_plain_geometry() -> void:
	var game := await arena()
	put(game, 0, Vector3(2.0, 0.0, 3.0), NORTH)
	put(game, 1, Vector3(-8.0, 0.0, 9.0))
	_look(game)
	for i in TagRules.RAYS:
		var angle := deg_to_rad(120.0 * (i / 35.0 - 0.5))
		var way := Vector2(-sin(angle), -cos(angle))
		var to_x := ((10.0 if way.x > 0.0 else -10.0) - 2.0) / way.x
		var to_z := (-10.0 - 3.0) / way.y
		var expected := minf(to_x, to_z)
		near(game.sight.distances[i], minf(expected, 15.0), 0.01, "distance of ray %d" % i)
		equal(game.sight.whom[i], -1 if expected < 15.0 else -2, "kind of ray %d" % i)


func test_nothing_within_range_is_none_at_full_distance() -> void:
	var game := await arena({"vision_range": 5.0})
	put(game, 0, Vector3(0.0, 0.0, 9.0), NORTH)
	put(game, 1, Vector3(9.0, 0.0, -9.0))
	_look(game)
	equal(game.sight.whom[17], -2, "the middle ray")
	near(game.sight.distances[17], 5.0, 1e-5, "its distance")


func test_a_box_hides_who_is_behind_it_and_a_low_one_not_in_a_jump() -> void:
	var game := await arena()
	put_box(game, Vector3(-1.0, 0.0, -1.0), Vector3(1.0, 1.0, 1.0))
	put(game, 0, Vector3(0.0, 0.0, 5.0), NORTH)
	put(game, 1, Vector3(0.0, 1.2, -5.0))
	_look(game)
	equal(game.sight.whom[17], -1, "the middle ray on the floor")
	near(game.sight.distances[17], 4.0 / cos(deg_to_rad(60.0 / 35.0)), 0.01, "its distance")
	put(game, 0, Vector3(0.0, 1.2, 5.0), NORTH)
	_look(game)
	equal(game.sight.whom[17], 1, "the middle ray in a jump")


func test_what_is_behind_is_not_seen_until_the_eyes_have_turned() -> void:
	var game := await arena()
	put(game, 0, Vector3.ZERO, NORTH)
	put(game, 1, Vector3(0.0, 0.0, 5.0))
	_look(game)
	check(not Array(game.sight.whom).has(1), "seen behind the back")
	put(game, 0, Vector3.ZERO, -NORTH)
	_look(game)
	equal(game.sight.whom[17], 1, "the middle ray after turning")


func test_who_is_above_or_out_is_not_seen() -> void:
	var game := await arena()
	put(game, 0, Vector3.ZERO, NORTH)
	put(game, 1, Vector3(0.0, 0.6, -5.0))
	_look(game)
	check(not Array(game.sight.whom).has(1), "seen although its feet are above the eyes")
	put(game, 1, Vector3(0.0, 0.0, -5.0))
	game.state.in_play[1] = 0
	game.bodies.show_in_play(1)
	_look(game)
	check(not Array(game.sight.whom).has(1), "seen although it is out")


func test_an_observation_has_the_size_and_ranges_of_the_spec() -> void:
	for layout: String in ["rays", "reference84"]:
		var game := await arena({"layout": layout, "obstacles": 8})
		var size := 156 if layout == "rays" else 84
		equal(game.batch.observation_size, size, "size of layout " + layout)
		equal(game.batch.observations.size(), size * 2, "floats of two agents")
		var lowest := INF
		var highest := -INF
		for number in game.batch.observations:
			lowest = minf(lowest, number)
			highest = maxf(highest, number)
		check(lowest >= -1.0 and highest <= 1.0 or layout == "reference84", "outside of -1..1")


func test_the_fields_lie_where_the_spec_says() -> void:
	var game := await arena()
	put(game, 0, Vector3(5.0, 0.0, -2.5), NORTH)
	game.sight.look(0)
	game.sight.write(0, 0, game.batch.observations, 0)
	var self_field := game.spec.field("self")
	var clock := game.spec.field("clock")
	var roles := game.spec.field("roles")
	var rays := game.spec.field("rays")
	near(game.batch.observations[self_field.x], 0.5, 1e-6, "x")
	near(game.batch.observations[self_field.x + 2], -0.25, 1e-6, "z")
	near(game.batch.observations[clock.x], 1.0, 1e-6, "clock")
	equal(game.batch.observations[roles.x], 1.0, "seeker flag")
	equal(rays.y, TagRules.RAYS * 4, "size of the rays")
	for i in TagRules.RAYS:
		var at := rays.x + i * 4
		var kinds := game.batch.observations.slice(at + 1, at + 4)
		equal(kinds[0] + kinds[1] + kinds[2], 1.0, "one-hot of ray %d" % i)


func test_the_vision_pane_draws_the_right_edge_on_the_right() -> void:
	var pane := VisionPane.new()
	pane.size = Vector2(300, 200)
	add(pane)
	var distances := PackedFloat32Array()
	distances.resize(36)
	pane.show_sight("", Color.WHITE, distances, distances)
	check(pane.ray_end(0, 1.0).x > pane.ray_end(35, 1.0).x, "ray 0 is drawn on the left")
	check(pane.ray_end(17, 1.0).y < pane.size.y * 0.5, "ahead is not up")
