extends TagCase
## A shot that follows the agents: everybody is in it, large, at much the same size; the cone and the names are
## where they belong.

const ASPECT := 16.0 / 9.0
const RATE := 20.0


## A match between scripts as a recording.
func _recorded(seed_value: int, settings := {}) -> TagRecording:
	var game := await arena(settings)
	var players: Array[TagPlayer] = [
		TagScripted.new(game.rules, "chase", 3, 1), TagScripted.new(game.rules, "evade", 3, 2)
	]
	var frames: Array[Dictionary] = []
	game.reset(0, seed_value)
	while not game.is_over():
		frames.append(TagFrame.of(game))
		var actions := PackedFloat32Array()
		for row in 2:
			actions.append_array(players[row].act(game.observation(row)).slice(0, 3))
		game.step(actions)
	var made := TagRecording.of_frames(frames, 1.0 / RATE)
	made.config = {"arena_half": game.rules.arena_half}
	made.boxes = TagFrame.boxes(game)
	clean_up()
	return made


func _followed(recording: TagRecording) -> TagCamera:
	var camera := TagCamera.new()
	add(camera)
	var yaw := ShotYaw.choose(recording, TagCamera.PAIR_PITCH_DEGREES, recording.start_s(), recording.end_s())
	camera.begin_pair(recording, yaw, ASPECT, recording.config.arena_half)
	return camera


func _bounds(camera: TagCamera, at: Vector3) -> Rect2:
	var bounds := Rect2(camera.frame_of(at, ASPECT), Vector2.ZERO)
	for x: float in [-0.5, 0.5]:
		for z: float in [-0.5, 0.5]:
			for y: float in [0.0, 1.0]:
				bounds = bounds.expand(camera.frame_of(at + Vector3(x, y, z), ASPECT))
	return bounds


func test_a_following_shot_keeps_everybody_in_view_large_and_alike() -> void:
	for half: float in [10.0, 14.0]:
		for seed_value in 3:
			var recording := await _recorded(200 + seed_value, {"arena_half": half})
			var camera := _followed(recording)
			var seconds := recording.start_s()
			while seconds <= recording.end_s():
				camera.show_pair(seconds)
				var frame := recording.at(seconds)
				var sizes: Array[float] = []
				for agent in 2:
					var p: Array = frame.position[agent]
					var seen := _bounds(camera, Vector3(p[0], p[1], p[2]))
					check(Rect2(-1, -1, 2, 2).encloses(seen), "agent %d is outside at %.2f s of %d" % [agent, seconds, seed_value])
					sizes.append(seen.size.y * 0.5)
				check(sizes.min() >= 0.06, "a body is only %.3f of the picture high" % sizes.min())
				check(sizes.max() / sizes.min() <= 1.3, "sizes differ by %.2f" % (sizes.max() / sizes.min()))
				seconds += 0.25


func test_the_camera_does_not_react_to_hops() -> void:
	var recording := await _recorded(7)
	var flat := await _recorded(7)
	for frame: Dictionary in flat._frames:
		for place: Array in frame.position:
			place[1] = 0.0
	var first := _followed(recording)
	var second := TagCamera.new()
	add(second)
	second.begin_pair(flat, first.yaw_degrees, ASPECT, 10.0)
	for i in 20:
		first.show_pair(i * 0.3)
		second.show_pair(i * 0.3)
		check(first.position.distance_to(second.position) < 1e-4, "a hop moves the camera at %.1f s" % (i * 0.3))


func test_the_camera_moves_smoothly() -> void:
	var camera := _followed(await _recorded(11))
	var before := Vector3.ZERO
	for i in 120:
		camera.show_pair(i / 30.0)
		if i > 0:
			check(camera.position.distance_to(before) * 30.0 <= 30.0, "the camera jumps at picture %d" % i)
		before = camera.position


func test_a_cone_ends_at_walls_and_boxes() -> void:
	var cone := TagCone.new()
	add(cone)
	cone.arena_half = 10.0
	cone.vision_range = 15.0
	var box := [2.0, 0.0, -1.0, 4.0, 3.0, 1.0]
	near(cone.reach(Vector2.ZERO, Vector2.RIGHT, [box]), 2.0, 1e-4, "reach")
	near(cone.reach(Vector2.ZERO, Vector2.LEFT, [box]), 10.0, 1e-4, "reach")
	near(cone.reach(Vector2(5, 0), Vector2.LEFT, [box]), 1.0, 1e-4, "reach")
	near(cone.reach(Vector2(9, 0), Vector2.DOWN, [box]), 10.0, 1e-4, "reach")
	cone.vision_range = 4.0
	near(cone.reach(Vector2.ZERO, Vector2.LEFT, [box]), 4.0, 1e-4, "reach")
	for i in 360:
		var way := Vector2.from_angle(deg_to_rad(i))
		var end := Vector2(7, -8) + way * cone.reach(Vector2(7, -8), way, [box])
		check(absf(end.x) <= 10.001 and absf(end.y) <= 10.001, "the cone leaves the arena at %d degrees" % i)


func test_names_never_cover_a_body_or_one_another() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = 5
	var picture := Vector2(1920, 1080)
	for _trial in 300:
		var bodies: Array[Rect2] = []
		var sizes := PackedVector2Array()
		var first := Vector2(random.randf_range(200, 1700), random.randf_range(300, 900))
		for i in 2:
			var off := Vector2(random.randf_range(-140, 140), random.randf_range(-140, 140)) if i else Vector2.ZERO
			bodies.append(Rect2(first + off, Vector2(100, 110)))
			sizes.append(Vector2(150, 51))
		var places := TagHud.place_names(bodies, sizes, 1.5, picture)
		check(not places[0].intersects(places[1]), "names overlap: %s" % [bodies])
		for i in 2:
			if not bodies[0].intersects(bodies[1]):
				check(not places[i].intersects(bodies[1 - i]), "a name covers a body: %s" % [bodies])
