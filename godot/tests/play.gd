extends SceneTree
## Plays given actions from given seeds and writes down what came of it: how other programs compare us with
## the native engine. Words: CASE.json OUT.json
##
## CASE {"config": {…}, "worlds": n, "seeds": ["…"], "actions": [steps][rows · action_size]}
## OUT  {"frames": [steps + 1][worlds]{render, info, events}, "observations", "rewards", "ended", "episodes"}


func _initialize() -> void:
	_play.call_deferred()


func _play() -> void:
	var arguments := OS.get_cmdline_user_args()
	var case: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(arguments[0]))
	var spec := SandlotSpec.from_file(TagGame.SPEC_FILE, case.config)
	if spec.problem:
		printerr(spec.problem)
		quit(2)
		return
	var game := TagGame.new()
	root.add_child(game)
	game.build(spec, int(case.worlds))
	await physics_frame
	var record := {"frames": [], "observations": [], "rewards": [], "ended": [], "episodes": []}
	for world in game.state.worlds:
		game.reset(world, (case.seeds[world] as String).to_int())
	_record(game, record)
	for actions: Array in case.actions:
		game.step(PackedFloat32Array(actions))
		_record(game, record)
	var out := FileAccess.open(arguments[1], FileAccess.WRITE)
	out.store_string(JSON.stringify(record, "", false, true))
	out.close()
	quit(0)


func _record(game: TagGame, record: Dictionary) -> void:
	var worlds := []
	for world in game.state.worlds:
		var seen := game.view(world)
		worlds.append({"render": Array(seen.render), "info": Array(seen.info), "events": seen.events.duplicate()})
	record.frames.append(worlds)
	record.observations.append(Array(game.batch.observations))
	record.rewards.append(Array(game.batch.rewards))
	record.ended.append(Array(game.batch.ended))
	record.episodes.append(Array(game.batch.episodes))
