@tool
@icon("res://addons/sandlot/icons/rays.svg")
class_name SandlotRaySensor
extends Node3D
## A fan of rays as numbers: for each ray the distance to what it meets (0 touching, 1 nothing in range) and a 1
## in the column of its kind.
##
## Rays lie in the node's own XZ plane around its forward direction (-Z). Ray 0 is the right edge of the view.
## Ask [method sense] on decision ticks; nothing is cast in between. The editor draws the fan.

## How many rays.
@export_range(1, 256) var rays := 36:
	set(value):
		rays = value
		_changed()
## Degrees from the first ray to the last.
@export_range(1.0, 360.0, 1.0, "suffix:°") var view_degrees := 120.0:
	set(value):
		view_degrees = value
		_changed()
## How far a ray sees, in metres.
@export_range(0.1, 1000.0, 0.1, "suffix:m") var reach := 15.0:
	set(value):
		reach = value
		_changed()
## Kinds of bodies, by group: a body in the first of these groups that it belongs to is of that kind.
## Everything else is the kind after the last one.
@export var kinds: Array[StringName] = [&"agent"]:
	set(value):
		kinds = value
		_changed()
## Which physics layers a ray meets.
@export_flags_3d_physics var collision_mask := 0xffffffff
## Bodies that rays pass through; the sensor's own body is always one of them.
@export var passes_through: Array[CollisionObject3D] = []
## Look only at every so manieth decision, and repeat the numbers in between: rays are what a sensor costs.
@export_range(1, 120) var refresh_steps := 1

var distances := PackedFloat32Array()  ## of the last look, in metres
var met := PackedInt32Array()  ## kind of each hit; -1 nothing

var _query := PhysicsRayQueryParameters3D.new()
var _refresh := SandlotRefresh.new()


## Numbers a ray: distance, nothing, one for each kind, and one for everything else.
func width() -> int:
	return 3 + kinds.size()


func size() -> int:
	return rays * width()


## The numbers, ray after ray.
func sense() -> PackedFloat32Array:
	return _refresh.numbers(refresh_steps, _look)


## A new episode begins: look at the next [method sense], whatever [member refresh_steps] says.
func forget() -> void:
	_refresh.forget()


func _look() -> PackedFloat32Array:
	var space := get_world_3d().direct_space_state
	var out := PackedFloat32Array()
	out.resize(size())
	distances.resize(rays)
	met.resize(rays)
	_query.from = global_position
	_query.collision_mask = collision_mask
	_query.exclude = _excluded()
	for i in rays:
		_query.to = global_position + direction(i) * reach
		var hit := space.intersect_ray(_query)
		distances[i] = global_position.distance_to(hit.position) if hit else reach
		met[i] = _kind(hit.collider) if hit else -1
		out[i * width()] = distances[i] / reach
		out[i * width() + 2 + met[i]] = 1.0
	return out


## Where ray `i` goes, a unit vector of the world.
func direction(i: int) -> Vector3:
	var own := global_basis.orthonormalized()
	return -own.z.rotated(own.y, _angle(i))


## The columns of a ray by name.
func labels() -> PackedStringArray:
	var made := PackedStringArray(["distance", "none"])
	for kind in kinds:
		made.append(kind)
	made.append("other")
	return made


## What the editor draws: the two ends of each ray, in the node's own coordinates.
func preview_lines() -> PackedVector3Array:
	var made := PackedVector3Array()
	for i in rays:
		made.append_array([Vector3.ZERO, Vector3.FORWARD.rotated(Vector3.UP, _angle(i)) * reach])
	return made


func _angle(i: int) -> float:
	return deg_to_rad(view_degrees * (i / float(rays - 1) - 0.5 if rays > 1 else 0.0))


func _kind(collider: Object) -> int:
	var node := collider as Node
	for i in kinds.size():
		if node and node.is_in_group(kinds[i]):
			return i
	return kinds.size()


func _excluded() -> Array[RID]:
	var made: Array[RID] = []
	for body in passes_through:
		made.append(body.get_rid())
	var node := get_parent()
	while node:
		if node is CollisionObject3D:
			made.append((node as CollisionObject3D).get_rid())
		node = node.get_parent()
	return made


func _get_configuration_warnings() -> PackedStringArray:
	return SandlotEditorHints.of_sensor(self, size())


func _changed() -> void:
	if Engine.is_editor_hint() and is_inside_tree():
		update_gizmos()
		update_configuration_warnings()
