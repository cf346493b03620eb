class_name TagSight
extends RefCounted
## What agents see, and the observation made of it (docs/games/tag.md, "Look").

const SLOWING := 0.93  # a believed velocity, from step to step
const FADING := 0.95  # how fresh a sight is, from step to step
const FRESH := 0.55  # a sight this fresh and a new one give a velocity
const VELOCITY_GAIN := 0.4  # share of an error in the believed place that corrects the velocity
const DEPTH := 1.5  # metres; neighbouring rays this much longer still met the same body

var distances := PackedFloat32Array()  ## of the agent that looked last, metres
var whom := PackedInt32Array()  ## the row that each ray met; -1 a wall, -2 nothing

var _rules: TagRules
var _state: TagState
var _bodies: TagBodies


func _init(rules: TagRules, state: TagState, bodies: TagBodies) -> void:
	_rules = rules
	_state = state
	_bodies = bodies
	distances.resize(TagRules.RAYS)
	whom.resize(TagRules.RAYS)


## Look without consequences: fills [member distances] and [member whom].
func look(row: int) -> void:
	if _state.in_play[row]:
		_bodies.cast(row, distances, whom)
	else:
		distances.fill(_rules.vision_range)
		whom.fill(-2)


## Remember who is in view now, and report those who were not before.
func note(row: int, world: int) -> void:
	var first := world * _state.agents
	var now := 0
	for i in TagRules.RAYS:
		if whom[i] >= 0:
			now |= 1 << (whom[i] - first)
	var fresh := now & ~_state.seen[row]
	_state.seen[row] = now
	if now == 0:
		return
	for other in _state.agents:
		if fresh >> other & 1:
			_state.events[world].append([TagGame.Event.SIGHT, row - first, other, _state.tick[world]])
		var hunted := _state.seeker[row] == 1 and _state.seeker[first + other] == 0
		if now >> other & 1 and hunted and _state.first_seen_tick[world] < 0:
			_state.first_seen_tick[world] = _state.tick[world]


## Carry on what an agent remembers of the last body it saw; kept only with the setting `recall`.
func remember(row: int) -> void:
	var r := _state.recall
	var at := row * 5
	if r[at + 4] > 0.0:
		var wall := _rules.arena_half - (_rules.half + TagRules.SKIN)
		r[at] = clampf(r[at] + r[at + 2] * _rules.step_s, -wall, wall)
		r[at + 1] = clampf(r[at + 1] + r[at + 3] * _rules.step_s, -wall, wall)
		r[at + 2] *= SLOWING
		r[at + 3] *= SLOWING
		r[at + 4] *= FADING
	var nearest := _nearest_body_ray()
	if nearest >= 0:
		_notice(row, nearest)


## Write an agent's observation at `at` of `out`.
func write(row: int, world: int, out: PackedFloat32Array, at: int) -> void:
	if _rules.layout == TagRules.Layout.RAYS:
		_write_rays(row, world, out, at)
		at += TagRules.RAYS_SIZE
	else:
		_write_reference(row, world, out, at)
		at += TagRules.REFERENCE_SIZE
	if _rules.recall:
		_write_recall(row, out, at)
		at += TagRules.RECALL_SIZE
	if _rules.privileged:
		_write_privileged(row, world, out, at)


func _write_rays(row: int, world: int, out: PackedFloat32Array, at: int) -> void:
	out[at] = clampf(_state.x[row] * _rules.inv_arena, -1.0, 1.0)
	out[at + 1] = clampf(_state.y[row] * 0.25, -1.0, 1.0)
	out[at + 2] = clampf(_state.z[row] * _rules.inv_arena, -1.0, 1.0)
	out[at + 3] = clampf(_state.vx[row] * _rules.inv_speed, -1.0, 1.0)
	out[at + 4] = clampf(_state.vy[row] * 0.1, -1.0, 1.0)
	out[at + 5] = clampf(_state.vz[row] * _rules.inv_speed, -1.0, 1.0)
	out[at + 6] = _state.on_floor[row]
	out[at + 7] = clampf(_state.fx[row], -1.0, 1.0)
	out[at + 8] = clampf(_state.fz[row], -1.0, 1.0)
	out[at + 9] = (_rules.limit - _state.tick[world]) * _rules.inv_limit
	out[at + 10] = _state.seeker[row]
	out[at + 11] = _state.immunity[row] * _rules.inv_immune
	at += 12
	var inv_range := _rules.inv_range
	for i in TagRules.RAYS:
		var met := whom[i]
		out[at] = distances[i] * inv_range
		out[at + 1] = 1.0 if met == -2 else 0.0
		out[at + 2] = 1.0 if met == -1 else 0.0
		out[at + 3] = 1.0 if met >= 0 else 0.0
		at += 4


