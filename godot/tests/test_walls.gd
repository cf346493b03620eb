extends TagCase
## Walls, floor and boxes let nobody through.


func test_floor_and_walls_are_static_bodies_where_they_should_be() -> void:
	var game := await arena()
	var out := game.rules.arena_half + TagBodies.WALL_THICKNESS * 0.5
	var expected := {
		"Floor": Vector3(0.0, -TagBodies.FLOOR_DEPTH * 0.5, 0.0),
		"WallNorth": Vector3(0.0, TagBodies.WALL_TOP * 0.5, -out),
		"WallSouth": Vector3(0.0, TagBodies.WALL_TOP * 0.5, out),
		"WallEast": Vector3(out, TagBodies.WALL_TOP * 0.5, 0.0),
		"WallWest": Vector3(-out, TagBodies.WALL_TOP * 0.5, 0.0),
	}
	for name: String in expected:
		var body := game.bodies.get_node_or_null("Arena0/" + name) as StaticBody3D
		check(body != null, "%s is missing or not static" % name)
		if body:
			equal(body.position, expected[name], name + "'s place")
			check(body.get_child(0) is CollisionShape3D, name + " has no collision shape")


func test_no_wall_lets_a_body_through_at_full_speed() -> void:
	for way: Vector2 in [Vector2.UP, Vector2.DOWN, Vector2.LEFT, Vector2.RIGHT]:
		var game := await arena({"time_limit": 60})
		put(game, 0, Vector3(way.x * 2.0, 0.0, way.y * 2.0))
		put(game, 1, Vector3(-way.x * 6.0 + way.y, 0.0, -way.y * 6.0 + way.x))
		for _step in 60:
			game.step(pushing(game, [way, Vector2.ZERO]))
		var at := game.state.place(0)
		near(Vector2(at.x, at.z).dot(way), FAR, 1e-4, "the place at the wall toward %s" % way)


func test_no_corner_lets_a_body_through_diagonally_and_jumping() -> void:
	for way: Vector2 in [Vector2(1, 1), Vector2(-1, 1), Vector2(1, -1), Vector2(-1, -1)]:
		var game := await arena({"time_limit": 60})
		put(game, 0, Vector3(way.x * 3.0, 0.0, way.y * 3.0))
		put(game, 1, Vector3(-way.x * 6.0, 0.0, -way.y * 6.0))
		for _step in 100:
			game.step(pushing(game, [way.normalized(), Vector2.ZERO], true))
			check(worst_intrusion(game) < 0.0005, "a corner is %s m inside" % worst_intrusion(game))


func test_nobody_gets_over_a_wall_from_the_highest_box() -> void:
	var game := await arena({"time_limit": 60, "jump_speed": 8})
	put_box(game, Vector3(7.0, 0.0, -1.0), Vector3(8.5, 3.0, 1.0))
	put(game, 0, Vector3(7.7, 3.0, 0.0))
	put(game, 1, Vector3(-6.0, 0.0, 0.0))
	for _step in 60:
		game.step(pushing(game, [Vector2.RIGHT, Vector2.ZERO], true))
	near(game.state.x[0], FAR, 1e-4, "the place behind the box")


func test_a_box_stops_a_body_and_carries_it() -> void:
	var game := await arena({"time_limit": 60})
	put_box(game, Vector3(2.0, 0.0, -1.0), Vector3(4.0, 1.0, 1.0))
	put(game, 0, Vector3(0.0, 0.0, 0.0))
	put(game, 1, Vector3(-6.0, 0.0, 6.0))
	for _step in 30:
		game.step(pushing(game, [Vector2.RIGHT, Vector2.ZERO]))
	near(game.state.x[0], 2.0 - 0.501, 1e-4, "the place before the box")
	equal(game.state.vx[0], 0.0, "the speed at the box")
	put(game, 0, Vector3(3.0, 2.0, 0.0))
	for _step in 30:
		game.step(idle(game))
	near(game.state.y[0], 1.0, 1e-4, "the height on the box")
	equal(game.state.on_floor[0], 1, "on floor")


func test_bodies_stop_each_other_and_stand_on_heads() -> void:
	var game := await arena({"mode": "switch", "reach": 0.01, "time_limit": 60})
	put(game, 0, Vector3(-3.0, 0.0, 0.0))
	put(game, 1, Vector3(0.0, 0.0, 0.0))
	for _step in 40:
		game.step(pushing(game, [Vector2.RIGHT, Vector2.ZERO]))
		check(game.state.x[1] - game.state.x[0] > 1.0, "bodies overlap")
	put(game, 0, Vector3(0.2, 2.5, 0.1))
	for _step in 30:
		game.step(idle(game))
	near(game.state.y[0], game.rules.edge, 1e-4, "the height on a head")


func test_a_hundred_thousand_random_actions_put_no_corner_inside_anything() -> void:
	var game := await arena({"obstacles": 8}, 64)
	game.auto_reset = true
	var random := SandlotRandom.new(5)
	var worst := -INF
	var actions := 0
	while actions < 100_000:
		var drawn := random_actions(game, random)
		for _held in 4:
			game.step(drawn)
			actions += 128
		for world in game.state.worlds:
			worst = maxf(worst, worst_intrusion(game, world))
	# sideways the engine forgives the very corner of a box by a millimetre or two
	check(worst < 0.003, "a corner was %s m inside" % worst)
