class_name SandlotRaySensor2D
extends Node2D
## A fan of rays in two dimensions, as numbers: for each ray the distance to what it meets (0 touching, 1 nothing in
## range) and a 1 in the column of its kind. Put it below the body; rays spread around the node's own +X.
##
## The same columns as [SandlotRaySensor], which looks around in three dimensions.

## How many rays.
@export_range(1, 256) var rays := 16
## Degrees from the first ray to the last; at 360 the last one would lie on the first, so the rays share the circle.
@export_range(1.0, 360.0, 1.0) var view_degrees := 360.0
## How far a ray sees, in pixels.
@export_range(1.0, 100000.0, 1.0) var reach := 300.0
## Kinds of bodies, by group: a body in the first of these groups that it belongs to is of that kind.
## Everything else is the kind after the last one.
@export var kinds: Array[StringName] = []
## Which physics layers a ray meets.
@export_flags_2d_physics var collision_mask := 0xffffffff
## Whether areas are met too.
@export var areas := false

var _query := PhysicsRayQueryParameters2D.new()


func size() -> int:
	return rays * labels().size()


## The columns of a ray by name.
func labels() -> PackedStringArray:
	var made := PackedStringArray(["distance", "none"])
	for kind in kinds:
		made.append(kind)
	made.append("other")
	return made


## Look now and return the numbers, ray after ray.
func sense() -> PackedFloat32Array:
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
	var gaps := rays if view_degrees >= 360.0 else rays - 1
	var share := i / float(gaps) - 0.5 if gaps > 0 else 0.0
	return Vector2.RIGHT.rotated(global_rotation + deg_to_rad(view_degrees * share))


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
