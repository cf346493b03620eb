extends SandlotTestCase
## The VR rig and its comfort measures: what every VR scene stands on.

const PLAYER := preload("res://games/vr/vr_player.tscn")
const RATE := 90


func _player(walls: Array[AABB] = []) -> VrPlayer:
	Engine.physics_ticks_per_second = RATE
	for wall in walls:
		var body := StaticBody3D.new()
		var shape := CollisionShape3D.new()
		shape.shape = BoxShape3D.new()
		(shape.shape as BoxShape3D).size = wall.size
		body.add_child(shape)
		body.position = wall.get_center()
		add(body)
	var made: VrPlayer = add(PLAYER.instantiate())
	made.begin(Transform3D.IDENTITY)
	return made


func _ticks(count: int) -> void:
	for i in count:
		await frame()


func clean_up() -> void:
	super()
	Engine.time_scale = 1.0
	Engine.max_physics_steps_per_frame = 8
	Engine.physics_ticks_per_second = 60


func test_the_mock_headset_stands_for_a_real_one() -> void:
	var player := _player()
	await _ticks(2)
	check(not player.headset, "no headset is worn here")
	near(player.camera.global_position.y, 1.6, 1e-5, "the head above the floor")
	near(player.hands[0].position.x, -0.25, 1e-5, "left hand")
	near(player.hands[1].position.x, 0.25, 1e-5, "right hand")
	near(player.hands[1].position.y, 1.05, 1e-5, "hands below the head")
	player.mock.pitch = 0.4
	await _ticks(2)
	near(player.camera.rotation.x, 0.4, 1e-5, "the head looks up")


func test_a_body_walks_at_three_metres_a_second_relative_to_its_heading() -> void:
	var player := _player()
	player.rotate_y(PI / 2.0)
	player.command(Vector2(0, 1), 0.0)
	await _ticks(RATE * 5)
	near(player.velocity.length(), 3.0, 0.01, "top speed")
	near(player.velocity.x, -3.0, 0.01, "turned left by 90 degrees, ahead is -X")
	check(player.comfort.acceleration < VrComfort.VIGNETTE_LOW, "at top speed nothing pushes")
	near(player.walked, 3.0 * (5.0 - 0.5), 0.1, "way walked")
	check(absf(player.hands[0].position.z + 0.35) > 0.001, "hands swing")


func test_a_snap_turns_thirty_degrees_and_waits() -> void:
	var player := _player()
	player.command(Vector2.ZERO, 0.6)
	await _ticks(2)
	near(rad_to_deg(player.rotation.y), -30.0, 1e-3, "to the right at once")
	await _ticks(20)
	near(rad_to_deg(player.rotation.y), -30.0, 1e-3, "then it waits")
	await _ticks(10)
	near(rad_to_deg(player.rotation.y), -60.0, 1e-3, "0.3 s later it may again")
	equal(player.comfort.snap_turns, 2, "snaps")
	player.command(Vector2.ZERO, 0.5)
	await _ticks(40)
	equal(player.comfort.snap_turns, 2, "half a stick is no snap")
	equal(player.comfort.measures().vignette_share, 0.0, "a snap makes no vignette")


func test_a_teleport_goes_three_metres_and_never_through_a_wall() -> void:
	var player := _player([AABB(Vector3(-2, 0, -6), Vector3(4, 3, 0.3))])
	player.command(Vector2.ZERO, 0.0, 1.0)
	await _ticks(2)
	near(player.position.z, -3.0, 1e-4, "three metres ahead")
	await _ticks(85)
	equal(player.teleports, 1, "within a second it does not again")
	await _ticks(10)
	equal(player.teleports, 1, "and not into a wall")
	equal(player.refused_teleports, 1, "which is counted")
	near(player.position.z, -3.0, 1e-4, "it stays")
	equal(player.comfort.measures().vignette_share, 0.0, "a faded jump makes no vignette")


func test_a_wall_stops_a_body_and_counts_once() -> void:
	var player := _player([AABB(Vector3(-9, 0, -3), Vector3(18, 3, 0.3))])
	player.command(Vector2(0, 1), 0.0)
	await _ticks(RATE * 3)
	check(player.position.z > -2.31 and player.position.z < -2.2, "it stands at the wall: %s" % player.position.z)
	equal(player.collisions, 1, "one contact is one collision")
	check(player.comfort.vignette_count >= 1, "running into a wall is felt")
	player.command(Vector2(1, 1), 0.0)
	await _ticks(RATE)
	check(player.position.x > 1.0, "it slides along: %s" % player.position.x)
	near(player.position.y, 0.0, 1e-6, "on the floor")


func test_half_of_the_vignette_comes_at_half_of_its_range() -> void:
	var comfort := VrComfort.new()
	comfort.begin(Vector3.ZERO, RATE, 2.0)
	var place := 0.0
	var speed := 0.0
	for i in 900:
		speed += 12.5 / RATE
		place += speed / RATE
		comfort.tick(Vector3(place, 0, 0), 0.0, 0.0)
	near(comfort.vignette, 0.35, 1e-3, "at 12.5 m/s²")
	equal(comfort.vignette_count, 1, "it came once")
	near(comfort.measures().hard_acceleration_share, 0.0, 0.0, "below 20 m/s²")


