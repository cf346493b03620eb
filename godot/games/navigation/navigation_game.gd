class_name NavigationGame
extends Node3D
## The navigation of docs/games/navigation.md with the engine's physics: a body that slides along real walls.
##
## Commands, draws, rewards and endings are those of the native game; collisions and rays are the engine's.

enum Ending { WALKING, GOAL, FELL, COLLISIONS, TIMEOUT }

const SPEC_FILE := "res://games/navigation/spec.json"
const SPAWN := 5.0  # metres
const LEAST_GOAL := 10.0  # metres
const GRAVITY := 9.8
const LEAN := 8.0  # per second
const FELL_BELOW := -10.0  # metres
const APART_S := 0.5  # between two collisions
const STRIDE := 1.4  # metres
const SWING := 0.12
const HAND := Vector3(0.25, -0.55, 0.35)  # aside, below the camera, ahead

var rules := {}
var ending := Ending.WALKING
var ticks := 0
var yaw := 0.0
var roll := 0.0
var yaw_rate := 0.0
var roll_rate := 0.0
var walked := 0.0
var collisions := 0
var distance := 0.0
var start_distance := 0.0
var goal := Vector2.ZERO
var bonus_left := 0.0
var loss := 0.0  ## of the comfort bonus since the last decision
var comfort := VrComfort.new()
var before := {}  ## camera and hands a tick ago

var _wanted := Vector3.ZERO  # strafe, ahead, rotate
var _smooth := Vector3.ZERO
var _blend := 1.0
var _falling := false
var _fall_speed := 0.0
var _since_contact := 0
var _snap_wait := 0  # ticks

@onready var grid: NavigationGrid = $Grid
@onready var body: CharacterBody3D = $Walker


func _enter_tree() -> void:
	if rules.is_empty():
		configure({})


## Take these settings; what they do not name is as the native game has it.
func configure(settings: Dictionary) -> void:
	rules = NativeTrainer.rules_with(SPEC_FILE, settings)
	Engine.physics_ticks_per_second = int(rules.tick_rate)
	Engine.max_physics_steps_per_frame = int(rules.tick_rate)
	_blend = 1.0 - pow(rules.action_smoothing, 1.0 / rules.ticks_per_step)


func begin_episode(random: SandlotRandom) -> void:
	grid.build(rules, random)
	var angle := TAU * random.uniform()
	var far := SPAWN * random.uniform()
	var start := grid.placed(far * cos(angle), far * sin(angle))
	yaw = TAU * random.uniform_in(-0.5, 0.5)
	angle = TAU * random.uniform()
	far = random.uniform_in(LEAST_GOAL, rules.max_goal_distance)
	goal = grid.placed(far * cos(angle), far * sin(angle))
	body.position = Vector3(start.x, 0, start.y)
	body.velocity = Vector3.ZERO
	((body.get_node("Shape") as CollisionShape3D).shape as CapsuleShape3D).radius = rules.player_radius
	body.reset_physics_interpolation()
	$Goal.position = Vector3(goal.x, 0, goal.y)
	ending = Ending.WALKING
	ticks = 0
	roll = 0.0
	yaw_rate = 0.0
	roll_rate = 0.0
	walked = 0.0
	collisions = 0
	distance = _goal_distance()
	start_distance = distance
	bonus_left = rules.comfort_bonus
	loss = 0.0
	_wanted = Vector3.ZERO
	_smooth = Vector3.ZERO
	_falling = false
	_fall_speed = 0.0
	_since_contact = roundi(APART_S * rules.tick_rate)
	_snap_wait = 0
	comfort.begin(body.position, rules.tick_rate, rules.max_movement_speed)
	before = _pose()


## Strafe, ahead, rotate in -1..1, until further notice.
func steer(strafe: float, ahead: float, rotate: float) -> void:
	_wanted = Vector3(_command(strafe), _command(ahead), _command(rotate))
	var length := Vector2(_wanted.x, _wanted.y).length()
	if length > 1.0:
		_wanted.x /= length
		_wanted.y /= length


