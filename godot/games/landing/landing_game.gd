class_name LandingGame
extends Node3D
## The landing of docs/games/landing.md with the engine's physics: a rigid body with thrust, torque, gravity and contact.
##
## Rules, numbers and draws are those of the native game; flight and contact are the engine's. Positions are those around
## the pad, which is the origin; where the pad lies on the planet is [member origin].

enum Ending { FLYING, SOFT, HARD, CRASH, OUT, TIMEOUT }

const SPEC_FILE := "res://games/landing/spec.json"
const WALKER_SPEED := 3.0  # m/s
const HATCH := 3.0  # metres from the ship
const HULL := 1.0  # metres; its radius
const LEVEL_AGAIN := 2  # ticks after a reset in which the old contacts are still reported

## After a soft landing somebody leaves the ship and walks to the middle of the pad.
@export var walk_after_landing := false
## The pilot also turns the heading, and the pad has one of its own.
@export var yaw_control := false

var rules := {}  ## every setting by name
var fuel := 0.0
var ideal_fuel := 0.0
var ending := Ending.FLYING
var ticks := 0
var thrust := Vector3.ZERO  ## share of the full thrust, in the frame of the craft
var rcs := Vector2.ZERO  ## pitch, roll
var yaw := 0.0  ## -1 to 1
var heading := 0.0  ## radians about the vertical; 0 without yaw_control
var heading_rate := 0.0
var pad_heading := 0.0:  ## that the pad lies at
	set(value):
		pad_heading = value
		(ground.get_node("Pad") as Node3D).rotation.y = value
var touchdown_speed := 0.0
var touchdown_cos := 1.0
var walking := false
var origin := FloatingOrigin.new()

var _before := Vector3.ZERO  # velocity before the last tick: contact changes it
var _settling := 0

@onready var craft: RigidBody3D = $Craft
@onready var ground: LandingGround = $Ground
@onready var walker: CharacterBody3D = $Walker


func _enter_tree() -> void:
	if rules.is_empty():
		configure({})


func _ready() -> void:
	craft.can_sleep = false
	craft.contact_monitor = true
	craft.max_contacts_reported = 4
	origin.moved.connect(_on_origin_moved)
	_leave_ship(false)


## Take these settings; what they do not name is as the native game has it.
func configure(settings: Dictionary) -> void:
	rules = NativeTrainer.rules_with(SPEC_FILE, settings)
	Engine.physics_ticks_per_second = int(rules.tick_rate)
	Engine.max_physics_steps_per_frame = int(rules.tick_rate)


# ---------------------------------------------------------------- an episode


func begin_episode(random: SandlotRandom) -> void:
	var place := Vector3.ZERO
	var speed := Vector3.ZERO
	place.y = random.uniform_in(rules.altitude_min, rules.altitude_max)
	place.x = random.uniform_in(-rules.start_offset, rules.start_offset)
	place.z = random.uniform_in(-rules.start_offset, rules.start_offset)
	speed.x = random.uniform_in(-rules.start_speed, rules.start_speed)
	speed.z = random.uniform_in(-rules.start_speed, rules.start_speed)
	speed.y = random.uniform_in(-rules.start_fall, 0.0)
	ground.build(rules, random.uniform(), random.uniform())
	var pitch := deg_to_rad(random.uniform_in(-rules.start_tilt, rules.start_tilt))
	var roll := deg_to_rad(random.uniform_in(-rules.start_tilt, rules.start_tilt))
	var spin := Vector2(
		random.uniform_in(-rules.start_spin, rules.start_spin), random.uniform_in(-rules.start_spin, rules.start_spin)
	)
	fuel = rules.fuel
	ending = Ending.FLYING
	ticks = 0
	thrust = Vector3.ZERO
	rcs = Vector2.ZERO
	yaw = 0.0
	heading = 0.0
	heading_rate = 0.0
	_settling = LEVEL_AGAIN
	_leave_ship(false)
	_place_craft(Transform3D(Basis(Vector3.RIGHT, pitch) * Basis(Vector3.BACK, roll), place), speed, spin)
	ideal_fuel = _ideal_fuel(place.y, speed.y)


func _place_craft(at: Transform3D, speed: Vector3, spin: Vector2) -> void:
	craft.freeze = false
	craft.transform = at
	craft.linear_velocity = speed
	craft.angular_velocity = Vector3.RIGHT * spin.x + at.basis.z * spin.y
	craft.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	craft.linear_damp = 0.0
	craft.angular_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	craft.angular_damp = rules.spin_damping
	craft.gravity_scale = rules.gravity / float(ProjectSettings.get_setting("physics/3d/default_gravity"))
	_weigh()
	_before = speed


func _weigh() -> void:
	craft.mass = rules.dry_mass + fuel
	craft.inertia = Vector3.ONE * craft.mass * rules.gyration * rules.gyration


## Fuel of a vertical free fall and one burn at full thrust that ends at rest on the pad.
func _ideal_fuel(height: float, climb: float) -> float:
	var strength: float = rules.max_thrust / (rules.dry_mass + rules.fuel)
	var brake: float = strength - rules.gravity
	var way: float = (climb * climb + 2.0 * rules.gravity * (height - rules.leg_length)) / (2.0 * strength)
	return rules.max_thrust / rules.exhaust_speed * (sqrt(2.0 * brake * way) / brake)


# ---------------------------------------------------------------- a tick


