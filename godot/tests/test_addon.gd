extends SandlotTestCase
## The pieces that other games copy: spec reader, ray sensor, agent, recorder, arguments.


func test_a_setting_out_of_range_or_unknown_is_refused_with_a_sentence() -> void:
	var cases := {"time_limit": 500, "mode": "nope", "obstacles": -1, "no_such_setting": 1}
	for name: String in cases:
		var spec := SandlotSpec.from_file(TagGame.SPEC_FILE, {name: cases[name]})
		check(spec.problem.contains(name), "%s was taken: %s" % [name, spec.problem])


func test_a_file_that_is_no_spec_is_refused() -> void:
	var problem := SandlotSpec.from_file("res://project.godot").problem
	check(problem.contains("no spec"), "project.godot was taken for a spec")


func test_profiles_have_defaults_of_their_own() -> void:
	equal(SandlotSpec.from_file(TagGame.SPEC_FILE, {}, "reference").config.arena_half, 14.8, "arena_half")
	equal(SandlotSpec.from_file(TagGame.SPEC_FILE).config.arena_half, 10.0, "arena_half")


func test_a_ray_sensor_tells_distance_and_kind() -> void:
	var sensor := SandlotRaySensor.new()
	sensor.rays = 3
	sensor.view_degrees = 180.0
	sensor.reach = 10.0
	add(sensor)
	_add_block(Vector3(4.5, 0, 0), &"agent")
	_add_block(Vector3(0, 0, -6.5), &"")
	await frame()
	await frame()
	var out := sensor.sense()
	equal(out.size(), sensor.size(), "how many numbers")
	equal(Array(sensor.met), [0, 1, -1], "kinds of right, ahead, left")
	near(out[0], 0.4, 0.001, "distance to the right")
	near(out[4], 0.6, 0.001, "distance ahead")
	near(out[8], 1.0, 0.0, "distance to the left")
	equal(sensor.labels(), PackedStringArray(["distance", "none", "agent", "other"]), "labels")


class Watcher:
	extends SandlotAgent

	func _init() -> void:
		actions = {"walk": "axis", "gear": {"kind": "axis", "low": 0.0, "high": 4.0}, "jump": "button", "mood": ["calm", "angry"]}
		reward_terms = ["near"]

	func observe_fields() -> Dictionary:
		return {"speed": 0.5, "place": Vector3(1, 2, 3), "flags": [true, false]}


func test_an_agent_finds_its_sensors_and_names_what_it_observes() -> void:
	var body := Node3D.new()
	var agent := Watcher.new()
	var sensor := SandlotRaySensor.new()
	sensor.name = "Eyes"
	sensor.rays = 4
	body.add_child(agent)
	body.add_child(sensor)
	add(body)
	agent.find_sensors()
	await frame()
	var fields := agent.declared_fields()
	equal(fields.map(func(one: Dictionary) -> String: return one.name), ["speed", "place", "flags", "eyes"], "names")
	equal(fields.map(func(one: Dictionary) -> Array: return one.shape), [[1], [3], [2], [4, 4]], "shapes")
	var seen := agent.collect()
	equal(seen.size(), 6 + 16, "numbers of an observation")
	equal(seen.slice(0, 6), PackedFloat32Array([0.5, 1, 2, 3, 1, 0]), "own numbers")


func test_a_body_with_two_agents_gives_its_sensors_to_neither() -> void:
	var body := Node3D.new()
	var agents: Array[SandlotAgent] = [Watcher.new(), Watcher.new()]
	for agent in agents:
		body.add_child(agent)
	body.add_child(SandlotRaySensor.new())
	add(body)
	agents[0].find_sensors()
	equal(agents[0].collect().size(), 6, "numbers of an observation")


func test_an_agent_adds_up_rewards_by_term_until_the_episode_ends() -> void:
	var agent: SandlotAgent = add(Watcher.new())
	agent.reward(&"near", 0.25)
	agent.reward(&"near", 0.5)
	equal([agent.step_reward, agent.terms[&"near"]], [0.75, 0.75], "reward and term")
	agent.end_episode(false)
	equal([agent.ended, agent.terminated], [true, false], "endings")
	agent.reward(&"near", 9.0)
	agent.end_episode(true)
	equal([agent.episode_return, agent.terminated], [0.75, false], "after the end")
	agent.clear_episode()
	equal([agent.step_reward, agent.terms, agent.ended], [0.0, {}, false], "a new episode")
	agent.reward(&"far", 1.0)
	check("far" in agent.problem and "near" in agent.problem, "problem is %s" % agent.problem)