func _write_reference(row: int, world: int, out: PackedFloat32Array, at: int) -> void:
	var opponent := nearest_opponent(row, world)
	var r := row if opponent < 0 else opponent
	out[at] = _state.x[row] / 15.0
	out[at + 1] = _state.z[row] / 15.0
	out[at + 2] = _state.vx[row] / 10.0
	out[at + 3] = _state.vz[row] / 10.0
	out[at + 4] = (_state.x[r] - _state.x[row]) / 15.0
	out[at + 5] = (_state.z[r] - _state.z[row]) / 15.0
	out[at + 6] = (_state.vx[r] - _state.vx[row]) / 10.0
	out[at + 7] = (_state.vz[r] - _state.vz[row]) / 10.0
	out[at + 8] = _state.seeker[row]
	out[at + 9] = 0.0 if opponent < 0 else float(_state.seeker[r])
	out[at + 10] = _state.fx[row]
	out[at + 11] = _state.fz[row]
	for i in TagRules.RAYS:
		out[at + 12 + i * 2] = distances[i] * _rules.inv_range
		out[at + 13 + i * 2] = 1.0 if whom[i] >= 0 else 0.0


## In the frame of the eyes, like the rays and the action.
func _write_recall(row: int, out: PackedFloat32Array, at: int) -> void:
	var r := _state.recall.slice(row * 5, row * 5 + 5)
	var fx := _state.fx[row]
	var fz := _state.fz[row]
	var to := Vector2(r[0] - _state.x[row], r[1] - _state.z[row])
	var far := to.length()
	var some := 1.0 if r[4] > 0.0 else 0.0
	to /= maxf(far, 1e-3)
	out[at] = clampf(to.x * fx + to.y * fz, -1.0, 1.0) * some
	out[at + 1] = clampf(to.y * fx - to.x * fz, -1.0, 1.0) * some
	out[at + 2] = minf(far * 0.5 * _rules.inv_arena, 1.0) * some
	out[at + 3] = clampf((r[2] * fx + r[3] * fz) * _rules.inv_speed, -1.0, 1.0)
	out[at + 4] = clampf((r[3] * fx - r[2] * fz) * _rules.inv_speed, -1.0, 1.0)
	out[at + 5] = r[4]


func _write_privileged(row: int, world: int, out: PackedFloat32Array, at: int) -> void:
	var opponent := nearest_opponent(row, world)
	var r := row if opponent < 0 else opponent
	out[at] = clampf((_state.x[r] - _state.x[row]) * 0.5 * _rules.inv_arena, -1.0, 1.0)
	out[at + 1] = clampf((_state.z[r] - _state.z[row]) * 0.5 * _rules.inv_arena, -1.0, 1.0)
	out[at + 2] = clampf((_state.vx[r] - _state.vx[row]) * 0.5 * _rules.inv_speed, -1.0, 1.0)
	out[at + 3] = clampf((_state.vz[r] - _state.vz[row]) * 0.5 * _rules.inv_speed, -1.0, 1.0)


## The nearest agent in play of the other role, as things stand now; -1 when there is none.
func nearest_opponent(row: int, world: int) -> int:
	var nearest := -1
	var least := INF
	for other in range(world * _state.agents, (world + 1) * _state.agents):
		if _state.in_play[other] and _state.seeker[other] != _state.seeker[row]:
			var far := _state.place(row).distance_to(_state.place(other))
			if far < least:
				nearest = other
				least = far
	return nearest


func _nearest_body_ray() -> int:
	var nearest := -1
	for i in TagRules.RAYS:
		if whom[i] >= 0 and (nearest < 0 or distances[i] < distances[nearest]):
			nearest = i
	return nearest


## A body is taken to be half an edge behind the middle one of the rays that met it.
func _notice(row: int, nearest: int) -> void:
	var first := nearest
	var last := nearest
	while _same_body(first - 1, nearest):
		first -= 1
	while _same_body(last + 1, nearest):
		last += 1
	@warning_ignore("integer_division")
	var middle := (first + last) / 2
	var far := distances[nearest] + _rules.half
	var fx := _state.fx[row]
	var fz := _state.fz[row]
	var x := _state.x[row] + (fx * _rules.ray_cos[middle] + fz * _rules.ray_sin[middle]) * far
	var z := _state.z[row] + (fz * _rules.ray_cos[middle] - fx * _rules.ray_sin[middle]) * far
	_believe(row * 5, x, z)


## The belief has already been carried on, so its error corrects the velocity.
func _believe(at: int, x: float, z: float) -> void:
	var r := _state.recall
	var again := r[at + 4] > FRESH
	var top := _rules.max_speed
	var pull := VELOCITY_GAIN / _rules.step_s
	r[at + 2] = clampf(r[at + 2] + pull * (x - r[at]), -top, top) if again else 0.0
	r[at + 3] = clampf(r[at + 3] + pull * (z - r[at + 1]), -top, top) if again else 0.0
	r[at] = x
	r[at + 1] = z
	r[at + 4] = 1.0


func _same_body(ray: int, nearest: int) -> bool:
	var there := ray >= 0 and ray < TagRules.RAYS and whom[ray] >= 0
	return there and distances[ray] < distances[nearest] + DEPTH
