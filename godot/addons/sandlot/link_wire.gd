class_name SandlotWire
extends RefCounted
## Messages to bytes and back, as docs/ws_protocol.md describes them. It opens no socket.
##
## The same messages exist as JSON, for people and tools, and as binary frames, for speed. The golden files in
## tests/golden/messages hold this file and its Python twin together.

const PROTOCOL := 1
const MAGIC := 0x31574C53  # "SLW1", little-endian
const HEAD := 24  # bytes before the payload
enum Kind { STATE = 1, STEP = 2, RESET = 3 }


## The state of every arena after step [param step], as one binary frame.
static func state_to_bytes(step: int, batch: SandlotBatch) -> PackedByteArray:
	var bytes := _head(Kind.STATE, step, batch.ended.size())
	bytes.append_array(batch.observations.to_byte_array())
	bytes.append_array(batch.rewards.to_byte_array())
	bytes.append_array(batch.ticks.to_byte_array())
	bytes.append_array(batch.terminated)
	bytes.append_array(batch.truncated)
	_pad(bytes)
	bytes.append_array(batch.masks)
	_pad(bytes)
	bytes.append_array(batch.ended.to_byte_array())
	bytes.append_array(batch.final_observations.to_byte_array())
	bytes.append_array(batch.episodes.to_byte_array())
	return bytes


## The same state as JSON text.
static func state_to_json(step: int, batch: SandlotBatch) -> String:
	var message := {
		"type": "state",
		"step": step,
		"observations": _table(batch.observations, batch.observation_size),
		"rewards": Array(batch.rewards),
		"ticks": Array(batch.ticks),
		"terminated": _flags(batch.terminated),
		"truncated": _flags(batch.truncated),
		"ended": [],
	}
	if batch.masked:
		message.masks = _table(batch.masks, batch.action_count)
	var finals := _table(batch.final_observations, batch.observation_size)
	var sums := _table(batch.episodes, batch.episode_size)
	for i in batch.ended.size():
		message.ended.append({
			"world": batch.ended[i],
			"final_observations": finals.slice(i * batch.agents, (i + 1) * batch.agents),
			"episode": sums[i],
		})
	return JSON.stringify(message, "", false, true)


## A binary command of the trainer: {type, step, actions | choices} or {type, step, worlds, seeds}.
## {"type": "error", "text"} if it is none.
static func command_from_bytes(bytes: PackedByteArray, batch: SandlotBatch) -> Dictionary:
	if bytes.size() < HEAD or bytes.decode_u32(0) != MAGIC:
		return _error("a binary frame begins with SLW1 and a head of %d bytes" % HEAD)
	var step := bytes.decode_s64(8)
	var count := bytes.decode_u32(16)
	var payload := bytes.slice(HEAD)
	match bytes.decode_u8(4):
		Kind.STEP:
			return _step_from_bytes(step, payload, batch)
		Kind.RESET:
			if payload.size() != count * 12:
				return _error("a reset of %d worlds has %d bytes, expected %d" % [count, payload.size(), count * 12])
			var worlds := payload.slice(0, count * 4).to_int32_array()
			var seeds := payload.slice(count * 4).to_int64_array()
			return _checked_reset(step, worlds, seeds, batch)
	return _error("kind %d is no command" % bytes.decode_u8(4))


## A JSON command of the trainer, in the same form.
static func command_from_json(text: String, batch: SandlotBatch) -> Dictionary:
	var message: Variant = JSON.parse_string(text)
	if typeof(message) != TYPE_DICTIONARY or not message.has("type"):
		return _error("a message is a JSON object with a type")
	match message.type:
		"step":
			return _step_from_json(message, batch)
		"reset":
			return _reset_from_json(message, batch)
	return message


## An unsigned 64-bit number as decimal text becomes the same 64 bits (GDScript's int shows them signed).
static func seed_from_text(text: String) -> int:
	var value := 0
	for digit in text:
		value = value * 10 + digit.unicode_at(0) - 48
	return value


static func seed_to_text(seed_bits: int) -> String:
	return String.num_uint64(seed_bits)


static func _head(kind: Kind, step: int, count: int) -> PackedByteArray:
	var bytes := PackedByteArray()
	bytes.resize(HEAD)
	bytes.encode_u32(0, MAGIC)
	bytes.encode_u8(4, kind)
	bytes.encode_s64(8, step)
	bytes.encode_u32(16, count)
	return bytes


static func _pad(bytes: PackedByteArray) -> void:
	var rest := bytes.size() % 4
	if rest:
		bytes.resize(bytes.size() + 4 - rest)


static func _step_from_bytes(step: int, payload: PackedByteArray, batch: SandlotBatch) -> Dictionary:
	var numbers := batch.rows() * (1 if batch.action_count else batch.action_size)
	if payload.size() != numbers * 4:
		return _error("a step has %d bytes of actions, expected %d" % [payload.size(), numbers * 4])
	if batch.action_count:
		return {"type": "step", "step": step, "choices": payload.to_int32_array()}
	return {"type": "step", "step": step, "actions": payload.to_float32_array()}


static func _step_from_json(message: Dictionary, batch: SandlotBatch) -> Dictionary:
	if typeof(message.get("actions")) != TYPE_ARRAY or message.actions.size() != batch.rows():
		return _error("a step has one action per row, %d rows" % batch.rows())
	if batch.action_count:
		return {"type": "step", "step": int(message.step), "choices": PackedInt32Array(message.actions)}
	var flat := PackedFloat32Array()
	for row: Variant in message.actions:
		if typeof(row) != TYPE_ARRAY or row.size() != batch.action_size:
			return _error("an action has %d numbers" % batch.action_size)
		flat.append_array(PackedFloat32Array(row))
	return {"type": "step", "step": int(message.step), "actions": flat}


static func _reset_from_json(message: Dictionary, batch: SandlotBatch) -> Dictionary:
	if typeof(message.get("worlds")) != TYPE_ARRAY or typeof(message.get("seeds")) != TYPE_ARRAY:
		return _error("a reset names worlds and their seeds")
	var seeds := PackedInt64Array()
	for text: Variant in message.seeds:
		seeds.append(seed_from_text(str(text)))
	return _checked_reset(int(message.step), PackedInt32Array(message.worlds), seeds, batch)


static func _checked_reset(
	step: int, worlds: PackedInt32Array, seeds: PackedInt64Array, batch: SandlotBatch
) -> Dictionary:
	if worlds.size() != seeds.size():
		return _error("a reset names %d worlds and %d seeds" % [worlds.size(), seeds.size()])
	for world in worlds:
		if world < 0 or world >= batch.worlds:
			return _error("a reset names world %d of %d" % [world, batch.worlds])
	return {"type": "reset", "step": step, "worlds": worlds, "seeds": seeds}


static func _error(text: String) -> Dictionary:
	return {"type": "error", "code": "bad_message", "text": "The trainer's message cannot be read: %s." % text}


static func _table(flat: Variant, width: int) -> Array:
	var made: Array = []
	for start in range(0, flat.size(), maxi(width, 1)):
		made.append(Array(flat.slice(start, start + width)))
	return made


static func _flags(bytes: PackedByteArray) -> Array:
	return Array(bytes).map(func(byte: int) -> bool: return byte != 0)