func test_an_agent_takes_up_numbers_as_its_actions_by_name() -> void:
	var agent: SandlotAgent = add(Watcher.new())
	agent.take(PackedFloat32Array([-0.5, 0.5, 0.9, 1.0]))
	equal(agent.chosen, {"walk": -0.5, "gear": 3.0, "jump": true, "mood": 1}, "actions")
	equal([agent.action(&"mood"), agent.option(&"mood")], [1, "angry"], "one action")


func test_rays_in_2d_meet_bodies_and_name_their_kind() -> void:
	var wall := StaticBody2D.new()
	var shape := CollisionShape2D.new()
	shape.shape = RectangleShape2D.new()
	(shape.shape as RectangleShape2D).size = Vector2(20, 400)
	wall.add_child(shape)
	wall.position = Vector2(110, 0)
	wall.add_to_group("wall")
	add(wall)
	var eyes := SandlotRaySensor2D.new()
	eyes.rays = 3
	eyes.view_degrees = 180
	eyes.reach = 200
	eyes.kinds = [&"wall"]
	add(eyes)
	await frame()
	await frame()
	var seen := eyes.sense()
	equal(seen.size(), eyes.size(), "numbers")
	near(seen[4], 0.5, 1e-3, "distance ahead")
	equal(seen.slice(5, 8), PackedFloat32Array([0, 1, 0]), "kind ahead")
	equal(seen.slice(0, 4), PackedFloat32Array([1, 1, 0, 0]), "to the side")


func test_a_recorder_shows_a_file_only_when_it_is_whole() -> void:
	var folder := OS.get_temp_dir().path_join("sandlot_recorder_%d" % OS.get_process_id())
	var recorder := SandlotTrajectoryRecorder.new()
	recorder.folder = folder
	add(recorder)
	recorder.begin(3, {"seed": 7})
	recorder.write("step", {"pos": [1.0, 0.0, 2.0]})
	var path := folder.path_join("ep_00003.jsonl")
	check(not FileAccess.file_exists(path), "the file is there before its end")
	recorder.end({"winner": "seeker"})
	var lines := FileAccess.get_file_as_string(path).strip_edges().split("\n")
	equal(lines.size(), 3, "lines")
	var types := Array(lines).map(func(line: String) -> String: return JSON.parse_string(line).type)
	equal(types, ["episode_start", "step", "episode_end"], "types")
	DirAccess.remove_absolute(path)
	DirAccess.remove_absolute(folder)


func test_a_tape_plays_a_log_at_its_own_speed() -> void:
	var path := OS.get_temp_dir().path_join("sandlot_tape_%d.jsonl" % OS.get_process_id())
	var file := FileAccess.open(path, FileAccess.WRITE)
	file.store_line('{"type":"episode_start","step_s":0.05}')
	for step in 3:
		for agent in 2:
			var line := {"type": "step", "agent": "Agent%d" % (agent + 1), "is_it": agent == 0}
			line.merge({"pos": [step * 0.4, 0, agent], "vel": [8, 0, 0]})
			file.store_line(JSON.stringify(line))
	file.store_line('{"type":"episode_end","winner":"hider"}')
	file.store_line('{"type":"step","agent":"cut o')
	file.close()
	var recording := TagRecording.open(path)
	DirAccess.remove_absolute(path)
	equal(recording.problem, "", "problem")
	equal([recording.agents(), recording.winner], [2, "hider"], "agents and winner")
	near(recording.end_s() - recording.start_s(), 0.1, 1e-6, "length of three steps")
	near(recording.at(recording.start_s() + 0.025).position[0][0], 0.2, 1e-6, "half way between two frames")


func test_words_are_read_with_their_values() -> void:
	var given := PackedStringArray(["file.json", "--seed=12", "--watch", "--set.mode=switch", "--set.obstacles=3"])
	var arguments := SandlotArguments.parse(given)
	equal(Array(arguments.positional), ["file.json"], "positional arguments")
	equal([arguments.integer("seed"), arguments.flag("watch"), arguments.flag("other")], [12, true, false], "named arguments")
	equal(arguments.settings(), {"mode": "switch", "obstacles": 3.0}, "settings")


func _add_block(at: Vector3, group: StringName) -> void:
	var body := StaticBody3D.new()
	var shape := CollisionShape3D.new()
	shape.shape = BoxShape3D.new()
	body.add_child(shape)
	body.position = at
	if group:
		body.add_to_group(group)
	add(body)
