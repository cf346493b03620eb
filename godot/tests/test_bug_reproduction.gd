extends SandlotTestCase
## A planted race is found by its line in the log, written down, and shown again by the report; a sound terrain is clean.

const SCENE := "res://games/bug_reproduction/bug_reproduction.tscn"
const RACE := "voxel_chunk_race_condition"
const DECISIONS := 80
const TICKS := 9  # of a decision
const SPIN := 720  # ticks

var _data_root := ""


func _arena(settings := {}, seed_value := 3) -> SandlotArena:
	_data_root = OS.get_environment("AI_DATA_ROOT")
	OS.set_environment("AI_DATA_ROOT", OS.get_user_data_dir().path_join("bug_test"))
	Engine.physics_ticks_per_second = VrSession.TICK_RATE
	var made := (load(SCENE) as PackedScene).instantiate()
	SandlotTrainer._remove_trainers(made)
	add(made)
	var arena := SandlotArena.of(made)
	arena.configure(settings)
	arena.reset(seed_value)
	return arena


func clean_up() -> void:
	super()
	OS.set_environment("AI_DATA_ROOT", _data_root)
	Engine.physics_ticks_per_second = 60


func _play(arena: SandlotArena, most := DECISIONS) -> void:
	for i in most:
		arena.agents[0].next_decision()
		arena.agents[0].take(PackedFloat32Array([0, 0]))
		for tick in TICKS:
			await frame()
			arena.after_tick()
		arena.after_decision(0)
		if arena.over:
			return


func _signature(target := RACE) -> RegEx:
	var made := RegEx.new()
	made.compile(BugRoom.SIGNATURES[target])
	return made


func _spinning(count: int) -> Array:
	var made := []
	for i in count:
		made.append([1.0, 0.0])
	return made


func test_spinning_shows_the_race_and_pays_a_hundred() -> void:
	var arena := _arena({"save_reports": false, "baseline": "scripted"})
	await _play(arena)
	var agent := arena.agents[0]
	check(arena.over and arena.terminated and agent.reported.success, "it was found: %s" % agent.reported)
	equal(agent.terms[&"found"], 100.0, "for the fault")
	check(_signature().search(arena.root.hit) != null, "by the line %s" % arena.root.hit)


func test_a_sound_terrain_never_prints_the_signature() -> void:
	for target: String in BugRoom.SIGNATURES:
		for seed_value in 10:
			var none := BugFlight.ticks_until(_signature(target), seed_value, false, _spinning(SPIN))
			equal(none, -1, "%s of seed %d" % [target, seed_value])


func test_the_fault_is_a_parameter() -> void:
	for target: String in BugRoom.SIGNATURES:
		var arena := _arena({"target": target, "save_reports": false, "baseline": "scripted"})
		await _play(arena, 300)
		check(_signature(target).search(arena.root.hit) != null, "%s: %s" % [target, arena.root.hit])
		arena.root.free()


func test_a_line_that_anything_else_prints_counts_too() -> void:
	var arena := _arena({"save_reports": false, "target": "voxel_queue_overflow", "planted": false})
	arena.root.flight.streamer.problems.append("VoxelTerrain: generation queue overflow, said by a test")
	await frame()
	await frame()
	check(arena.root.hit.ends_with("said by a test"), "heard: %s" % arena.root.hit)


func test_a_hit_is_written_down_and_its_replay_shows_it_again() -> void:
	var found := _arena({"baseline": "scripted"})
	await _play(found)
	var folder: String = found.root.report_folder
	var line: String = found.root.hit
	var whole: Array = found.root.actions
	found.root.free()
	for name: String in ["report.md", "state.json", "replay.json", "replay_whole.json"]:
		check(FileAccess.file_exists(folder.path_join(name)), "%s in %s" % [name, folder])
	var state: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(folder.path_join("state.json")))
	check(state.terrain.chunks.size() > 10 and state.has("heading"), "the whole state: %s" % [state.keys()])
	var page := FileAccess.get_file_as_string(folder.path_join("report.md"))
	for word: String in [line, "seed | 3", "seconds | turn | move", "--replay="]:
		check(page.contains(word), "the page says %s" % word)
	for name: String in ["replay.json", "replay_whole.json"]:
		var replay: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(folder.path_join(name)))
		var rows: Array = replay.actions.map(func(step: Array) -> Array: return step[0])
		check(rows.size() <= whole.size(), "%d of %d ticks" % [rows.size(), whole.size()])
		var settings: Dictionary = replay.settings
		settings.save_reports = false
		var again := _arena(settings, SandlotWire.seed_from_text(replay.seed))
		for row: Array in rows:
			again.agents[0].take(PackedFloat32Array(row))
			await frame()
		check(_signature().search(again.root.hit) != null, "%s shows it again" % name)
		if name == "replay_whole.json":
			equal(again.root.hit, line, "the very line")
		again.root.free()


func test_actions_that_do_not_matter_are_left_out() -> void:
	var idle := []
	for i in 270:
		idle.append([0.0, 0.5])
	var actions: Array = idle + _spinning(1080)
	var ends := BugFlight.ticks_until(_signature(), 5, true, actions)
	check(ends > 270, "it needs the spin: after %d" % ends)
	var fewer := BugFlight.minimised(_signature(), 5, true, actions.slice(0, ends))
	check(fewer.size() < ends - 180, "%d of %d are needed" % [fewer.size(), ends])
	equal(BugFlight.ticks_until(_signature(), 5, true, fewer), fewer.size(), "and they end in it")


func test_turning_pays_a_tenth_of_the_fault_at_most_and_more_only_as_written() -> void:
	for shaping: String in ["bounded", "as_written"]:
		var arena := _arena({"planted": false, "shaping": shaping, "baseline": "scripted", "save_reports": false})
		await _play(arena)
		var paid: float = arena.agents[0].terms[&"turning"]
		var expected := 1.0 if shaping == "as_written" else 10.0 / 300.0
		near(paid, expected * DECISIONS, 1.01 * expected, shaping)
		check(shaping == "as_written" or 300 * expected <= 0.1 * 100.0, "a whole episode of it pays %s" % (300 * expected))
		arena.root.free()