## What the pilot asks for until further notice; on foot the sticks walk.
func steer(push: Vector3, turn: Vector2) -> void:
	push.y = maxf(push.y, 0.0)
	thrust = push.limit_length()
	rcs = turn


func _physics_process(delta: float) -> void:
	if not ground.is_built():
		return  # no episode has begun
	if walking:
		_walk()
		return
	if ending != Ending.FLYING:
		return
	if _settling:
		_settling -= 1
	else:
		ticks += 1
		_judge()
		if ending != Ending.FLYING:
			return
	_before = craft.linear_velocity
	_fly(delta)


## The gyro: all turning is about X and about the craft's own Z, seen from its heading, which stays or is steered.
func _hold_heading(delta: float) -> void:
	var before := Basis(Vector3.UP, heading)
	var spin := before.inverse() * (craft.angular_velocity - Vector3.UP * heading_rate)
	_turn_heading(delta)
	var turn := attitude()
	if turn == Vector2.ZERO and spin == Vector3.ZERO and not yaw_control:
		return
	var held := Basis(Vector3.RIGHT, turn.x) * Basis(Vector3.BACK, turn.y)
	var kept := Vector3.RIGHT * spin.x + held.z * Vector2(spin.y, spin.z).dot(Vector2(held.z.y, held.z.z))
	var now := Basis(Vector3.UP, heading)
	craft.basis = now * held
	craft.angular_velocity = now * kept + Vector3.UP * heading_rate


func _turn_heading(delta: float) -> void:
	if yaw_control:
		heading_rate += (yaw * rules.rcs_torque / craft.inertia.y - rules.spin_damping * heading_rate) * delta
		heading = wrapf(heading + heading_rate * delta, -PI, PI)


func _fly(delta: float) -> void:
	_hold_heading(delta)
	var burn: float = rules.max_thrust / rules.exhaust_speed * thrust.length() * delta
	var share := 1.0 if burn <= fuel else fuel / burn
	_weigh()
	fuel = maxf(fuel - burn, 0.0)
	craft.apply_central_force(craft.basis * thrust * rules.max_thrust * share)
	craft.apply_torque((Vector3.RIGHT.rotated(Vector3.UP, heading) * rcs.x + craft.basis.z * rcs.y) * rules.rcs_torque)


func _judge() -> void:
	var place := craft.position
	if craft.get_contact_count() > 0 or place.y - HULL <= ground.height_at(place.x, place.z):
		touchdown_speed = _before.length()
		touchdown_cos = craft.basis.y.y
		var crash: bool = touchdown_speed > rules.hard_speed or touchdown_cos < cos(deg_to_rad(rules.max_tilt))
		ending = Ending.CRASH if crash else (Ending.HARD if touchdown_speed > rules.soft_speed else Ending.SOFT)
		if ending == Ending.SOFT and walk_after_landing:
			_leave_ship(true)
	elif absf(place.x) > rules.bounds or absf(place.z) > rules.bounds or place.y > rules.ceiling:
		ending = Ending.OUT
	elif ticks >= roundi(rules.time_limit * rules.tick_rate):
		ending = Ending.TIMEOUT


# ---------------------------------------------------------------- on foot


func _leave_ship(out: bool) -> void:
	walking = out
	walker.visible = out
	walker.process_mode = PROCESS_MODE_INHERIT if out else PROCESS_MODE_DISABLED
	if out:
		craft.freeze = true
		var to_pad := Vector3(-craft.position.x, 0, -craft.position.z)
		var way := to_pad.normalized() if to_pad.length() > HATCH else Vector3.RIGHT
		var place := craft.position + way * HATCH
		walker.position = Vector3(place.x, ground.height_at(place.x, place.z) + 1.0, place.z)
		walker.velocity = Vector3.ZERO
		thrust = Vector3.ZERO


func _walk() -> void:
	var way := Vector3(thrust.x, 0, thrust.z).limit_length() * WALKER_SPEED
	var fall: float = walker.velocity.y - rules.gravity / rules.tick_rate
	walker.velocity = Vector3(way.x, 0.0 if walker.is_on_floor() else fall, way.z)
	walker.move_and_slide()


## Whoever left the ship stands on the middle of the pad.
func has_arrived() -> bool:
	return walking and Vector2(walker.position.x, walker.position.z).length() < 1.0


# ---------------------------------------------------------------- measures


func pad_distance() -> float:
	return Vector2(craft.position.x, craft.position.z).length()


## Rotation about X after rotation about Z: pitch, roll.
func attitude() -> Vector2:
	var basis := Basis(Vector3.UP, -heading) * craft.basis
	return Vector2(atan2(-basis.z.y, basis.z.z), atan2(-basis.y.x, basis.x.x))


## Cosine of how far it leans, as it was when it touched the ground.
func tilt_cos() -> float:
	return touchdown_cos if landed() or ending == Ending.CRASH else craft.basis.y.y


func landed() -> bool:
	return ending == Ending.SOFT or ending == Ending.HARD


## Radians from the craft's heading to the pad's.
func heading_error() -> float:
	return wrapf(pad_heading - heading, -PI, PI)


func efficiency() -> float:
	if ending != Ending.SOFT:
		return 0.0
	var used: float = rules.fuel - fuel
	return ideal_fuel / used if used > ideal_fuel else 1.0


func _on_origin_moved(by: Vector3) -> void:
	for node: Node3D in [craft, walker, ground]:
		node.position += by