func test_score_and_shares_follow_their_thresholds() -> void:
	var comfort := VrComfort.new()
	comfort.begin(Vector3.ZERO, RATE, 2.0)
	comfort.tick(Vector3(0.9 * 2.0 / RATE, 0, 0), 0.71, 0.31, deg_to_rad(25.0))
	near(comfort.score, 0.3, 1e-6, "fast, turning and leaning")
	var found := comfort.measures()
	equal(found.fast_turn_share, 1.0, "25 degrees per second are fast")
	equal(found.jerk_share, 1.0, "from rest in one tick is a jolt")
	equal(found.hard_acceleration_share, 1.0, "and hard")
	equal(found.keys(), VrComfort.REPORTS.keys(), "declared and reported")
	comfort.snapped()
	near(comfort.measures().snaps_per_minute, 5400.0, 1e-6, "one in a ninetieth of a second")


func test_swaying_at_a_third_of_a_hertz_is_found_and_faster_swaying_is_not() -> void:
	for hz: float in [0.3, 1.5]:
		var comfort := VrComfort.new()
		comfort.begin(Vector3.ZERO, RATE, 2.0)
		var place := 0.0
		for i in RATE * 20:
			place -= sin(TAU * hz * i / RATE) / RATE
			comfort.tick(Vector3(0, 0, place), 0.0, 0.0)
		near(comfort.measures().sway, 1.0 if hz == 0.3 else 0.0, 0.05, "at %s Hz" % hz)


func test_lost_hands_stay_and_published_poses_move_the_nodes() -> void:
	var player := _player()
	player.mock.publish = true
	await _ticks(2)
	near(player.camera.position.y, 1.6, 1e-4, "the tracker carries the head")
	check(player.mock.is_tracked(player.hands[0], 0), "both hands are seen")
	player.mock.lost[0] = true
	await _ticks(2)
	check(not player.mock.is_tracked(player.hands[0], 0), "a lost hand is known to be lost")
	check(player.mock.is_tracked(player.hands[1], 1), "the other is not")
	player.mock.lost[0] = false
	player.mock.press(1, &"trigger", 0.8)
	await _ticks(2)
	check(player.mock.is_tracked(player.hands[0], 0), "and found again")
	near(player.hands[1].get_float(&"trigger"), 0.8, 1e-5, "the trigger as with OpenXR")


func test_ticks_stay_at_ninety_a_second_under_speed_up() -> void:
	var player := _player()
	VrSession.speed_up(16.0)
	var before := player.comfort.ticks
	player.command(Vector2(0, 1), 0.0)
	var deltas := {}
	for i in 90:
		await frame()
		deltas[snappedf(player.get_physics_process_delta_time(), 1e-6)] = true
	equal(deltas.keys(), [snappedf(1.0 / 90.0, 1e-6)], "length of a tick")
	check(absi(player.comfort.ticks - before - 90) <= 1, "ticks counted: %d" % (player.comfort.ticks - before))
	near(player.velocity.length(), 3.0 * (1.0 - exp(-2.0)), 0.05, "a second of walking, at any speed-up")


func test_training_frees_what_is_only_looked_at() -> void:
	var player: VrPlayer = PLAYER.instantiate()
	equal(VrSession.strip(player), 3, "vignette and two hands")
	add(player)
	player.begin(Transform3D.IDENTITY)
	player.command(Vector2(0, 1), 0.0)
	await _ticks(9)
	check(player.velocity.length() > 0.3, "and the rest plays on")


func test_turning_is_a_setting_of_the_locomotion_scene() -> void:
	var made := (load("res://scenes/features/vr_locomotion_test.tscn") as PackedScene).instantiate()
	SandlotTrainer._remove_trainers(made)
	VrSession.strip(made)
	add(made)
	Engine.physics_ticks_per_second = RATE
	var arena := SandlotArena.of(made)
	for kind: String in ["snap", "smooth"]:
		arena.configure({"turning": kind})
		arena.reset(1)
		arena.agents[0].take(PackedFloat32Array([0, 0, 1, -1]))
		await _ticks(2)
		near(rad_to_deg(made.player.rotation.y), -30.0 if kind == "snap" else -2.0, 1.01, "%s, after two ticks" % kind)


func test_two_scenes_of_the_brief_are_there_and_may_be_loaded() -> void:
	for environment: String in ["development", "test"]:
		var list := SandlotHttpWhitelist.new(environment)
		for name: String in ["vr_locomotion_test", "vr_tracking_test"]:
			var path := "res://scenes/features/%s.tscn" % name
			check(ResourceLoader.exists(path) and list.check(path).is_empty(), "%s in %s: %s" % [name, environment, list.check(path)])
