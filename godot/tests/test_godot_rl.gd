extends SandlotTestCase
## The pieces of addons/godot_rl: how episodes end, sensors, rewards, the command line.

const ArgumentsScript := preload("res://addons/godot_rl/sync/arguments.gd")
const RosterScript := preload("res://addons/godot_rl/sync/roster.gd")


class Walker:
	extends AIController3D

	var place := 1.0

	func get_obs() -> Dictionary:
		return {"obs": [place, 0.0]}

	func get_reward() -> float:
		return reward

	func get_action_space() -> Dictionary:
		return {"walk": {"size": 1, "action_type": "continuous"}}

	func set_action(action) -> void:
		place += action.walk[0]


func test_every_script_of_the_addon_compiles() -> void:
	var folders := ["res://addons/godot_rl"]
	while folders:
		var folder: String = folders.pop_back()
		for name in DirAccess.get_directories_at(folder):
			folders.append(folder.path_join(name))
		for file in DirAccess.get_files_at(folder):
			if file.ends_with(".gd") and file != "plugin.gd":
				var script: GDScript = load(folder.path_join(file))
				check(script != null and script.can_instantiate(), "%s does not compile" % file)


func test_an_override_may_write_the_types_it_likes() -> void:
	var overrides := [
		"func set_action(action):\n\tpass",
		"func set_action(action: Dictionary) -> void:\n\tpass",
		"func set_action(action = null) -> void:\n\tpass",
		"func get_obs():\n\treturn {'obs': [1]}\nfunc get_info():\n\treturn {}\nfunc get_reward():\n\treturn 1",
	]
	for body: String in overrides:
		for base: String in ["AIController2D", "AIController3D"]:
			var script := GDScript.new()
			script.source_code = "extends %s\n%s\n" % [base, body]
			equal(script.reload(), OK, "compiling %s" % body)


func test_a_controller_raises_needs_reset_when_its_ticks_are_over() -> void:
	var agent := _walker(3)
	for i in 3:
		agent._physics_process(0.0)
	equal([agent.n_steps, agent.needs_reset], [3, false], "at the limit")
	agent._physics_process(0.0)
	equal([agent.needs_reset, agent.done, agent.truncated], [true, false, false], "beyond it")
	agent.reset()
	equal([agent.n_steps, agent.needs_reset], [0, false], "after a reset")


func test_done_counts_as_cut_off_only_when_the_ticks_are_over() -> void:
	var agent := _walker(3)
	agent._physics_process(0.0)
	agent.done = true
	equal(agent.truncated, false, "truncated, of an episode that the game ended")
	agent.set_done_false()
	for i in 4:
		agent._physics_process(0.0)
	agent.done = true
	equal(agent.truncated, true, "truncated, at the limit")
	agent.set_done_false()
	equal(agent.truncated, false, "truncated, once it was read")


func test_a_game_that_resets_before_it_sets_done_is_understood() -> void:
	var agent := _walker(3)
	for i in 4:
		agent._physics_process(0.0)
	agent.reset()
	agent.done = true
	equal(agent.truncated, true, "truncated")
	agent.set_done_false()
	agent._physics_process(0.0)
	agent.done = true
	equal(agent.truncated, false, "truncated, of the next episode")


func test_the_last_observation_is_that_from_before_the_reset() -> void:
	var agent := _walker(3)
	agent._godot_rl_episode.is_watched = true
	agent.place = 7.0
	agent.done = true
	agent.place = 1.0
	agent.reset()
	equal(agent._godot_rl_episode.last_observation, {"obs": [7.0, 0.0]}, "last observation")
	agent.set_done_false()
	equal(agent._godot_rl_episode.last_observation, null, "last observation, once it was read")
	agent.reset()
	agent._physics_process(0.0)
	equal(agent._godot_rl_episode.last_observation, null, "last observation, of a reset that ended nothing")