func _command(value: float) -> float:
	return signf(value) * maxf(absf(value) - rules.dead_zone, 0.0) / (1.0 - rules.dead_zone)


# ---------------------------------------------------------------- a tick


func _physics_process(delta: float) -> void:
	if ending != Ending.WALKING:
		return
	ticks += 1
	before = _pose()
	_smooth += (_wanted - _smooth) * _blend
	if rules.turning == "snap":
		_smooth.z = 0.0
	_turn(delta)
	_snap()
	if _falling:
		_fall_speed -= GRAVITY * delta
		body.position.y += _fall_speed * delta
	else:
		_walk(delta)
	comfort.tick(body.position, _smooth.z, roll)
	var lost := minf(((1.0 - comfort.score) + 0.3 * comfort.vignette) * rules.discomfort * delta, bonus_left)
	bonus_left -= lost
	loss += lost
	_judge()


func _turn(delta: float) -> void:
	var rate := -_smooth.z * deg_to_rad(rules.max_rotation_speed)
	yaw = wrapf(yaw + rate * delta, -PI, PI)
	yaw_rate = rate
	var lean: float = yaw_rate * _smooth.y * rules.max_movement_speed / GRAVITY
	var was := roll
	roll += (lean - roll) * minf(LEAN * delta, 1.0)
	roll_rate = (roll - was) / delta


## By an angle at once; the hands are seen in the new picture, not swinging into it.
func _snap() -> void:
	_snap_wait = maxi(_snap_wait - 1, 0)
	if rules.turning != "snap" or _snap_wait > 0 or absf(_wanted.z) <= rules.snap_threshold:
		return
	yaw = wrapf(yaw - signf(_wanted.z) * deg_to_rad(rules.snap_angle), -PI, PI)
	before = _pose()
	_snap_wait = roundi(rules.snap_cooldown * rules.tick_rate)
	comfort.snapped()


func _walk(delta: float) -> void:
	var s := sin(yaw)
	var c := cos(yaw)
	var way: Vector3 = Vector3(_smooth.x * c - _smooth.y * s, 0, -_smooth.x * s - _smooth.y * c) * rules.max_movement_speed
	body.velocity = way
	var touched := body.move_and_slide()
	body.position.y = 0.0
	walked += way.length() * delta
	var fresh: bool = touched and _since_contact >= roundi(APART_S * rules.tick_rate)
	_since_contact = 0 if touched else _since_contact + 1
	collisions += int(fresh)
	_falling = grid.is_pit(body.position.x, body.position.z)


func _judge() -> void:
	distance = _goal_distance()
	if not _falling and distance <= rules.goal_radius:
		ending = Ending.GOAL
	elif body.position.y + rules.head_height < FELL_BELOW:
		ending = Ending.FELL
	elif collisions >= rules.max_collisions:
		ending = Ending.COLLISIONS
	elif ticks >= roundi(rules.time_limit * rules.tick_rate):
		ending = Ending.TIMEOUT


func _goal_distance() -> float:
	return Vector2(goal.x - body.position.x, goal.y - body.position.z).length()


# ---------------------------------------------------------------- poses


## Camera and hands now: the mock headset of the native game.
func _pose() -> Dictionary:
	var swing := SWING * sin(TAU * walked / STRIDE)
	var camera: Vector3 = body.position + Vector3.UP * rules.head_height
	return {
		"camera": camera, "left": camera + _hand(-HAND.x, HAND.z + swing), "right": camera + _hand(HAND.x, HAND.z - swing),
	}


func pose() -> Dictionary:
	return _pose()


func _hand(aside: float, ahead: float) -> Vector3:
	return Vector3(aside, HAND.y, -ahead).rotated(Vector3.UP, yaw)
