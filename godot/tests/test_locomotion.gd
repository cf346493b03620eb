extends SandlotTestCase
## The locomotion controller number by number: start, limit, rays, and what each term pays.

const SCENE := "res://scenes/features/vr_locomotion_test.tscn"
const FAR := Vector3(0, -30, 0)

var _arena: SandlotArena


func _open(settings := {}) -> Node:
	Engine.physics_ticks_per_second = VrSession.TICK_RATE
	var made := (load(SCENE) as PackedScene).instantiate()
	SandlotTrainer._remove_trainers(made)
	VrSession.strip(made)
	add(made)
	_arena = SandlotArena.of(made)
	_arena.configure(settings.merged({"crates": 0}))
	_arena.reset(3)
	return made


func _ticks(count: int) -> void:
	for i in count:
		await frame()
		_arena.after_tick()


func _take(x: float, z: float, rotate: float, teleport := -1.0) -> void:
	_arena.agents[0].take(PackedFloat32Array([x, z, rotate, teleport]))


func clean_up() -> void:
	super()
	Engine.physics_ticks_per_second = 60


func test_an_episode_begins_at_the_origin_with_a_waypoint_within_ten_metres() -> void:
	var room := _open()
	for seed_value in 50:
		_arena.reset(seed_value)
		var place: Vector3 = room.waypoint()
		check(absf(place.x) <= 10.0 and absf(place.z) <= 10.0 and place.y == 0.0, "waypoint %s" % place)
		check(place.length() >= room.CLEAR, "nobody starts on it")
		check(room.player.position == Vector3.ZERO and room.player.velocity == Vector3.ZERO, "the start")
	equal([_arena.agents[0].LIMIT_TICKS, _arena.agents[0].REACHED], [5400, 1.0], "limit, radius")
	var player: VrPlayer = room.player
	equal([player.max_speed, player.snap_degrees, player.teleport_distance], [3.0, 30.0, 3.0], "speed, snap, teleport")


func test_three_rays_see_two_metres_ahead_and_both_diagonals() -> void:
	var room := _open()
	var agent := _arena.agents[0]
	var cases := {Vector3(0, 0, -2.4): [1.0, 0.0, 0.0], Vector3(-1.9, 0, -1.9): [0.0, 1.0, 0.0], Vector3(1.9, 0, -1.9): [0.0, 0.0, 1.0]}
	for place: Vector3 in cases:
		room.stack[0].position = place
		await _ticks(2)
		equal(Array(agent.collect().slice(7, 10)), cases[place], "a crate at %s" % place)
		room.stack[0].position = FAR
	near(agent.RAYS[0].length(), 2.0, 1e-5, "ahead")
	near(agent.RAYS[1].length(), 2.1213, 1e-3, "diagonal")


func test_arriving_pays_ten_and_ends_the_episode() -> void:
	var room := _open()
	room.player.position = room.waypoint() + Vector3(0.6, 0, 0)
	await _ticks(2)
	check(_arena.over and _arena.terminated, "it is over")
	equal(_arena.agents[0].terms[&"waypoint"], 10.0, "for the waypoint")


func test_something_close_ahead_costs_one_and_a_hasty_turn_a_tenth() -> void:
	var room := _open()
	var agent := _arena.agents[0]
	room.places = PackedVector3Array([Vector3(9, 0, 9)])
	room.stack[0].position = Vector3(0, 0, -1.3)
	await _ticks(2)
	_take(0, 0, 0)
	_take(0, 0, 0)
	equal(agent.terms[&"ray_ahead"], -1.0, "0.7 m from the body's middle, once")
	_take(0, 0, 0.79)
	check(not agent.terms.has(&"turning"), "0.79 is no haste")
	_take(0, 0, 0.9)
	near(agent.terms[&"turning"], -0.1, 1e-6, "0.9 is")


func test_the_limit_costs_five_and_cuts_the_episode_off() -> void:
	var room := _open()
	room.places = PackedVector3Array([Vector3(9, 0, 9)])
	_arena.agents[0].ticks = 5398
	await _ticks(3)
	check(_arena.over and not _arena.terminated, "cut off")
	equal(_arena.agents[0].terms[&"timeout"], -5.0, "for the time")


func test_a_teleport_asks_for_more_than_a_half() -> void:
	var room := _open()
	_take(0, 0, 0, 0.0)  # a half
	await _ticks(3)
	equal(room.player.teleports, 0, "a half is not enough")
	_take(0, 0, 0, 0.02)
	await _ticks(3)
	equal(room.player.teleports, 1, "more is")
	near(room.player.position.z, -3.0, 0.05, "three metres ahead")