func test_agents_are_sorted_by_their_mode() -> void:
	var agents: Array[AIController3D] = []
	for mode: int in AIController3D.ControlModes.values():
		agents.append(_walker(10))
		agents[-1].control_mode = mode as AIController3D.ControlModes
	var roster := RosterScript.of(root.get_tree(), Sync.ControlModes.TRAINING)
	equal(roster.problem, "", "problem")
	equal(roster.all, agents as Array, "everybody, in the order of the tree")
	equal(roster.training, [agents[0], agents[2]] as Array, "trained")
	equal(roster.inference, [agents[3]] as Array, "played by networks")
	equal(roster.recording, agents[4], "recorded")
	agents[0].control_mode = AIController3D.ControlModes.RECORD_EXPERT_DEMOS
	var problem: String = RosterScript.of(root.get_tree(), Sync.ControlModes.HUMAN).problem
	check("only one agent can" in problem, "problem is %s" % problem)


func test_words_of_the_command_line_are_read_as_the_stock_client_writes_them() -> void:
	var words := PackedStringArray(["--port=11010", "--headless", "--speedup=2.5", "-level=a=b", "--port_of=x"])
	var named: Dictionary = ArgumentsScript.parse(words)
	equal(named, {"port": "11010", "headless": "", "speedup": "2.5", "level": "a=b", "port_of": "x"}, "words")
	equal(ArgumentsScript.integer(named, "port", 1), 11010, "a whole number")
	equal(ArgumentsScript.number(named, "speedup", 1.0), 2.5, "a number")
	equal(ArgumentsScript.integer(named, "port_of", 7), 7, "what is no number")


# ---------------------------------------------------------------- sensors


func test_rays_in_2d_are_larger_the_closer_something_is() -> void:
	_block_2d(Vector2(100, 0), Vector2(20, 400), 1)
	var sensor := RaycastSensor2D.new()
	sensor.n_rays = 4
	sensor.cone_width = 360.0
	sensor.ray_length = 180.0
	sensor.rotation = PI / 4
	add(sensor)
	await _settle()
	var seen := sensor.get_observation()
	equal(seen.size(), 4, "numbers")
	near(seen[1], 0.5, 0.01, "the ray along +X, a quarter of the circle before the middle of the cone")
	equal([seen[0], seen[2], seen[3]], [0.0, 0.0, 0.0], "the others")
	sensor.deactivate()
	sensor.position.x = 50.0
	near(sensor.get_observation()[1], 0.5, 0.01, "a sensor that is not active, after it moved")
	sensor.activate()
	check(sensor.get_observation()[1] > 0.7, "it is closer now")


func test_rays_in_3d_look_along_z_and_tell_classes() -> void:
	_block_3d(Vector3(0, 0, 5), 2)
	var sensor := RayCastSensor3D.new()
	sensor.n_rays_width = 3
	sensor.n_rays_height = 1
	sensor.cone_width = 90.0
	sensor.collision_mask = 3
	sensor.boolean_class_mask = 2
	sensor.class_sensor = true
	add(sensor)
	await _settle()
	var seen := sensor.get_observation()
	equal(seen.size(), 6, "numbers")
	near(seen[2], 1.0 - 4.5 / 10.0, 0.01, "closeness ahead")
	equal([seen[0], seen[1], seen[3], seen[4], seen[5]], [0.0, 0.0, 1.0, 0.0, 0.0], "the others, and the class")
	sensor.boolean_class_mask = 1
	equal(sensor.get_observation()[3], 0.0, "another class")


func test_a_grid_counts_bodies_by_cell_and_layer() -> void:
	_block_2d(Vector2(30, 0), Vector2(4, 4), 1)
	_block_2d(Vector2(33, 3), Vector2(4, 4), 4)
	_block_2d(Vector2(0, -30), Vector2(4, 4), 4)
	_block_2d(Vector2(0, 0), Vector2(4, 4), 2)
	var sensor := GridSensor2D.new()
	sensor.detection_mask = 5
	sensor.cell_width = 30.0
	sensor.cell_height = 30.0
	add(sensor)
	await _settle()
	var seen := sensor.get_observation()
	equal(seen.size(), 3 * 3 * 2, "numbers")
	equal(seen.slice((2 * 3 + 1) * 2, (2 * 3 + 1) * 2 + 2), [1.0, 1.0], "right, two layers")
	equal(seen.slice((1 * 3 + 0) * 2, (1 * 3 + 0) * 2 + 2), [0.0, 1.0], "above")
	equal(seen.reduce(func(sum: float, one: float) -> float: return sum + one, 0.0), 3.0, "all, without layer 2")


