class_name TagCamera
extends Camera3D
## A long lens from high up, standing still: everybody is in view all the time and as large near as far.
##
## The measures of a good film are computed from this camera's own matrices: [method frame_of].

const LENS_DEGREES := 13.0  ## vertical angle of view
const PAIR_LENS_DEGREES := 16.0  ## of a shot that follows the agents
const PAIR_PITCH_DEGREES := 34.0
const PAIR_HEIGHTS := Vector2(9.0, 24.0)  ## metres that such a picture shows, least and greatest
const RAISED := 0.03  ## share of the height by which the aim is above the middle of the picture
const FOLLOW_RATE := 5.0  ## 1/s
const CLOSER := 0.6  ## share of the way to the arena that is left out when following somebody
const CORNER_ROOM := 0.035  ## share of the picture kept free around the arena

## Degrees above the floor. Low makes cubes large and shows faces; who is behind a box shows through it.
@export_range(20.0, 89.0) var pitch_degrees := 38.0
## Degrees around the arena; 0 looks north.
@export_range(-180.0, 180.0) var yaw_degrees := 0.0
## Share of the picture's height at the top that belongs to the clock.
@export_range(0.0, 0.4) var top_share := 0.085
## Share of the picture's height at the bottom that belongs to nobody.
@export_range(0.0, 0.4) var bottom_share := 0.0

## Metres from the middle of the arena, and how far shadows have to reach.
var distance := 0.0
var shadow_reach := 0.0

var _track: PairTrack
var _arena_half := 10.0
var _aspect := 16.0 / 9.0
var _followed: Node3D
var _home := Vector3.ZERO
var _closer_m := 0.0


## From the middle of the arena to the camera, on the floor.
func side() -> Vector2:
	var yaw := deg_to_rad(yaw_degrees)
	return Vector2(sin(yaw), cos(yaw))


## Stand where the whole arena just fits into a picture of this shape (width / height).
func fit(arena_half: float, wall_height: float, aspect: float) -> void:
	fov = LENS_DEGREES
	keep_aspect = Camera3D.KEEP_HEIGHT
	rotation_degrees = Vector3(-pitch_degrees, yaw_degrees, 0.0)
	var low := 1.0
	var high := 1500.0
	for _halving in 40:
		var middle := (low + high) * 0.5
		if _fits(arena_half, wall_height, aspect, middle):
			high = middle
		else:
			low = middle
	_stand(arena_half, wall_height, aspect, high)
	_home = position
	_closer_m = high * CLOSER
	distance = high
	shadow_reach = high + 1.9 * arena_half
	near = high * 0.3  # looking closer still fits
	far = high + 400.0  # the horizon
	set_process(false)


## A shot that follows the agents of a recording, seen from `yaw` degrees around the arena.
func begin_pair(recording: TagRecording, yaw: float, aspect: float, arena_half: float) -> void:
	pitch_degrees = PAIR_PITCH_DEGREES
	yaw_degrees = yaw
	fov = PAIR_LENS_DEGREES
	keep_aspect = Camera3D.KEEP_HEIGHT
	rotation_degrees = Vector3(-pitch_degrees, yaw_degrees, 0.0)
	_track = PairTrack.new(recording, transform.basis, aspect, PAIR_HEIGHTS)
	_arena_half = arena_half
	_aspect = aspect
	distance = _away(PAIR_HEIGHTS.y)
	shadow_reach = distance + 1.9 * arena_half
	near = _away(PAIR_HEIGHTS.x) * 0.35
	far = distance + 400.0
	set_process(false)
	show_pair(recording.start_s())


## The picture of a moment of that shot. It stays over the arena, so that its walls are in sight.
func show_pair(seconds: float) -> void:
	var tall := _track.height(seconds)
	var aim := _track.aim(seconds)
	aim = _kept_over_arena(aim, tall)
	position = aim + transform.basis.z * _away(tall) - transform.basis.y * RAISED * tall


