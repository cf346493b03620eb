class_name TagRecording
extends RefCounted
## A recorded match in memory, and what it looked like at any moment between its frames.

const LARGEST_BYTES := 256 << 20

var config := {}  ## settings by name, as far as the file has them
var names: Array = []
var title := ""
var boxes: Array = []
var winner := "nobody"
var shot := {}  ## of a film: how it is shown, see film.gd
var problem := ""  ## why there is nothing to play

var _times := PackedFloat64Array()  # seconds
var _frames: Array[Dictionary] = []


## Read a file: frames of a replay as JSON, or a trajectory log as JSON lines.
static func open(path: String) -> TagRecording:
	var made := TagRecording.new()
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


## A recording of frames that are there already, so many seconds apart.
static func of_frames(frames: Array[Dictionary], step_s: float) -> TagRecording:
	var made := TagRecording.new()
	made._frames = frames
	for i in frames.size():
		made._times.append(i * step_s)
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
	var replay: Variant = _parsed(text)
	if typeof(replay) != TYPE_DICTIONARY or not replay.has("frames") or not replay.has("header"):
		problem = "This is no replay: expected an object with header and frames."
		return
	var header := _object(replay.header)
	config = _object(header.get("config"))
	var policies := _object(header.get("policies"))
	for role: Variant in _list(header.get("agents")):
		names.append(str(policies.get(role, role)))
	for frame: Variant in _list(replay.frames):
		_add(_object(_object(frame).get("render_state")))
		if problem:
			return
	if _frames:
		boxes = _boxes(_frames[0].get("boxes"))
		winner = str(_frames[-1].get("winner", winner))
	title = str(replay.get("title", ""))
	shot = _object(replay.get("shot"))


## A frame of a replay, at the moment that its tick says.
func _add(frame: Dictionary) -> void:
	var tick: Variant = frame.get("tick")
	if not TagFrame.is_sound(frame) or not TagFrame.are_numbers([tick], 1) or not _fits(frame, tick / _rate()):
		problem = "Frame %d of this replay cannot be drawn: it is damaged, or of another version." % _frames.size()
		return
	_frames.append(frame)
	_times.append(tick / _rate())


## Lines that are no JSON, or hold no step of an agent, are left out: a log may be cut off in its last line.
func _read_log(text: String) -> void:
	var step_s := 0.05
	var pending := {}
	for line in text.split("\n", false):
		var row := _object(_parsed(line))
		match row.get("type"):
			"episode_start":
				config = _object(row.get("config"))
				names = _list(row.get("players")).map(func(name: Variant) -> String: return str(name))
				if TagFrame.are_numbers([row.get("step_s")], 1) and row.step_s > 0.0:
					step_s = row.step_s
				boxes = _boxes(row.get("boxes"))
			"step":
				if pending.has(row.get("agent")):
					_add_step(pending, step_s)
					pending = {}
				pending[row.get("agent")] = row
			"episode_end":
				winner = str(row.get("winner", "nobody"))
	_add_step(pending, step_s)


func _add_step(steps: Dictionary, step_s: float) -> void:
	if steps.is_empty():
		return
	var tick: Variant = steps.values()[0].get("tick")
	var now: float = tick / _rate() if TagFrame.are_numbers([tick], 1) else (_frames.size() + 1) * step_s
	var limit: Variant = config.get("time_limit")
	var frame := TagFrame.empty((limit if TagFrame.are_numbers([limit], 1) else 10.0) - now)
	for step: Dictionary in steps.values():
		frame.position.append(step.get("pos"))
		frame.velocity.append(step.get("vel"))
		frame.facing.append(step.get("facing", _facing_of(step.get("vel"))))
		frame.seeker.append(1.0 if step.get("is_it") else 0.0)
		frame.out.append(0.0)
		frame.immunity.append(0.0)
		frame.ray_distance.append(step.get("dists", []))
		frame.ray_type.append(_list(step.get("types")).map(func(kind: Variant) -> float: return TagFrame.KINDS.find(str(kind))))
	if TagFrame.is_sound(frame) and _fits(frame, now):
		_frames.append(frame)
		_times.append(now)


## Whether a frame can come after those that are there: as many agents, and later.
func _fits(frame: Dictionary, seconds: float) -> bool:
	return _frames.is_empty() or (frame.position.size() == agents() and seconds > _times[-1])


## Ticks a second.
func _rate() -> float:
	var rate: Variant = config.get("tick_rate")
	return float(rate) if TagFrame.are_numbers([rate], 1) and rate > 0 else 60.0


static func _boxes(corners: Variant) -> Array:
	return _list(corners).filter(func(box: Variant) -> bool: return TagFrame.are_numbers(box, 6))


static func _object(value: Variant) -> Dictionary:
	return value if typeof(value) == TYPE_DICTIONARY else {}


static func _list(value: Variant) -> Array:
	return value if typeof(value) == TYPE_ARRAY else []


## null where the text is no JSON; parse_string would complain on the screen.
static func _parsed(text: String) -> Variant:
	var reader := JSON.new()
	return reader.data if reader.parse(text) == OK else null


static func _facing_of(velocity: Variant) -> Array:
	if not TagFrame.are_numbers(velocity, 3):
		return []
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
