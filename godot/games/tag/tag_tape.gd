class_name TagTape
extends RefCounted
## A recorded match in memory, and what it looked like at any moment between its frames.

const LARGEST_BYTES := 256 << 20

var config := {}  ## settings by name, as far as the file tells them
var names: Array = []
var title := ""
var boxes: Array = []
var winner := "nobody"
var problem := ""  ## why there is nothing to play

var _times := PackedFloat64Array()  # seconds
var _frames: Array[Dictionary] = []


## Read a file: frames of a replay as JSON, or a trajectory log as JSON lines.
static func open(path: String) -> TagTape:
	var made := TagTape.new()
	if path.is_empty() or not FileAccess.file_exists(path):
		made.problem = "There is no replay at '%s'. Give a file, or set AI_REPLAY_PATH." % path
		return made
	if FileAccess.open(path, FileAccess.READ).get_length() > LARGEST_BYTES:
		made.problem = "%s is larger than %d MB." % [path, LARGEST_BYTES >> 20]
		return made
	var text := FileAccess.get_file_as_string(path)
	if path.ends_with(".jsonl"):
		made._read_log(text)
	else:
		made._read_replay(text)
	if not made.problem and made._frames.is_empty():
		made.problem = "%s holds no frames." % path
	return made


func agents() -> int:
	return _frames[0].position.size()


func start_s() -> float:
	return _times[0]


func end_s() -> float:
	return _times[-1]


## The match at a moment: between two frames bodies move on smooth curves, everything else is as it was.
func at(seconds: float) -> Dictionary:
	var after := clampi(_times.bsearch(seconds), 0, _frames.size() - 1)
	var before := maxi(after - 1, 0)
	var span := _times[after] - _times[before]
	if span <= 0.0 or seconds >= _times[after]:
		return _frames[after]
	var share := clampf((seconds - _times[before]) / span, 0.0, 1.0)
	var made := _frames[before].duplicate()
	made.time_left = lerpf(_frames[before].time_left, _frames[after].time_left, share)
	made.position = []
	made.facing = []
	for i in agents():
		made.position.append(_moved(before, after, i, share, span))
		made.facing.append(_turned(_frames[before].facing[i], _frames[after].facing[i], share))
	return made


func _read_replay(text: String) -> void:
	var told: Variant = _parsed(text)
	if typeof(told) != TYPE_DICTIONARY or not told.has("frames") or not told.has("header"):
		problem = "This is no replay: expected an object with header and frames."
		return
	config = told.header.get("config", {})
	var rate := float(config.get("tick_rate", 60))
	for role: String in told.header.get("agents", []):
		names.append(told.header.get("policies", {}).get(role, role))
	for frame: Dictionary in told.frames:
		_frames.append(frame.render_state)
		_times.append(frame.render_state.tick / rate)
	if _frames:
		boxes = _frames[0].get("boxes", [])
		winner = _frames[-1].winner
	title = str(told.get("title", ""))


## Lines that are no JSON are skipped: a log may be cut off in its last line.
func _read_log(text: String) -> void:
	var step_s := 0.05
	var pending := {}
	for line in text.split("\n", false):
		var told: Variant = _parsed(line)
		if typeof(told) != TYPE_DICTIONARY:
			continue
		match told.get("type"):
			"episode_start":
				config = told.get("config", {})
				names = told.get("players", [])
				step_s = told.get("step_s", step_s)
				boxes = told.get("boxes", [])
			"step":
				if pending.has(told.agent):
					_add_step(pending, step_s)
					pending = {}
				pending[told.agent] = told
			"episode_end":
				winner = told.get("winner", "nobody")
	_add_step(pending, step_s)


func _add_step(steps: Dictionary, step_s: float) -> void:
	if steps.is_empty() or (_frames and steps.size() != agents()):
		return
	var rate := float(config.get("tick_rate", 60))
	var first: Dictionary = steps.values()[0]
	var now := float(first.tick) / rate if first.has("tick") else (_frames.size() + 1) * step_s
	var frame := TagFrame.empty(float(config.get("time_limit", 10.0)) - now)
	for step: Dictionary in steps.values():
		frame.position.append(step.pos)
		frame.velocity.append(step.vel)
		frame.facing.append(step.get("facing", _facing_of(step.vel)))
		frame.seeker.append(float(bool(step.is_it)))
		frame.out.append(0.0)
		frame.immunity.append(0.0)
		frame.ray_distance.append(step.get("dists", []))
		frame.ray_type.append(step.get("types", []).map(func(kind: String) -> float: return TagFrame.KINDS.find(kind)))
	_frames.append(frame)
	_times.append(now)


## null where the text is no JSON; parse_string would complain on the screen.
static func _parsed(text: String) -> Variant:
	var reader := JSON.new()
	return reader.data if reader.parse(text) == OK else null


static func _facing_of(velocity: Array) -> Array:
	var way := Vector2(velocity[0], velocity[2])
	way = way.normalized() if way.length() > 0.01 else Vector2.UP
	return [way.x, way.y]


## Hermite: leaves and arrives with the recorded velocities.
func _moved(before: int, after: int, i: int, share: float, span: float) -> Array:
	var made := []
	for axis in 3:
		var a: float = _frames[before].position[i][axis]
		var b: float = _frames[after].position[i][axis]
		var va: float = _frames[before].velocity[i][axis] * span
		var vb: float = _frames[after].velocity[i][axis] * span
		var s2 := share * share
		var s3 := s2 * share
		var curve := a * (2 * s3 - 3 * s2 + 1) + b * (3 * s2 - 2 * s3) + va * (s3 - 2 * s2 + share) + vb * (s3 - s2)
		made.append(clampf(curve, minf(a, b), maxf(a, b)))  # a curve must not swing into what stopped the body
	return made


static func _turned(from: Array, to: Array, share: float) -> Array:
	var way := Vector2(from[0], from[1]).lerp(Vector2(to[0], to[1]), share)
	way = way.normalized() if way.length() > 0.01 else Vector2(to[0], to[1])
	return [way.x, way.y]
