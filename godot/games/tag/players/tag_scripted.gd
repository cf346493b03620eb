class_name TagScripted
extends TagPlayer
## Hand-written opponents that see only what a policy sees, and remember where the opponent was last.
##
## `chase` runs at it and searches when it has lost it, `evade` runs away from it off walls and corners, `wander`
## strolls. Whoever's role has changed plays the other role's script. Level 1 is slow and aims badly, level 3
## has no handicap.

const FORGET_STEPS := [8, 24, 50]
const STRENGTH := [0.6, 0.85, 1.0]
const BLUR := [0.5, 0.19, 0.0]  # radians; a direction is off by up to this
const WAYS := 24
const STROLL_STEPS := 40
const LOOK_AROUND_STEPS := 14

var script_name := ""

var _rules: TagRules
var _level := 3
var _random: SandlotRandom
var _place := Vector2.ZERO
var _velocity := Vector2.ZERO
var _facing := Vector2.UP
var _hits: PackedVector2Array = []  # where rays met a wall, seen from here
var _opponent := Vector2.ZERO
var _opponent_velocity := Vector2.ZERO
var _age := 9999  # steps since the opponent was seen
var _goal := Vector2.ZERO
var _goal_steps := 0
var _stuck := 0
var _steps := 0
var _clock := 0.0
var _jump := false


func _init(rules: TagRules, name: String, level: int, seed_value: int) -> void:
	_rules = rules
	script_name = name
	_level = clampi(level, 1, 3)
	_random = SandlotRandom.new(seed_value)


func act(observation: PackedFloat32Array) -> PackedFloat32Array:
	_perceive(observation)
	var seeks := observation[10] > 0.5
	if script_name == "wander":
		return _stroll()
	return _chase() if seeks else _evade()


func _perceive(o: PackedFloat32Array) -> void:
	if o[9] > _clock:
		_age = 9999
		_steps = 0
	_clock = o[9]
	_steps += 1
	_jump = false
	_place = Vector2(o[0], o[2]) * _rules.arena_half
	_velocity = Vector2(o[3], o[5]) * _rules.max_speed
	_facing = Vector2(o[7], o[8])
	_stuck = _stuck + 1 if _velocity.length() < 0.12 * _rules.max_speed else 0
	_age += 1
	_opponent = _within(_opponent + _opponent_velocity * _rules.step_s)
	_opponent_velocity *= 0.93
	_read_rays(o)


func _read_rays(o: PackedFloat32Array) -> void:
	var nearest := INF
	var seen := Vector2.ZERO
	_hits.clear()
	for i in TagRules.RAYS:
		var far := o[12 + i * 4] * _rules.vision_range
		var c := _rules.ray_cos[i]
		var s := _rules.ray_sin[i]
		var way := Vector2(_facing.x * c + _facing.y * s, _facing.y * c - _facing.x * s)
		if o[14 + i * 4] > 0.5:
			_hits.append(way * far)
		elif o[15 + i * 4] > 0.5 and far < nearest:
			nearest = far
			seen = _place + way * (far + _rules.half)
	if nearest < INF:
		_notice(seen)


func _notice(seen: Vector2) -> void:
	var fresh := _age < 12
	var correction := (seen - _opponent) / _rules.step_s
	_opponent_velocity = (_opponent_velocity + correction * 0.4).limit_length(_rules.max_speed) if fresh else Vector2.ZERO
	_opponent = seen
	_age = 0


func _chase() -> PackedFloat32Array:
	if _age > FORGET_STEPS[_level - 1]:
		return _spin() if _steps < LOOK_AROUND_STEPS else _stroll()
	var far := _place.distance_to(_opponent)
	var ahead_s := minf(far / _rules.max_speed, 0.8) * 0.7 if _level > 1 else 0.0
	if _age > 0 and far < 2.5 and _age < 12 and _level > 1:
		_jump = true  # near where it should be and nothing to see: it is above
	if _age > 0 and far < 0.8:
		_age = 9999
	return _approach(_within(_opponent + _opponent_velocity * ahead_s))


