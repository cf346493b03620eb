class_name TagMotion
extends RefCounted
## How a body turns, speeds up, jumps, falls and is stopped: one agent, one tick (docs/games/tag.md, "One tick").
##
## Vectors are made of 32-bit floats, so arithmetic on them rounds as the native engine's does: until something
## is in the way, a body moves exactly as it does there. `Vector2(a, 0.0).x` is `a` rounded to 32 bits.

var _rules: TagRules
var _accelerate := 0.0
var _brake := 0.0
var _fall_speed := 0.0
var _half_dt := 0.0
var _turn_cos := 1.0
var _turn_sin := 0.0
var _turn_control := false
var _state: TagState
var _bodies: TagBodies

# The state's own arrays, shared: a member of this object is reached three times as fast as one of another.
var _x: PackedFloat32Array
var _y: PackedFloat32Array
var _z: PackedFloat32Array
var _vx: PackedFloat32Array
var _vy: PackedFloat32Array
var _vz: PackedFloat32Array
var _fx: PackedFloat32Array
var _fz: PackedFloat32Array
var _coyote: PackedInt32Array
var _on_floor: PackedByteArray
var _seeker: PackedByteArray
var _tick: PackedInt32Array

# What each agent wants of this step, in the frame of the arena: x and z; [rows].
var _wanted := PackedVector2Array()  # m/s
var _toward := PackedVector2Array()  # where the eyes turn, a unit vector
var _spin := PackedVector2Array()  # with turn_control: cosine and sine of each tick's turn
var _moving := PackedByteArray()
var _leap := PackedByteArray()


func _init(rules: TagRules, state: TagState, bodies: TagBodies) -> void:
	_rules = rules
	_accelerate = rules.accelerate
	_brake = rules.brake
	_fall_speed = rules.fall
	_half_dt = rules.half_dt
	_turn_cos = rules.turn_cos
	_turn_sin = rules.turn_sin
	_turn_control = rules.turn_control
	_state = state
	_bodies = bodies
	_x = state.x
	_y = state.y
	_z = state.z
	_vx = state.vx
	_vy = state.vy
	_vz = state.vz
	_fx = state.fx
	_fz = state.fz
	_coyote = state.coyote
	_on_floor = state.on_floor
	_seeker = state.seeker
	_tick = state.tick
	var rows := state.worlds * state.agents
	for vectors: PackedVector2Array in [_wanted, _toward, _spin]:
		vectors.resize(rows)
	_moving.resize(rows)
	_leap.resize(rows)


## Read an agent's action: from the frame of its eyes at the start of the step into that of the arena.
func decide(row: int, world: int, actions: PackedFloat32Array) -> void:
	var at := row * _rules.action_size()
	var held := _seeker[row] == 1 and _tick[world] < _rules.head_start_ticks
	var push := Vector2.ZERO if held else Vector2(actions[at], actions[at + 1])
	var length := _length(push)
	if length > 1.0:
		push /= length
	var fx := _fx[row]
	var fz := _fz[row]
	var way := Vector2(-(push.x * fz), push.x * fx) - Vector2(push.y * fx, push.y * fz)
	length = _length(way)
	_moving[row] = int(length > 1e-3)
	_toward[row] = way / length if _moving[row] else Vector2.ZERO
	_wanted[row] = way * _rules.speed[_seeker[row]] if _moving[row] else Vector2.ZERO
	_leap[row] = int(not held and actions[at + 2] > 0.5)
	if _turn_control:
		var turns := 0.0 if held else SandlotFloat32.of(actions[at + 3] * _rules.turn)
		_spin[row] = Vector2(SandlotFloat32.cos_turns(turns), SandlotFloat32.sin_turns(turns))


