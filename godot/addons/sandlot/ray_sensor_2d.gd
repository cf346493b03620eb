@tool
@icon("res://addons/sandlot/icons/rays.svg")
class_name SandlotRaySensor2D
extends Node2D
## A fan of rays in two dimensions, as numbers: for each ray the distance to what it meets (0 touching, 1 nothing in
## range) and a 1 in the column of its kind. Put it below the body; rays spread around the node's own +X.
##
## The same columns as [SandlotRaySensor], which looks around in three dimensions. The editor draws the fan.

## How many rays.
@export_range(1, 256) var rays := 16:
	set(value):
		rays = value
		_changed()
## Degrees from the first ray to the last; at 360 the last one would lie on the first, so the rays share the circle.
@export_range(1.0, 360.0, 1.0, "suffix:°") var view_degrees := 360.0:
	set(value):
		view_degrees = value
		_changed()
## How far a ray sees, in pixels.
@export_range(1.0, 100000.0, 1.0, "suffix:px") var reach := 300.0:
	set(value):
		reach = value
		_changed()
## Kinds of bodies, by group: a body in the first of these groups that it belongs to is of that kind.
## Everything else is the kind after the last one.
@export var kinds: Array[StringName] = []:
	set(value):
		kinds = value
		_changed()
## Which physics layers a ray meets.
@export_flags_2d_physics var collision_mask := 0xffffffff
## Whether areas are met too.
@export var areas := false
## Look only at every so manieth decision, and repeat the numbers in between: rays are what a sensor costs.
@export_range(1, 120) var refresh_steps := 1

var _query := PhysicsRayQueryParameters2D.new()
var _refresh := SandlotRefresh.new()


func size() -> int:
	return rays * labels().size()


## The columns of a ray by name.
func labels() -> PackedStringArray:
	var made := PackedStringArray(["distance", "none"])
	for kind in kinds:
		made.append(kind)
	made.append("other")
	return made


## The numbers, ray after ray.
func sense() -> PackedFloat32Array:
	return _refresh.numbers(refresh_steps, _look)


## A new episode begins: look at the next [method sense], whatever [member refresh_steps] says.
func forget() -> void:
	_refresh.forget()


func _look() -> PackedFloat32Array:
	var space := get_world_2d().direct_space_state
	var wide := 3 + kinds.size()
	var out := PackedFloat32Array()
	out.resize(rays * wide)
	_query.from = global_position
	_query.collision_mask = collision_mask
	_query.collide_with_areas = areas
	_query.exclude = _own_bodies()
	for i in rays:
		_query.to = global_position + direction(i) * reach
		var hit := space.intersect_ray(_query)
		out[i * wide] = global_position.distance_to(hit.position) / reach if hit else 1.0
		out[i * wide + 1 + (1 + _kind(hit.collider) if hit else 0)] = 1.0
	return out


## Where ray `i` goes, a unit vector of the world.
func direction(i: int) -> Vector2:
	return Vector2.RIGHT.rotated(global_rotation + _angle(i))


## What the editor draws: the two ends of each ray, in the node's own coordinates.
func preview_lines() -> PackedVector2Array:
	var made := PackedVector2Array()
	for i in rays:
		made.append_array([Vector2.ZERO, Vector2.RIGHT.rotated(_angle(i)) * reach])
	return made


func _angle(i: int) -> float:
	var gaps := rays if view_degrees >= 360.0 else rays - 1
	return deg_to_rad(view_degrees * (i / float(gaps) - 0.5 if gaps > 0 else 0.0))


func _kind(collider: Object) -> int:
	for i in kinds.size():
		if collider is Node and (collider as Node).is_in_group(kinds[i]):
			return i
	return kinds.size()


func _own_bodies() -> Array[RID]:
	var made: Array[RID] = []
	var node := get_parent()
	while node:
		if node is CollisionObject2D:
			made.append((node as CollisionObject2D).get_rid())
		node = node.get_parent()
	return made


func _get_configuration_warnings() -> PackedStringArray:
	return SandlotEditorHints.of_sensor(self, size())


func _draw() -> void:
	if Engine.is_editor_hint():
		draw_multiline(preview_lines(), Color(0.48, 0.85, 0.56, 0.6))


func _changed() -> void:
	if Engine.is_editor_hint() and is_inside_tree():
		queue_redraw()
		update_configuration_warnings()
