class_name TagMotion
extends RefCounted
## How a body turns, speeds up, jumps, falls and is stopped: one agent, one tick (docs/games/tag.md, "One tick").
##
## Vectors are made of 32-bit floats, so arithmetic on them rounds as the native engine's does: until something
## is in the way, a body moves exactly as it does there.

var _rules: TagRules
var _state: TagState
var _bodies: TagBodies

# What each agent wants of this step, in the frame of the arena: x and z; [rows].
var _wanted := PackedVector2Array()  # m/s
var _toward := PackedVector2Array()  # where the eyes turn, a unit vector
var _spin := PackedVector2Array()  # with turn_control: cosine and sine of each tick's turn
var _moving := PackedByteArray()
var _leap := PackedByteArray()


func _init(rules: TagRules, state: TagState, bodies: TagBodies) -> void:
	_rules = rules
	_state = state
	_bodies = bodies
	var rows := state.worlds * state.agents
	for wishes: PackedVector2Array in [_wanted, _toward, _spin]:
		wishes.resize(rows)
	_moving.resize(rows)
	_leap.resize(rows)


## Read an agent's action: from the frame of its eyes at the start of the step into that of the arena.
func decide(row: int, world: int, actions: PackedFloat32Array) -> void:
	var at := row * _rules.action_size()
	var held := _state.seeker[row] == 1 and _state.tick[world] < _rules.head_start_ticks
	var push := Vector2.ZERO if held else Vector2(actions[at], actions[at + 1])
	var length := _length(push)
	if length > 1.0:
		push /= length
	var fx := _state.fx[row]
	var fz := _state.fz[row]
	var way := Vector2(-(push.x * fz), push.x * fx) - Vector2(push.y * fx, push.y * fz)
	length = _length(way)
	_moving[row] = int(length > 1e-3)
	_toward[row] = way / length if _moving[row] else Vector2.ZERO
	_wanted[row] = way * _rules.speed[_state.seeker[row]] if _moving[row] else Vector2.ZERO
	_leap[row] = int(not held and actions[at + 2] > 0.5)
	if _rules.turn_control:
		var turns := 0.0 if held else SandlotFloat32.of(actions[at + 3] * _rules.turn)
		_spin[row] = Vector2(SandlotFloat32.cos_turns(turns), SandlotFloat32.sin_turns(turns))


func move(row: int, world: int) -> void:
	_turn(row)
	var velocity := Vector2(_state.vx[row], _state.vz[row])
	var lack := _wanted[row] - velocity
	var most := _rules.accelerate if _moving[row] else _rules.brake
	var length := _length(lack)
	var next := _wanted[row]
	if length > most:
		next = velocity + lack * SandlotFloat32.of(most / length)
	_state.vx[row] = next.x
	_state.vz[row] = next.y
	if _leap[row] and _state.coyote[row] > 0:
		_jump(row, world)
	# the mean of old and new velocity is exact for constant acceleration
	var delta := (velocity + next) * _rules.half_dt
	var at := Vector3(_state.x[row], _state.y[row], _state.z[row])
	at.x = _slide(row, world, at, 0, delta.x)
	at.z = _slide(row, world, at, 2, delta.y)
	_state.x[row] = at.x
	_state.z[row] = at.z
	_fall(row, world, at)
	_bodies.move(row)


func _turn(row: int) -> void:
	if _rules.turn_control:
		_rotate(row, _spin[row].x, _spin[row].y)
	elif _moving[row]:
		var fx := _state.fx[row]
		var fz := _state.fz[row]
		var to := _toward[row]
		var ahead := Vector2(fx * to.x, fz * to.y)
		if ahead.x + ahead.y >= _rules.turn_cos:
			_state.fx[row] = to.x
			_state.fz[row] = to.y
		else:
			var aside := Vector2(fx * to.y, fz * to.x)
			_rotate(row, _rules.turn_cos, _rules.turn_sin if aside.x > aside.y else -_rules.turn_sin)


## Positive sine turns right, seen from above. One Newton step keeps the length at 1 for ever.
func _rotate(row: int, c: float, s: float) -> void:
	var fx := _state.fx[row]
	var fz := _state.fz[row]
	var facing := Vector2(fx, fz) * c + Vector2(-fz, fx) * s
	var squares := facing * facing
	facing *= SandlotFloat32.of(1.5 - 0.5 * SandlotFloat32.of(squares.x + squares.y))
	_state.fx[row] = facing.x
	_state.fz[row] = facing.y


## The length as the native engine rounds it.
static func _length(v: Vector2) -> float:
	var squares := v * v
	return SandlotFloat32.of(sqrt(SandlotFloat32.of(squares.x + squares.y)))


func _jump(row: int, world: int) -> void:
	_state.vy[row] = _rules.jump_speed
	_state.coyote[row] = 0
	_state.jumps[world] += 1
	_state.events[world].append([TagGame.Event.JUMP, row % _state.agents, 0.0, 0.0])


func _slide(row: int, world: int, at: Vector3, axis: int, delta: float) -> float:
	if delta == 0.0:
		return at[axis]
	var result := _bodies.slide(row, world, at, axis, delta)
	if not is_nan(result.y):
		if axis == 0:
			_state.vx[row] = 0.0
		else:
			_state.vz[row] = 0.0
	return result.x


func _fall(row: int, world: int, at: Vector3) -> void:
	var vy := _state.vy[row]
	_state.vy[row] = vy - _rules.fall
	var dy := SandlotFloat32.of(_rules.half_dt * SandlotFloat32.of(vy + _state.vy[row]))
	if dy > 0.0:
		_rise(row, world, at, dy)
	else:
		_sink(row, world, at, dy)
	_state.coyote[row] = _rules.coyote_ticks + 1 if _state.on_floor[row] else maxi(_state.coyote[row] - 1, 0)


func _rise(row: int, world: int, at: Vector3, dy: float) -> void:
	var goal := SandlotFloat32.of(at.y + dy)
	var feet := _bodies.ceiling(row, world, at, dy)
	var end := clampf(SandlotFloat32.of(feet - _rules.edge), at.y, goal)
	if end < goal:
		_state.vy[row] = 0.0
	_state.y[row] = end
	_state.on_floor[row] = 0


## On the arena's own floor there is nothing below to ask for; everywhere else the engine is asked.
func _sink(row: int, world: int, at: Vector3, dy: float) -> void:
	var goal := SandlotFloat32.of(at.y + dy)
	var under := 0.0 if at.y <= 0.0 else maxf(_bodies.ground(row, world, at, -dy), 0.0)
	var landed := goal <= under
	if landed:
		if not _state.on_floor[row]:
			_state.events[world].append([TagGame.Event.LAND, row % _state.agents, -_state.vy[row], 0.0])
		_state.vy[row] = 0.0
	_state.y[row] = under if landed else goal
	_state.on_floor[row] = int(landed)
