extends SandlotTestCase
## The navigation scene: speed and turning by closed forms, walls and pits, every ending, and what each term can pay.

const FLOOR := "res://games/navigation/floor.tscn"

var _rate_before := 60


func _floor(settings := {}) -> NavigationGame:
	_rate_before = Engine.physics_ticks_per_second
	var made: NavigationGame = (load(FLOOR) as PackedScene).instantiate()
	add(made)
	made.configure(settings)
	made.begin_episode(SandlotRandom.new(5))
	await frame()
	return made


func _put(made: NavigationGame, place: Vector2) -> void:
	made.body.position = Vector3(place.x, 0, place.y)
	made.yaw = 0.0
	await frame()


func _done() -> void:
	Engine.physics_ticks_per_second = _rate_before


func test_it_walks_at_two_metres_and_turns_at_ninety_degrees_a_second() -> void:
	var made := await _floor({"layout": "open"})
	made.goal = Vector2(25, 25)
	await _put(made, Vector2.ZERO)
	made.steer(0, 1, 0)
	for i in 45:
		await frame()
	var from := made.body.position.z
	for i in 90:
		await frame()
	near(from - made.body.position.z, 2.0, 0.05, "metres in a second")
	made.steer(0, 0, 1)
	for i in 45:
		await frame()
	var yaw := made.yaw
	for i in 90:
		await frame()
	near(wrapf(yaw - made.yaw, -PI, PI), PI / 2, 0.05, "radians in a second")
	made.free()
	_done()


func test_a_snap_turn_comes_at_once_and_waits() -> void:
	var made := await _floor({"layout": "open", "turning": "snap", "snap_angle": 30.0})
	made.goal = Vector2(25, 25)
	await _put(made, Vector2.ZERO)
	made.comfort.begin(made.body.position, made.rules.tick_rate, made.rules.max_movement_speed)
	made.steer(0, 0, 1)
	await frame()
	near(made.yaw, -PI / 6, 1e-4, "one turn of 30 degrees to the right")
	near(made.yaw_rate, 0.0, 1e-6, "no turning is seen")
	for i in 26:
		await frame()
	equal(made.comfort.snap_turns, 1, "turns within 0.3 s")
	await frame()
	equal(made.comfort.snap_turns, 2, "turns after it")
	near(made.comfort.measures().comfort_score, 1.0, 1e-6, "a snap costs no comfort")
	made.free()
	_done()


func test_any_layout_is_one_of_three_and_observed() -> void:
	var made := await _floor({"layout": "any", "task_id": true})
	var seen := {}
	var agent := made.get_node("Agent") as NavigationAgent
	for seed in 20:
		made.begin_episode(SandlotRandom.new(seed))
		seen[made.grid.layout] = true
		var task := agent.observe().slice(48)
		equal(task.size(), 3, "numbers of the task")
		equal(task[NavigationGrid.LAYOUTS.find(made.grid.layout)], 1.0, "at the place of the layout")
	equal(seen.size(), 3, "layouts that came")
	made.free()
	_done()


func test_a_wall_stops_it_and_is_one_collision() -> void:
	var made := await _floor({"layout": "open"})
	made.goal = Vector2(25, 25)
	await _put(made, Vector2(0, made.grid.half - 4.0))
	made.yaw = PI
	made.steer(0, 1, 0)
	for i in 180:
		await frame()
	near(made.body.position.z, made.grid.half - 2.0 - 0.4, 0.02, "at the wall")
	equal(made.collisions, 1, "collisions")
	made.free()
	_done()


func test_a_pit_ends_the_walk_and_so_does_the_goal() -> void:
	var made := await _floor({"layout": "open", "edge": "drop"})
	made.goal = Vector2(25, 25)
	await _put(made, Vector2(0, made.grid.half - 1.0))
	for i in 200:
		await frame()
	equal(made.ending, NavigationGame.Ending.FELL, "over the edge")
	made.free()
	var other := await _floor({"layout": "open"})
	await _put(other, other.goal + Vector2(0.9, 0))
	await frame()
	equal(other.ending, NavigationGame.Ending.GOAL, "0.9 m from the goal")
	other.free()
	_done()


func test_rays_meet_walls_where_they_stand() -> void:
	var made := await _floor({"layout": "open"})
	await _put(made, Vector2(made.grid.half - 4.0, 0))
	await frame()
	var seen: PackedFloat32Array = made.get_node("Agent").observe()
	near(seen[13], 2.0, 0.02, "ray 0, along X")
	near(seen[13 + 8], 5.0, 1e-4, "ray 8, the other way")
	made.free()
	_done()


func test_every_cell_of_a_maze_is_that_of_the_native_game_in_number() -> void:
	var made := await _floor({"layout": "maze", "openness": 0.0})
	var posts := ((made.grid.cells - 3) / 2) ** 2
	equal(made.grid.walls.size(), 4 * (made.grid.cells - 1) + 2 * posts, "border, posts, and one way closed by each")
	made.free()
	_done()


func test_no_term_pays_more_than_the_native_spec_says() -> void:
	var spec: Dictionary = SandlotSpec.from_file(NavigationGame.SPEC_FILE).description
	var made := await _floor({"layout": "open", "time_limit": 12.0})
	var agent: NavigationAgent = made.get_node("Agent")
	agent.clear_episode()
	agent.begin_episode(SandlotRandom.new(1))
	for i in 1100:
		if i % 9 == 0:
			made.steer(sin(i), cos(0.1 * i), sin(0.3 * i))
			agent.settle_rewards()
		await frame()
	for term: Dictionary in spec.reward_terms:
		var sum: float = agent.terms.get(StringName(term.name), 0.0)
		check(sum >= term.low - 1e-3 and sum <= term.high + 1e-3, "%s pays %s, %s to %s" % [term.name, sum, term.low, term.high])
	made.free()
	_done()
