extends SandlotTestCase
## Sensors of the addon beside rays: what they see of a space that the test has built.


func test_a_grid_marks_the_cells_and_kinds_of_what_is_in_them() -> void:
	var grid := SandlotGridSensor3D.new()
	grid.columns = 3
	grid.rows = 3
	grid.cell = 2.0
	grid.kinds = [&"coin"]
	add(grid)
	_block(Vector3(2, 0, -2), &"coin")  # right and ahead
	_block(Vector3(-2, 0, 0), &"")
	await frame()
	await frame()
	var seen := grid.sense()
	equal(seen.size(), grid.size(), "numbers")
	equal(_ones(seen), [4, 7], "of the farthest row's right cell a coin, of the middle row's left cell something else")
	grid.rotate_y(PI)  # what was right and ahead is left and behind
	equal(_ones(grid.sense()), [11, 12], "after turning round")


func test_a_grid_in_2d_sees_static_bodies_and_not_its_own() -> void:
	var own := _flat(Vector2(1000, 1000))
	var grid := SandlotGridSensor2D.new()
	grid.columns = 3
	grid.rows = 1
	grid.cell = 50.0
	own.add_child(grid)
	_flat(Vector2(1050, 1000))
	await frame()
	await frame()
	equal(Array(grid.sense()), [0.0, 0.0, 1.0], "cells from left to right")


func test_a_sensor_that_refreshes_rarely_repeats_until_it_is_due_or_an_episode_begins() -> void:
	var eyes := SandlotRaySensor.new()
	eyes.rays = 1
	eyes.reach = 10.0
	eyes.refresh_steps = 3
	add(eyes)
	var block := _block(Vector3(0, 0, -5), &"")
	await frame()
	await frame()
	var seen := [eyes.sense()[0]]
	block.position.z = -8.0
	await frame()
	await frame()
	for i in 3:
		seen.append(eyes.sense()[0])
	near(seen[0], 0.45, 0.001, "first look")
	equal([seen[1], seen[2]], [seen[0], seen[0]], "two repetitions")
	near(seen[3], 0.75, 0.001, "fourth decision")
	block.position.z = -2.0
	await frame()
	await frame()
	eyes.forget()
	near(eyes.sense()[0], 0.15, 0.001, "a new episode")


func test_positions_are_seen_in_the_bodys_own_axes_and_cut_at_the_greatest_distance() -> void:
	var body := Node3D.new()
	var sensor := SandlotPositionSensor.new()
	body.add_child(sensor)
	add(body)
	body.position = Vector3(1, 0, 0)
	body.rotate_y(PI / 2)  # its -Z looks along -X now
	var near_by := add(Node3D.new()) as Node3D
	near_by.position = Vector3(-4, 0, 0)
	var far := add(Node3D.new()) as Node3D
	far.position = Vector3(1, 500, 0)
	sensor.targets = [near_by, far]
	sensor.max_distance = 10.0
	var seen := sensor.sense()
	equal(seen.size(), sensor.size(), "numbers")
	near(seen[2], -0.5, 1e-5, "five metres ahead")
	near(seen[4], 1.0, 1e-5, "above, as far as it sees")
	sensor.form = SandlotPositionSensor.Form.DIRECTION
	seen = sensor.sense()
	equal(sensor.labels(), PackedStringArray(["x", "y", "z", "distance"]), "columns")
	near(seen[3], 0.5, 1e-5, "distance")
	near(seen[7], 1.0, 1e-5, "distance of what is too far")
	near_by.free()
	equal(Array(sensor.sense().slice(0, 4)), [0.0, 0.0, 0.0, 0.0], "what was freed")