func _evade() -> PackedFloat32Array:
	if _age > FORGET_STEPS[_level - 1]:
		return _spin() if _steps % 40 < 30 else _stroll()
	var best := -INF
	var best_way := Vector2.UP
	for i in WAYS:
		var way := Vector2.from_angle(TAU * i / WAYS)
		var score := _weigh(way, _room(way))
		if score > best:
			best = score
			best_way = way
	_jump = _level > 2 and (_place.distance_to(_opponent) < 2.2 or _stuck > 5)
	return _go(best_way)


## How good it is to run that way: far from the seeker, off walls and corners, not past it, not against our speed.
func _weigh(way: Vector2, room: float) -> float:
	var run := clampf(room, 0.0, _rules.max_speed * 0.48)
	var there := _place + way * run
	var safe := _rules.arena_half - 3.3
	var edge := (there.abs() - Vector2.ONE * safe).max(Vector2.ZERO)
	var score := there.distance_to(_opponent) - 0.13 * (edge.x + edge.y) - 0.49 * edge.x * edge.y
	var along := clampf((_opponent - _place).dot(way), 0.0, run)
	if along > 0.0:
		score -= 1.2 * maxf(3.1 - (_place + way * along).distance_to(_opponent), 0.0)
	return score - 2.0 * maxf(1.5 - room, 0.0) + 3.5 * _velocity.dot(way) / _rules.max_speed


func _stroll() -> PackedFloat32Array:
	_goal_steps -= 1
	if _goal_steps <= 0 or _stuck > 8 or _place.distance_to(_goal) < 1.5:
		var far := _rules.arena_half * 0.75
		_goal = Vector2(_random.uniform_in(-far, far), _random.uniform_in(-far, far))
		_goal_steps = STROLL_STEPS
	return _approach(_goal)


## Toward a place, around what stands in the way: the least turn that gives room enough.
func _approach(to: Vector2) -> PackedFloat32Array:
	var far := _place.distance_to(to)
	if far < 0.05:
		return _spin()
	var straight := _place.direction_to(to)
	var best := -INF
	var best_way := straight
	if _stuck > 5 and _level > 1:
		_jump = true
	for i in 13:
		@warning_ignore("integer_division")
		var turns := (i + 1) / 2 * (0.04 if i % 2 else -0.04)
		var way := straight.rotated(turns * TAU)
		var score := minf(_room(way) - minf(far - _rules.edge, 2.0), 0.0) * 1.5 - absf(turns) * 6.0
		if _stuck > 5:
			score += _random.uniform_in(0.0, 2.0)
		if score > best:
			best = score
			best_way = way
	return _go(best_way)


func _go(way: Vector2) -> PackedFloat32Array:
	var blur: float = BLUR[_level - 1]
	if blur > 0.0:
		way = way.rotated(_random.uniform_in(-blur, blur))
	return toward(way * STRENGTH[_level - 1], _facing, _jump)


## Eyes go round to the left, the body all but stays.
func _spin() -> PackedFloat32Array:
	return PackedFloat32Array([-0.05, 0.0, 1.0 if _jump else 0.0, -1.0])


## Free metres before a body walking that way meets a wall or what the rays show.
func _room(way: Vector2) -> float:
	var wall := _rules.arena_half - _rules.half
	var free_x := (wall - _place.x * signf(way.x)) / maxf(absf(way.x), 1e-3)
	var free_z := (wall - _place.y * signf(way.y)) / maxf(absf(way.y), 1e-3)
	var free := minf(free_x, free_z)
	for hit in _hits:
		var ahead := hit.dot(way)
		if ahead > 0.0 and absf(hit.cross(way)) < _rules.half * 1.3:
			free = minf(free, ahead - _rules.half)
	return free


func _within(place: Vector2) -> Vector2:
	var wall := Vector2.ONE * (_rules.arena_half - _rules.half)
	return place.clamp(-wall, wall)
