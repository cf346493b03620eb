class_name VrPlayer
extends CharacterBody3D
## The body of somebody in VR: sticks walk it, turn it and teleport it, a headset or its mock moves head and hands.
##
## Put [code]games/vr/vr_player.tscn[/code] into a scene, call [method begin] when an episode begins and [method command]
## when something was decided; the rest happens every physics tick. Speeds are in m/s, angles in radians.

signal collided
signal teleported
signal snap_turned

const COLLISION_APART_S := 0.5  ## without contact before the next contact is a new collision
const SKIN := 0.02  ## metres that a teleport keeps from walls
const HEADROOM := 0.02

@export_range(0.5, 10.0, 0.1, "suffix:m/s") var max_speed := 3.0
## Time in which the body takes over two thirds of a change of the stick: full speed at once would be a jolt.
@export_range(0.0, 2.0, 0.05, "suffix:s") var response_time := 0.5
@export_enum("snap", "smooth") var turning := 0
@export_range(15.0, 180.0, 5.0, "suffix:°") var snap_degrees := 30.0
@export_range(0.0, 1.0, 0.05) var snap_threshold := 0.5
@export_range(0.0, 2.0, 0.05, "suffix:s") var snap_cooldown := 0.3
@export_range(10.0, 360.0, 5.0, "suffix:°/s") var smooth_degrees := 90.0
## How dark the vignette is drawn, as a share of what comfort asks for; measures take no notice of it.
@export_range(0.0, 2.0, 0.05) var vignette_share := 1.0
@export_range(1.0, 10.0, 0.5, "suffix:m") var teleport_distance := 3.0
@export_range(0.0, 10.0, 0.1, "suffix:s") var teleport_cooldown := 1.0

var comfort := VrComfort.new()
var walked := 0.0  ## metres of this episode
var collisions := 0
var contact := false  ## it touched something in the last tick
var teleports := 0
var refused_teleports := 0  ## a wall was in the way
var yaw_rate := 0.0  ## rad/s of smooth turning
var headset := false  ## a real one moves the camera
var lazy := false  ## pose() is called by whoever looks, as in training: 90 poses a second that nobody sees are work
var lens: ShaderMaterial  ## of the vignette; null where nothing is drawn

var _stick := Vector2.ZERO
var _turn := 0.0
var _teleport := 0.0
var _snap_wait := 0.0
var _teleport_wait := 0.0
var _since_contact := COLLISION_APART_S

@onready var origin: XROrigin3D = $XROrigin3D
@onready var camera: XRCamera3D = $XROrigin3D/XRCamera3D
@onready var hands: Array[XRController3D] = [$XROrigin3D/LeftController, $XROrigin3D/RightController]
@onready var mock: VrMockHeadset = $MockHeadset


func _ready() -> void:
	headset = VrSession.start_headset(get_viewport())
	lazy = VrSession.is_training()
	var glass := get_node_or_null("XROrigin3D/XRCamera3D/Vignette") as MeshInstance3D
	lens = glass.get_surface_override_material(0).duplicate() if glass else null
	if glass:
		glass.set_surface_override_material(0, lens)
	begin(global_transform)


## An episode begins here, at rest.
func begin(place: Transform3D) -> void:
	global_transform = place
	velocity = Vector3.ZERO
	_stick = Vector2.ZERO
	_turn = 0.0
	_teleport = 0.0
	_snap_wait = 0.0
	_teleport_wait = 0.0
	_since_contact = COLLISION_APART_S
	walked = 0.0
	collisions = 0
	contact = false
	teleports = 0
	refused_teleports = 0
	yaw_rate = 0.0
	mock.begin()
	pose()
	comfort.begin(place.origin, VrSession.TICK_RATE, max_speed)
	reset_physics_interpolation()


## What the thumbsticks and the trigger ask for until the next call: stick x right and y ahead, turn right, each -1 to 1.
func command(stick: Vector2, turn: float, teleport := 0.0) -> void:
	_stick = stick.limit_length(1.0)
	_turn = clampf(turn, -1.0, 1.0)
	_teleport = teleport


## Put camera and controllers where the mock has them; a real headset does so by itself.
func pose() -> void:
	if not headset:
		mock.pose(camera, hands, walked)


## Radians, 0 looks along -Z, left is positive.
func heading() -> float:
	return rotation.y


## Where it looks on the floor, a unit vector.
func forward() -> Vector3:
	return -global_basis.z


func _physics_process(delta: float) -> void:
	if headset:
		_stay_below_headset()
	_snap_wait = maxf(0.0, _snap_wait - delta)
	_teleport_wait = maxf(0.0, _teleport_wait - delta)
	_do_turn(delta)
	if _teleport > 0.5 and _teleport_wait == 0.0:
		_do_teleport()
	_walk(delta)
	if headset:
		mock.roll = camera.rotation.z
	elif turning == 1:
		mock.lean(yaw_rate, velocity.dot(forward()), delta)
	if not lazy:
		pose()
	comfort.tick(global_position, _turn if turning == 1 else 0.0, mock.roll, yaw_rate, rotation.y)
	if lens:
		lens.set_shader_parameter("intensity", minf(comfort.vignette * vignette_share, 1.0))


func _do_turn(delta: float) -> void:
	yaw_rate = 0.0
	if turning == 1:
		yaw_rate = -_turn * deg_to_rad(smooth_degrees)
		rotate_y(yaw_rate * delta)
	elif absf(_turn) > snap_threshold and _snap_wait == 0.0:
		rotate_y(-signf(_turn) * deg_to_rad(snap_degrees))
		_snap_wait = snap_cooldown
		comfort.snapped()
		snap_turned.emit()


## Ahead as far as a teleport goes, unless the body would pass through something or stand in it.
func _do_teleport() -> void:
	_teleport_wait = teleport_cooldown
	var way := forward() * teleport_distance
	if test_move(global_transform, way, null, SKIN):
		refused_teleports += 1
		return
	global_position += way
	teleports += 1
	comfort.jumped(global_position)
	reset_physics_interpolation()
	teleported.emit()


func _walk(delta: float) -> void:
	var wanted := (global_basis * Vector3(_stick.x, 0.0, -_stick.y)) * max_speed
	var share := minf(delta / response_time, 1.0) if response_time > 0.0 else 1.0
	velocity += (wanted - velocity) * share
	velocity.y = 0.0
	var before := position
	var hit := move_and_collide(velocity * delta)
	if hit:
		var normal := hit.get_normal()
		normal.y = 0.0
		velocity = velocity.slide(normal.normalized()) if normal.length_squared() > 1e-6 else velocity
		move_and_collide(hit.get_remainder().slide(normal.normalized()))
		position.y = before.y
	walked += before.distance_to(position)
	_touch(hit != null, delta)


func _touch(now: bool, delta: float) -> void:
	contact = now
	if now and _since_contact >= COLLISION_APART_S - 1e-6:
		collisions += 1
		collided.emit()
	_since_contact = 0.0 if now else _since_contact + delta


## Who walks about in the room takes the body along, as far as walls allow.
func _stay_below_headset() -> void:
	var off := camera.position
	off.y = 0.0
	var before := global_position
	move_and_collide(global_basis * off)
	origin.position -= global_basis.inverse() * (global_position - before)