## An aim that is no farther outside than its picture needs, seen from wherever the camera stands.
func _kept_over_arena(aim: Vector3, tall: float) -> Vector3:
	var yaw := deg_to_rad(yaw_degrees)
	var right := Vector3(cos(yaw), 0.0, -sin(yaw))
	var back := Vector3(sin(yaw), 0.0, cos(yaw))
	var reach := _arena_half * (absf(sin(yaw)) + absf(cos(yaw)))  # of a square that is turned
	var side_room := maxf(0.0, reach + 2.0 - 0.25 * tall * _aspect)
	var depth_room := maxf(0.0, reach + 1.5 - 0.20 * tall / sin(deg_to_rad(pitch_degrees)))
	var aside := clampf(aim.dot(right), -side_room, side_room)
	var along := clampf(aim.dot(back), -depth_room, depth_room)
	return right * aside + back * along + Vector3.UP * aim.y


## How far away a picture of this height in metres is taken.
func _away(tall: float) -> float:
	return tall / (2.0 * tan(deg_to_rad(fov) * 0.5))


## Look closer at somebody, or at the whole arena again.
func follow(whom: Node3D) -> void:
	_followed = whom
	set_process(true)


func _process(delta: float) -> void:
	var goal := _home
	if _followed:
		goal = _home + (_followed.global_position + Vector3.UP * 0.5) - transform.basis.z * _closer_m
	position = position.lerp(goal, 1.0 - exp(-FOLLOW_RATE * delta))
	if not _followed and position.distance_to(goal) < 0.01:
		position = goal
		set_process(false)


## Where a point of the arena is in the picture: x and y from -1 to 1 when it is inside.
func frame_of(point: Vector3, aspect: float) -> Vector2:
	var stands := global_transform if is_inside_tree() else transform
	var seen := stands.affine_inverse() * point
	var scale_y := 1.0 / tan(deg_to_rad(fov) * 0.5)
	return Vector2(seen.x * scale_y / aspect, seen.y * scale_y) / -seen.z


## The rectangle of the picture that a body covers, in the pixels of the canvas.
func bounds_of(feet: Vector3, edge: float) -> Rect2:
	var bounds := Rect2(unproject_position(feet), Vector2.ZERO)
	for x: float in [-0.5, 0.5]:
		for z: float in [-0.5, 0.5]:
			for y: float in [0.0, 1.0]:
				bounds = bounds.expand(unproject_position(feet + Vector3(x, y, z) * edge))
	return bounds


func _fits(arena_half: float, wall_height: float, aspect: float, away: float) -> bool:
	var bounds := _stand(arena_half, wall_height, aspect, away)
	var room := 1.0 - 2.0 * CORNER_ROOM
	return bounds.size.x * 0.5 <= room and bounds.size.y * 0.5 <= room - top_share - bottom_share


## Stand so far away with the arena in the middle of what is left of the picture; returns its bounds there.
func _stand(arena_half: float, wall_height: float, aspect: float, away: float) -> Rect2:
	position = transform.basis.z * away
	var bounds := Rect2()
	for _nudge in 4:
		bounds = _bounds(arena_half, wall_height, aspect)
		var off := bounds.get_center() - Vector2(0.0, bottom_share - top_share)
		var height := away * tan(deg_to_rad(fov) * 0.5)
		position += transform.basis.x * off.x * height * aspect + transform.basis.y * off.y * height
	return bounds


func _bounds(arena_half: float, wall_height: float, aspect: float) -> Rect2:
	var out := arena_half + TagStage.WALL_THICKNESS
	var bounds := Rect2(frame_of(Vector3(out, 0.0, out), aspect), Vector2.ZERO)
	for x: float in [-out, out]:
		for z: float in [-out, out]:
			for y: float in [-0.6, wall_height]:
				bounds = bounds.expand(frame_of(Vector3(x, y, z), aspect))
	return bounds