func move(row: int, world: int) -> void:
	_turn(row)
	var velocity := Vector2(_vx[row], _vz[row])
	var lack := _wanted[row] - velocity
	var most := _accelerate if _moving[row] else _brake
	var length := _length(lack)
	var next := _wanted[row]
	if length > most:
		next = velocity + lack * (most / length)  # a vector times a number rounds the number first
	_vx[row] = next.x
	_vz[row] = next.y
	if _leap[row] and _coyote[row] > 0:
		_jump(row, world)
	# the mean of old and new velocity is exact for constant acceleration
	var delta := (velocity + next) * _half_dt
	var at := Vector3(_x[row], _y[row], _z[row])
	at.x = _slide(row, world, at, 0, delta.x)
	at.z = _slide(row, world, at, 2, delta.y)
	_x[row] = at.x
	_z[row] = at.z
	_fall(row, world, at)
	_bodies.move(row)


func _turn(row: int) -> void:
	if _turn_control:
		_rotate(row, _spin[row].x, _spin[row].y)
	elif _moving[row]:
		var fx := _fx[row]
		var fz := _fz[row]
		var to := _toward[row]
		var ahead := Vector2(fx * to.x, fz * to.y)
		if ahead.x + ahead.y >= _turn_cos:
			_fx[row] = to.x
			_fz[row] = to.y
		else:
			var aside := Vector2(fx * to.y, fz * to.x)
			_rotate(row, _turn_cos, _turn_sin if aside.x > aside.y else -_turn_sin)


## Positive sine turns right, seen from above. One Newton step keeps the length at 1 for ever.
func _rotate(row: int, c: float, s: float) -> void:
	var fx := _fx[row]
	var fz := _fz[row]
	var facing := Vector2(fx, fz) * c + Vector2(-fz, fx) * s
	var squares := facing * facing
	facing *= 1.5 - 0.5 * Vector2(squares.x + squares.y, 0.0).x
	_fx[row] = facing.x
	_fz[row] = facing.y


## The length as the native engine rounds it.
static func _length(v: Vector2) -> float:
	var squares := v * v
	return Vector2(sqrt(Vector2(squares.x + squares.y, 0.0).x), 0.0).x


func _jump(row: int, world: int) -> void:
	_vy[row] = _rules.jump_speed
	_coyote[row] = 0
	_state.jumps[world] += 1
	_state.events[world].append([TagGame.Event.JUMP, row % _state.agents, 0.0, 0.0])


func _slide(row: int, world: int, at: Vector3, axis: int, delta: float) -> float:
	if delta == 0.0:
		return at[axis]
	var result := _bodies.slide(row, world, at, axis, delta)
	if not is_nan(result.y):
		if axis == 0:
			_vx[row] = 0.0
		else:
			_vz[row] = 0.0
	return result.x


func _fall(row: int, world: int, at: Vector3) -> void:
	var vy := _vy[row]
	_vy[row] = vy - _fall_speed
	var dy := (Vector2(vy + _vy[row], 0.0) * _half_dt).x
	if dy > 0.0:
		_rise(row, world, at, dy)
	else:
		_sink(row, world, at, dy)
	_coyote[row] = _rules.coyote_ticks + 1 if _on_floor[row] else maxi(_coyote[row] - 1, 0)


func _rise(row: int, world: int, at: Vector3, dy: float) -> void:
	var goal := Vector2(at.y + dy, 0.0).x
	var feet := _bodies.ceiling(row, world, at, dy)
	var end := clampf(Vector2(feet - _rules.edge, 0.0).x, at.y, goal)
	if end < goal:
		_vy[row] = 0.0
	_y[row] = end
	_on_floor[row] = 0


## On the arena's own floor there is nothing below to ask for; everywhere else the engine is asked.
func _sink(row: int, world: int, at: Vector3, dy: float) -> void:
	var goal := Vector2(at.y + dy, 0.0).x
	var under := 0.0 if at.y <= 0.0 else maxf(_bodies.ground(row, world, at, -dy), 0.0)
	var landed := goal <= under
	if landed:
		if not _on_floor[row]:
			_state.events[world].append([TagGame.Event.LAND, row % _state.agents, -_vy[row], 0.0])
		_vy[row] = 0.0
	_y[row] = under if landed else goal
	_on_floor[row] = int(landed)
