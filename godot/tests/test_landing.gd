extends SandlotTestCase
## The landing scene: flight by closed forms, each ending by hand, what the terms can pay, leaving the ship, and an
## origin that follows.

const SITE := "res://games/landing/site.tscn"
const TICK := 1.0 / 90.0
const FAR := 1e6  # metres

var _rate_before := 60


func _site(settings := {}) -> LandingGame:
	_rate_before = Engine.physics_ticks_per_second
	var made: LandingGame = (load(SITE) as PackedScene).instantiate()
	add(made)
	made.configure(settings)
	made.begin_episode(SandlotRandom.new(5))
	made.get_node("Agent").begin_episode(SandlotRandom.new(5))
	return made


func _done() -> void:
	Engine.physics_ticks_per_second = _rate_before


func _set_down(made: LandingGame, speed: Vector3, tilt := 0.0) -> void:
	made._place_craft(Transform3D(Basis(Vector3.RIGHT, tilt), Vector3(0.5, 1.54 + 2.0 * sin(absf(tilt)), 0)), speed, Vector2.ZERO)
	for i in 120:
		if made.ending != LandingGame.Ending.FLYING:
			return
		await frame()


func test_it_falls_and_climbs_by_newtons_laws() -> void:
	var site := _site()
	var speed := site.craft.linear_velocity.y
	await frame()
	await frame()
	for i in 45:
		await frame()
	var ticks := site.ticks
	near(site.craft.linear_velocity.y, speed - 9.8 * (ticks + 2) * TICK, 0.25, "half a second of falling")
	site.steer(Vector3(0, 1, 0), Vector2.ZERO)
	speed = site.craft.linear_velocity.y
	var fuel := site.fuel
	for i in 45:
		await frame()
	near(site.craft.linear_velocity.y - speed, (10000.0 / 700.0 - 9.8) * 45 * TICK, 0.15, "half a second of full thrust")
	near(fuel - site.fuel, 10000.0 / 2940.0 * 45 * TICK, 0.1, "fuel of it")
	_done()


func test_torque_turns_it_and_the_heading_stays() -> void:
	var site := _site({"spin_damping": 0.0})
	site.steer(Vector3.ZERO, Vector2(1, 0.5))
	for i in 92:
		await frame()
	var turn := site.attitude()
	var wanted := 0.5 * 500.0 / (700.0 * 1.44)  # half of torque / inertia, after a second
	near(turn.x, wanted, 0.03, "pitch")
	near(turn.y, wanted * 0.5, 0.03, "roll")
	near(site.craft.basis.z.x, 0.0, 1e-3, "heading")
	_done()


func test_every_ending_comes_when_it_should() -> void:
	var wanted := {1.0: LandingGame.Ending.SOFT, 3.5: LandingGame.Ending.HARD, 8.0: LandingGame.Ending.CRASH}
	for speed: float in wanted:
		var site := _site()
		await _set_down(site, Vector3(0, -speed, 0))
		equal(site.ending, wanted[speed], "at %s m/s (%s measured)" % [speed, site.touchdown_speed])
		near(site.touchdown_speed, speed, 0.4, "speed")
		site.free()
	var leaning := _site()
	await _set_down(leaning, Vector3(0, -1, 0), deg_to_rad(25.0))
	equal(leaning.ending, LandingGame.Ending.CRASH, "25 degrees")
	leaning.free()
	var away := _site()
	away.craft.position = Vector3(601, 300, 0)
	for i in 5:
		await frame()
	equal(away.ending, LandingGame.Ending.OUT, "601 m")
	away.free()
	var late := _site({"time_limit": 5.0})
	late.ticks = 448
	for i in 5:
		await frame()
	equal(late.ending, LandingGame.Ending.TIMEOUT, "after its time")
	_done()


func test_no_term_can_pay_more_than_the_native_spec_says() -> void:
	var spec: Dictionary = SandlotSpec.from_file(LandingGame.SPEC_FILE).description
	var bounds := {}
	for term: Dictionary in spec.reward_terms:
		bounds[StringName(term.name)] = [term.get("low", 0.0), term.get("high", 0.0)]
	for speed: float in [1.0, 3.5, 8.0]:
		var site := _site()
		var agent: LandingAgent = site.get_node("Agent")
		agent.clear_episode()
		await _set_down(site, Vector3(0, -speed, 0))
		await frame()
		agent.settle_rewards()
		equal(agent.terms.keys().all(func(term: StringName) -> bool: return bounds.has(term)), true, "terms")
		for term: StringName in agent.terms:
			var sum: float = agent.terms[term]
			check(sum >= bounds[term][0] - 1e-3 and sum <= bounds[term][1] + 1e-3, "%s pays %s of %s" % [term, sum, bounds[term]])
		site.free()
	_done()


func test_after_a_soft_landing_somebody_leaves_the_ship_and_walks() -> void:
	var site := _site()
	site.walk_after_landing = true
	await _set_down(site, Vector3(0, -1, 0))
	check(site.walking and site.walker.visible and site.craft.freeze, "out of the ship, which stands still")
	var ship := site.craft.position
	for i in 40:
		await frame()
	check(site.walker.is_on_floor(), "on the ground, at %s" % site.walker.position)
	var before := site.walker.position
	site.steer(Vector3(-1, 0, 0), Vector2.ZERO)
	for i in 60:
		await frame()
	near(before.x - site.walker.position.x, 2.0, 0.3, "two thirds of a second at 3 m/s")
	check(site.craft.position.is_equal_approx(ship), "the ship stays")
	_done()


