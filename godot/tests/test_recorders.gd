extends SandlotTestCase
## What the recorders of demonstrations and of coverage write.


class Stepper:
	extends SandlotAgent

	var place := 0.0

	func _init() -> void:
		role = &"walker"
		actions = {"walk": {"kind": "axis", "low": 0.0, "high": 2.0}, "jump": "button", "mood": ["calm", "angry"]}
		reports = {"success": "flag"}

	func observe_fields() -> Dictionary:
		return {"place": place}

	func act(action: Dictionary) -> void:
		place += action.walk

	func human() -> Dictionary:
		return {"walk": 1.5, "jump": true, "mood": 1}

	func begin_episode(_random: SandlotRandom) -> void:
		place = 0.0


func _recorded(recorder: SandlotDemoRecorder, path: String) -> Stepper:
	DirAccess.remove_absolute(path)
	var agent := Stepper.new()
	recorder.path = path
	agent.add_child(recorder)
	add(agent)
	return agent


func _play(agent: Stepper, steps: int, successes: Array[bool]) -> void:
	var arena := SandlotArena.of(agent)
	arena.reset(3)
	for success in successes:
		for i in steps:
			agent.next_decision()
			agent.collect()
			agent.take_human()
			arena.after_decision(0)
		agent.report("success", success)
		arena.end(true)
		arena.next_episode()


func test_a_persons_episode_is_a_line_with_one_observation_more_than_actions() -> void:
	var path := OS.get_user_data_dir().path_join("demos_of_tests.jsonl")
	var agent := _recorded(SandlotDemoRecorder.new(), path)
	_play(agent, 3, [true, false])
	var lines := FileAccess.get_file_as_string(path).strip_edges().split("\n")
	equal(lines.size(), 3, "lines")
	var header: Dictionary = JSON.parse_string(lines[0])
	equal([header.format, header.role], ["sandlot_demos_v1", "walker"], "header")
	equal(header.actions.map(func(one: Dictionary) -> String: return one.kind), ["axis", "button", "choice"], "actions")
	var episode: Dictionary = JSON.parse_string(lines[1])
	equal(episode.obs, [[0.0], [1.5], [3.0], [4.5]], "observations")
	equal(episode.acts, [[0.5, 1.0, 1.0], [0.5, 1.0, 1.0], [0.5, 1.0, 1.0]], "actions as a policy would give them")
	equal(episode.terminated, true, "how it ended")


func test_only_successful_episodes_are_kept_where_that_is_asked_for() -> void:
	var recorder := SandlotDemoRecorder.new()
	recorder.only_with = &"success"
	var path := OS.get_user_data_dir().path_join("demos_of_tests.jsonl")
	_play(_recorded(recorder, path), 2, [false, true, false])
	equal(recorder.episodes, 1, "episodes")


func test_a_json_file_is_the_list_of_the_stock_recorder_and_goes_on_growing() -> void:
	var path := OS.get_user_data_dir().path_join("demos_of_tests.json")
	_play(_recorded(SandlotDemoRecorder.new(), path), 2, [true])
	var again := SandlotDemoRecorder.new()
	again.path = path
	var agent := Stepper.new()
	agent.add_child(again)
	add(agent)
	_play(agent, 1, [true])
	var read: Array = JSON.parse_string(FileAccess.get_file_as_string(path))
	equal(read.map(func(one: Array) -> Array: return [one[0].size(), one[1].size()]), [[3, 2], [2, 1]], "sizes")


func test_coverage_counts_cells_of_all_recorders_of_a_file_and_states_that_never_came() -> void:
	var path := OS.get_user_data_dir().path_join("coverage_of_tests.json")
	var bodies: Array[Node3D] = []
	for x: float in [0.5, 7.5]:
		var body := Node3D.new()
		var recorder := SandlotCoverageRecorder.new()
		recorder.path = path
		recorder.cell = 5.0
		recorder.expected = ["door", "menu"]
		body.add_child(recorder)
		add(body)
		body.position.x = x
		bodies.append(body)
	(bodies[0].get_child(0) as SandlotCoverageRecorder).mark(&"door")
	for i in 4:
		await frame()
	bodies[0].position.z = -1.0
	await frame()
	await frame()
	for body in bodies:
		body.free()
	var read: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(path))
	var cells := read.cells.map(func(cell: Array) -> Array: return cell.slice(0, 3)) as Array
	equal(cells, [[0.0, 0.0, -1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], "cells")
	equal(read.states, {"door": 1.0, "menu": 0.0}, "states")
	equal(read.cells.reduce(func(sum: float, cell: Array) -> float: return sum + cell[3], 0.0), read.ticks, "ticks")