func test_the_way_on_foot_is_longer_than_the_straight_line_and_turns_at_the_wall() -> void:
	# a U: the straight line between its ends is 4 m, the way around its bottom more than 12
	var outline := PackedVector3Array([
		Vector3(-3, 0, -3), Vector3(-1, 0, -3), Vector3(-1, 0, 1), Vector3(1, 0, 1), Vector3(1, 0, -3), Vector3(3, 0, -3),
		Vector3(3, 0, 3), Vector3(-3, 0, 3)
	])
	var mesh := NavigationMesh.new()
	mesh.vertices = outline
	for polygon: Array in [[0, 1, 2, 7], [2, 3, 6, 7], [3, 4, 5, 6]]:
		mesh.add_polygon(PackedInt32Array(polygon))
	var region := NavigationRegion3D.new()
	region.navigation_mesh = mesh
	add(region)
	var body := add(Node3D.new()) as Node3D
	body.position = Vector3(-2, 0, -2.5)
	var goal := add(Node3D.new()) as Node3D
	goal.position = Vector3(2, 0, -2.5)
	var sensor := SandlotNavigationSensor.new()
	sensor.target = goal
	sensor.max_distance = 20.0
	body.add_child(sensor)
	for i in 60:  # the map is made in the background
		await frame()
		sensor.forget()
		if sensor.sense()[1] == 1.0:
			break
		OS.delay_msec(5)
	var seen := sensor.sense()
	equal(seen.size(), sensor.size(), "numbers")
	check(sensor.distance() > 8.0 and sensor.distance() < 14.0, "the way is %s m" % sensor.distance())
	near(seen[0], sensor.distance() / 20.0, 1e-5, "the distance's share")
	equal(seen[1], 1.0, "it can be reached")
	check(seen[4] > 0.8, "the first corner is behind, away from the goal: %s" % seen[4])
	goal.position = Vector3(0, 0, -30)
	sensor.forget()
	equal(Array(sensor.sense()), [1.0, 0.0, 0.0, 0.0, 0.0], "what cannot be reached")


func test_a_camera_says_that_nothing_is_drawn_and_keeps_its_size() -> void:
	var camera := SandlotCameraSensor3D.new()
	camera.resolution = Vector2i(8, 6)
	add(camera)
	equal(camera.picture_shape(), PackedInt32Array([6, 8, 3]), "height, width, channels")
	equal(camera.sense().size(), 6 * 8 * 3, "numbers")
	check(camera.problem.contains("--headless") and camera.problem.contains("Xvfb"), "it says: %s" % camera.problem)


func test_what_the_editor_draws_is_what_a_sensor_looks_at() -> void:
	var eyes := SandlotRaySensor.new()
	eyes.rays = 3
	eyes.view_degrees = 180.0
	add(eyes)
	eyes.rotate_y(0.7)
	var lines := eyes.preview_lines()
	for i in 3:
		near((eyes.global_basis * lines[2 * i + 1]).distance_to(eyes.direction(i) * eyes.reach), 0.0, 1e-4, "ray %d" % i)
	var flat := SandlotRaySensor2D.new()
	flat.rays = 5
	add(flat)
	flat.rotate(0.4)
	for i in 5:
		near((flat.preview_lines()[2 * i + 1].rotated(0.4)).distance_to(flat.direction(i) * flat.reach), 0.0, 1e-3, "ray %d" % i)
	var grid := SandlotGridSensor3D.new()
	add(grid)
	equal(grid.preview_lines().size(), 2 * (6 + 6), "ends of the lines of five by five cells")


func test_warnings_say_what_is_large_and_what_nobody_uses() -> void:
	var sensor := SandlotRaySensor.new()
	sensor.rays = 36
	add(sensor)
	var texts := "\n".join(sensor._get_configuration_warnings())
	check(texts.contains("144 numbers") and texts.contains("No SandlotAgent"), texts)
	var body := Node3D.new()
	var agent := SandlotAgent.new()
	var small := SandlotRaySensor.new()
	small.rays = 10
	body.add_child(agent)
	body.add_child(small)
	add(body)
	equal(Array(small._get_configuration_warnings()), [], "warnings of a small one beside an agent")
	equal(SandlotEditorHints.sensed_by(agent), 40, "numbers that the agent gets from sensors")
	body.add_child(SandlotAgent.new())
	check("\n".join(small._get_configuration_warnings()).contains("No SandlotAgent"), "beside two agents it serves neither")


static func _ones(numbers: PackedFloat32Array) -> Array:
	return range(numbers.size()).filter(func(i: int) -> bool: return numbers[i] == 1.0)


func _block(place: Vector3, group: StringName) -> StaticBody3D:
	var body := StaticBody3D.new()
	var shape := CollisionShape3D.new()
	var box := BoxShape3D.new()
	box.size = Vector3.ONE
	shape.shape = box
	body.add_child(shape)
	body.position = place
	if group:
		body.add_to_group(group)
	return add(body)


func _flat(place: Vector2) -> StaticBody2D:
	var body := StaticBody2D.new()
	var shape := CollisionShape2D.new()
	var box := RectangleShape2D.new()
	box.size = Vector2(20, 20)
	shape.shape = box
	body.add_child(shape)
	body.position = place
	return add(body)