func test_a_grid_in_3d_counts_what_stands_still_too() -> void:
	_block_3d(Vector3(1, 0, 0), 1)
	var sensor := GridSensor3D.new()
	sensor.cell_width = 0.9
	add(sensor)
	await _settle()
	var seen := sensor.get_observation()
	equal(seen.size(), 9, "numbers")
	equal(seen[2 * 3 + 1], 1.0, "at +X")
	equal(seen[0 * 3 + 1], 0.0, "at -X")


func test_positions_are_in_the_frame_of_the_sensor() -> void:
	var sensor := PositionSensor3D.new()
	var near_one: Node3D = add(Node3D.new())
	var far: Node3D = add(Node3D.new())
	near_one.position = Vector3(0, 0, 5)
	far.position = Vector3(30, 40, 0)
	sensor.objects_to_observe = [near_one, far]
	add(sensor)
	_same(sensor.get_observation(), [0, 0, 0.5, 0.6, 0.8, 0], "offsets")
	sensor.use_separate_direction = true
	_same(sensor.get_observation(), [0, 0, 1, 0.5, 0.6, 0.8, 0, 1], "directions and distances")
	sensor.use_separate_direction = false
	sensor.include_y = false
	sensor.rotation.y = PI / 2
	_same(sensor.get_observation(), [-0.5, 0, 0, 0.6], "turned to +X, without Y")
	near_one.free()
	_same(sensor.get_observation(), [0, 0, 0, 0.6], "when one was freed")


func test_positions_in_2d_are_cut_at_the_largest_distance() -> void:
	var sensor := PositionSensor2D.new()
	var other: Node2D = add(Node2D.new())
	other.position = Vector2(300, 400)
	sensor.objects_to_observe = [other]
	sensor.max_distance = 250.0
	add(sensor)
	_same(sensor.get_observation(), [0.6, 0.8], "offset")


func test_approaching_pays_only_for_being_closer_than_ever() -> void:
	var reward := ApproachNodeReward2D.new()
	reward.target_node = add(Node2D.new())
	reward.reward_scale = 0.5
	reward.position.x = 10.0
	add(reward)
	equal(reward.get_reward(), 0.0, "the first time")
	reward.position.x = 6.0
	near(reward.get_reward(), 2.0, 1e-6, "four closer")
	reward.position.x = 9.0
	equal(reward.get_reward(), 0.0, "farther")
	reward.position.x = 5.0
	near(reward.get_reward(), 0.5, 1e-6, "one closer than ever")
	reward.reset()
	equal(reward.get_reward(), 0.0, "a new episode")


# ---------------------------------------------------------------- helpers


func _walker(reset_after: int) -> Walker:
	var agent := Walker.new()
	agent.reset_after = reset_after
	add(agent)
	agent.set_physics_process(false)
	return agent


func _settle() -> void:
	await frame()
	await frame()


func _same(found: Array, expected: Array, what: String) -> void:
	equal(found.size(), expected.size(), "size of " + what)
	for i in mini(found.size(), expected.size()):
		near(found[i], expected[i], 1e-5, "number %d of %s" % [i, what])


func _block_2d(at: Vector2, size: Vector2, layer: int) -> void:
	var body := StaticBody2D.new()
	var shape := CollisionShape2D.new()
	var rectangle := RectangleShape2D.new()
	rectangle.size = size
	shape.shape = rectangle
	body.add_child(shape)
	body.position = at
	body.collision_layer = layer
	add(body)


func _block_3d(at: Vector3, layer: int) -> void:
	var body := StaticBody3D.new()
	var shape := CollisionShape3D.new()
	shape.shape = BoxShape3D.new()
	body.add_child(shape)
	body.position = at
	body.collision_layer = layer
	add(body)
