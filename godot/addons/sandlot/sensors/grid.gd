@tool
class_name SandlotGrid
extends RefCounted
## What the grid sensors of two and three dimensions share.


## Put a 1 into a cell's column of each kind of body that a shape query found.
static func mark(out: PackedFloat32Array, index: int, found: Array[Dictionary], kinds: Array[StringName]) -> void:
	for hit in found:
		var node := hit.collider as Node
		var kind := 0
		while kind < kinds.size() and not (node and node.is_in_group(kinds[kind])):
			kind += 1
		out[index * (1 + kinds.size()) + kind] = 1.0


## The bodies that a sensor belongs to, which it does not see.
static func own_bodies(sensor: Node) -> Array[RID]:
	var made: Array[RID] = []
	var node := sensor.get_parent()
	while node:
		if node is CollisionObject2D or node is CollisionObject3D:
			made.append(node.call("get_rid"))
		node = node.get_parent()
	return made


## The two ends of each line of a grid around the origin.
static func lines(columns: int, rows: int, cell: float) -> PackedVector2Array:
	var corner := Vector2(columns, rows) * cell * 0.5
	var made := PackedVector2Array()
	for column in columns + 1:
		var x := column * cell - corner.x
		made.append_array([Vector2(x, -corner.y), Vector2(x, corner.y)])
	for row in rows + 1:
		var y := row * cell - corner.y
		made.append_array([Vector2(-corner.x, y), Vector2(corner.x, y)])
	return made
