extends SandlotTestCase
## Up to eight robots under one policy: what they see, that zeros fill up, what is paid, who succeeds.

const SCENE := "res://games/multi_agent/multi_agent.tscn"


func _arena(settings := {}) -> SandlotArena:
	var made := (load(SCENE) as PackedScene).instantiate()
	SandlotTrainer._remove_trainers(made)
	add(made)
	Engine.physics_ticks_per_second = VrSession.TICK_RATE
	var arena := SandlotArena.of(made)
	arena.configure(settings)
	arena.reset(3)
	return arena


## A whole episode, nine ticks a decision; returns what was reported.
func _play(arena: SandlotArena) -> Dictionary:
	for i in 200:
		for agent in arena.agents:
			agent.next_decision()
			agent.take(PackedFloat32Array([0, 0]))
		for tick in 9:
			await frame()
			arena.after_tick()
		arena.after_decision(0)
		if arena.over:
			break
	var reported := arena.agents[0].reported
	arena.root.get_parent().remove_child(arena.root)  # the next one plays in the same space
	return reported


func clean_up() -> void:
	super()
	Engine.physics_ticks_per_second = 60


func test_a_robot_sees_itself_and_the_nearest_three_and_does_two_things() -> void:
	var arena := _arena()
	var room: MultiAgentRoom = arena.root
	for i in 8:
		room.robots[i].position = Vector3(2.0 * i - 7.0, 0, i)
	room.velocities[0] = Vector3(3, 0, 4)
	var seen := arena.agents[0].collect()
	equal(seen.size(), 12, "numbers")
	for pair: Array in [[0, -0.7], [1, 0.0], [2, 1.0], [3, 0.1], [4, 0.05], [5, sqrt(5.0) / 20.0], [6, 0.2], [9, 0.3]]:
		near(seen[pair[0]], pair[1], 1e-5, "number %d" % pair[0])
	equal(arena.agents[0].declared_actions().size(), 2, "actions")
	equal(arena.agents.size(), 8, "agents")
	equal(SandlotArena.of(room).agents.map(func(one: SandlotAgent) -> StringName: return one.role).count(&"robot"), 8, "of one role")


func test_zeros_stand_for_others_that_are_not_there() -> void:
	var arena := _arena({"agents": 3})
	var seen := arena.agents[2].collect()
	check(seen.slice(3, 9).count(0.0) == 0, "two others: %s" % seen)
	equal(Array(seen.slice(9)), [0.0, 0.0, 0.0], "no third one")
	equal(Array(arena.agents[5].collect()).count(0.0), 12, "who does not play sees nothing")
	var single := _arena({"agents": 1})
	equal(Array(single.agents[0].collect().slice(3)).count(0.0), 9, "alone")


func test_friends_who_follow_the_script_gather_and_opponents_find_room() -> void:
	var friends := await _play(_arena({"baseline": "scripted"}))
	check(friends.success and friends.time_s < 10.0 and friends.spread_m <= 3.0, "they met: %s" % friends)
	var apart := await _play(_arena({"rewards": "adversarial", "baseline": "scripted"}))
	check(apart.success and apart.collisions == 0, "nobody touched: %s" % apart)
	check(apart.nearest_m > 2.0 * friends.nearest_m, "opponents stay away: %s m, friends %s m" % [apart.nearest_m, friends.nearest_m])


func test_a_collision_counts_once_and_costs_opponents_only() -> void:
	for kind: String in ["cooperative", "adversarial"]:
		var arena := _arena({"agents": 2, "rewards": kind})
		var room: MultiAgentRoom = arena.root
		room.robots[0].position = Vector3(-1, 0, 0)
		room.robots[1].position = Vector3(1, 0, 0)
		for i in 90:
			room.steering[0] = Vector3.RIGHT
			room.steering[1] = Vector3.LEFT
			await frame()
		equal(room.collisions, 1, "pushing on is one collision")
		equal(arena.agents[0].terms.get(&"collision", 0.0), -1.0 if kind == "adversarial" else 0.0, kind)
		room.free()


func test_no_term_beats_success_however_the_robots_play() -> void:
	var diagonal := 2.0 * Vector2(12, 12).length()
	var bounds := {
		&"nearness": MultiAgentRoom.PER_METRE * diagonal, &"spacing": MultiAgentRoom.PER_METRE * diagonal, &"collision": 3.0,
	}
	check(bounds[&"nearness"] < MultiAgentRoom.AMOUNTS.gathered, "coming nearer pays less than meeting")
	check(bounds[&"spacing"] < MultiAgentRoom.AMOUNTS.most_space, "getting away pays less than the most room")
	for kind: String in ["cooperative", "adversarial"]:
		var arena := _arena({"rewards": kind, "baseline": "random"})
		await _play(arena)
		for agent in arena.agents:
			for term: StringName in bounds:
				check(absf(agent.terms.get(term, 0.0)) <= bounds[term] + 1e-4, "%s pays %s" % [term, agent.terms])


func test_training_draws_nothing_and_plays_the_same() -> void:
	var drawn := await _play(_arena({"baseline": "scripted"}))
	var bare := (load(SCENE) as PackedScene).instantiate()
	SandlotTrainer._remove_trainers(bare)
	check(VrSession.strip(bare) > 60, "robots, hall and text are only looked at")
	add(bare)
	var arena := SandlotArena.of(bare)
	arena.configure({"baseline": "scripted"})
	arena.reset(3)
	var found := await _play(arena)
	for what: String in drawn:
		near(float(found[what]), float(drawn[what]), 1e-6, what)
