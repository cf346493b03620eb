extends SceneTree
## Reads every golden message with the addon's own code, writes it again, and prints one JSON line a file:
## what it read, and the bytes and the text it wrote. test_godot_wire.py compares them with the golden ones.


func _init() -> void:
	var folder: String = OS.get_cmdline_user_args()[0]
	for name in DirAccess.get_files_at(folder):
		var golden: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(folder.path_join(name)))
		var batch := SandlotBatch.from_welcome(golden.shape)
		var told := _state(golden, batch) if name.begins_with("state") else _command(golden, batch)
		print("GOLDEN ", JSON.stringify({"name": name.get_basename(), "told": told}, "", false, true))
	quit(0)


func _state(golden: Dictionary, batch: SandlotBatch) -> Dictionary:
	var told: Dictionary = golden.json
	batch.observations = _flat(told.observations)
	batch.rewards = PackedFloat32Array(told.rewards)
	batch.ticks = PackedInt32Array(told.ticks)
	batch.terminated = PackedByteArray(told.terminated)
	batch.truncated = PackedByteArray(told.truncated)
	if batch.masked:
		batch.masks = PackedByteArray(Array(_flat(told.masks)))
	for end: Dictionary in told.ended:
		batch.ended.append(int(end.world))
		batch.final_observations.append_array(_flat(end.final_observations))
		batch.episodes.append_array(PackedFloat32Array(end.episode))
	var step := int(told.step)
	return {
		"problem": batch.problem(),
		"hex": SandlotWire.state_to_bytes(step, batch).hex_encode(),
		"json": JSON.parse_string(SandlotWire.state_to_json(step, batch)),
	}


func _command(golden: Dictionary, batch: SandlotBatch) -> Dictionary:
	var from_bytes := SandlotWire.command_from_bytes(String(golden.hex).hex_decode(), batch)
	var from_json := SandlotWire.command_from_json(JSON.stringify(golden.json, "", false, true), batch)
	var cut := SandlotWire.command_from_bytes(String(golden.hex).hex_decode().slice(0, -1), batch)
	return {"bytes": _plain(from_bytes), "json": _plain(from_json), "cut": cut}


func _plain(told: Dictionary) -> Dictionary:
	var made := told.duplicate()
	if made.has("seeds"):
		made.seeds = Array(made.seeds).map(SandlotWire.seed_to_text)
	return made


func _flat(table: Array) -> PackedFloat32Array:
	var made := PackedFloat32Array()
	for row: Array in table:
		made.append_array(PackedFloat32Array(row))
	return made