func test_a_crash_leaves_nobody_to_walk() -> void:
	var site := _site()
	site.walk_after_landing = true
	await _set_down(site, Vector3(0, -8, 0))
	check(not site.walking and not site.walker.visible, "nobody")
	_done()


func test_a_place_a_thousand_kilometres_away_is_exact_with_an_origin_that_follows() -> void:
	var origin := FloatingOrigin.new()
	origin.place = [FAR, 0.0, FAR]
	var local := Vector3(0.001, 2.5, -0.002)
	var planet := origin.on_planet(local)
	near(planet[0] - FAR, 0.001, 1e-9, "a millimetre")
	check(absf(Vector3(FAR + 0.001, 0, 0).x - FAR - 0.001) > 1e-4, "which the engine's own coordinates cannot hold")
	check(origin.local(planet[0], planet[1], planet[2]).is_equal_approx(local), "there and back")


func test_a_landing_at_a_thousand_kilometres_is_that_at_the_origin() -> void:
	var tracks: Array[Array] = []
	for far: float in [0.0, FAR]:
		var site := _site()
		site.origin.place = [far, 0.0, far]
		site._place_craft(Transform3D(Basis.IDENTITY, Vector3(3, 60, -2)), Vector3(1, -4, 0.5), Vector2.ZERO)
		site.steer(Vector3(0.1, 0.7, 0), Vector2(0.1, 0))
		for i in 90:
			await frame()
		var at := site.origin.on_planet(site.craft.position)
		tracks.append([at[0] - far, at[1], at[2] - far])
		site.free()
	for axis in 3:
		near(tracks[1][axis], tracks[0][axis], 0.001, "axis %d after a second" % axis)
	_done()


func test_nothing_jumps_when_the_origin_moves_in_flight() -> void:
	var site := _site()
	site.origin.farthest = 100.0
	site._place_craft(Transform3D(Basis.IDENTITY, Vector3(140, 300, 30)), Vector3(12, -4, 3), Vector2.ZERO)
	await frame()
	var before := site.origin.on_planet(site.craft.position)
	var speed := site.craft.linear_velocity
	var above: float = site.craft.global_position.y - site.ground.global_position.y
	check(site.origin.follow(site.craft.position), "it follows")
	var after := site.origin.on_planet(site.craft.position)
	for axis in 3:
		near(after[axis], before[axis], 1e-4, "place on the planet, axis %d" % axis)
	check(site.craft.linear_velocity.is_equal_approx(speed), "the speed is kept")
	near(site.craft.global_position.y - site.ground.global_position.y, above, 1e-3, "height above the ground")
	check(site.craft.position.length() < 1.0, "near the origin: %s" % site.craft.position)
	check(not site.origin.follow(site.craft.position), "and now it is near")
	_done()


func _scenario(player := "autopilot") -> SandlotArena:
	_rate_before = Engine.physics_ticks_per_second
	var made := (load("res://games/landing/scenario.tscn") as PackedScene).instantiate()
	var site: LandingGame = made.get_node("Trainer/Site")
	site.owner = null
	made.get_node("Trainer").remove_child(site)
	made.free()
	add(site)
	site.configure({})
	var arena := SandlotArena.of(site)
	arena.configure({"baseline": player})
	arena.reset(4)
	return arena


func _fly(arena: SandlotArena) -> SandlotAgent:
	var agent := arena.agents[0]
	while not arena.over:
		agent.next_decision()
		agent.take_human()
		for tick in 9:
			await frame()
			arena.after_tick()
		arena.after_decision(0)
	return agent


func test_the_third_scenario_sees_fuel_and_the_pads_orientation_and_turns() -> void:
	var arena := _scenario("keys")
	var site: LandingGame = arena.root
	var seen := arena.agents[0].collect()
	equal([seen.size(), arena.agents[0].declared_actions().size()], [18, 6], "numbers, actions")
	equal(seen[12], 1.0, "a full tank")
	near(atan2(seen[16], seen[17]), site.pad_heading, 1e-5, "the pad's orientation, seen from heading 0")
	arena.agents[0].take(PackedFloat32Array([0, 0, 0, 0, 1, 0]))
	for i in 90:
		await frame()
	var rate := 500.0 / (site.craft.mass * 1.44) * 1.0
	near(site.heading_rate, rate, 0.35 * rate, "after a second of full yaw")
	near(wrapf(site.craft.basis.get_euler().y - site.heading, -PI, PI), 0.0, 0.02, "the craft is turned")
	near(site.attitude().length(), 0.0, 0.01, "and stays level")
	_done()


func test_the_third_scenario_is_landed_by_its_pilot_and_pays_what_the_guide_says() -> void:
	var agent := await _fly(_scenario())
	var site: LandingGame = agent.get_parent()
	check(agent.reported.success and agent.reported.aligned, "on the pad, along it: %s" % agent.reported)
	equal([agent.terms[&"landing"], agent.terms[&"pad"]], [10.0, 5.0], "soft, within two metres")
	near(agent.terms[&"fuel"], -0.01 * (site.rules.fuel - site.fuel), 1e-4, "for fuel")
	check(absf(agent.terms[&"nearer"]) < 3.0 and agent.terms[&"fuel"] >= -2.0, "no term beats a landing: %s" % agent.terms)
	site.free()
	var fallen := await _fly(_scenario("fall"))
	equal(fallen.terms[&"crash"], -50.0, "for a crash")
	_done()
