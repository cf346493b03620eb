extends SceneTree
## Reads every golden message with the addon's own code, writes it again, and prints one JSON line a file:
## what it read, and the bytes and the text it wrote. test_godot_wire.py compares them with the golden ones.


func _init() -> void:
	var folder: String = OS.get_cmdline_user_args()[0]
	for name in DirAccess.get_files_at(folder):
		var golden: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(folder.path_join(name)))
		var batch := SandlotBatch.from_welcome(golden.shape)
		var message := _state(golden, batch) if name.begins_with("state") else _command(golden, batch)
		print("GOLDEN ", JSON.stringify({"name": name.get_basename(), "message": message}, "", false, true))
	quit(0)


func _state(golden: Dictionary, batch: SandlotBatch) -> Dictionary:
	var message: Dictionary = golden.json
	batch.observations = _flat(message.observations)
	batch.rewards = PackedFloat32Array(message.rewards)
	batch.ticks = PackedInt32Array(message.ticks)
	batch.terminated = PackedByteArray(message.terminated)
	batch.truncated = PackedByteArray(message.truncated)
	if batch.masked:
		batch.masks = PackedByteArray(Array(_flat(message.masks)))
	for end: Dictionary in message.ended:
		batch.ended.append(int(end.world))
		batch.final_observations.append_array(_flat(end.final_observations))
		batch.episodes.append_array(PackedFloat32Array(end.episode))
	var step := int(message.step)
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


func _plain(message: Dictionary) -> Dictionary:
	var made := message.duplicate()
	if made.has("seeds"):
		made.seeds = Array(made.seeds).map(SandlotWire.seed_to_text)
	return made


func _flat(table: Array) -> PackedFloat32Array:
	var made := PackedFloat32Array()
	for row: Array in table:
		made.append_array(PackedFloat32Array(row))
	return made
