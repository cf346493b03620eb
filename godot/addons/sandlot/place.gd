@tool
class_name SandlotPlace
extends RefCounted
## Where a body is, the same in two and three dimensions: in two, z is 0 and "forward" is the node's own +X.


## The nearest Node2D or Node3D at or above a node; null where there is none.
static func body_of(node: Node) -> Node:
	while node and not (node is Node2D or node is Node3D):
		node = node.get_parent()
	return node


## 2 or 3; 3 where there is no body.
static func dimensions(body: Node) -> int:
	return 2 if body is Node2D else 3


static func of(body: Node) -> Vector3:
	if body is Node2D:
		var flat := (body as Node2D).global_position
		return Vector3(flat.x, flat.y, 0.0)
	return (body as Node3D).global_position if body is Node3D else Vector3.ZERO


## From the body to a point, in the body's own axes and in the world's units.
static func seen_from(body: Node, point: Vector3) -> Vector3:
	var away := point - of(body)
	if body is Node2D:
		var turned := Vector2(away.x, away.y).rotated(-(body as Node2D).global_rotation)
		return Vector3(turned.x, turned.y, 0.0)
	return (body as Node3D).global_basis.orthonormalized().inverse() * away


## The first two or all three numbers of a vector.
static func numbers(vector: Vector3, count: int) -> PackedFloat32Array:
	return PackedFloat32Array([vector.x, vector.y, vector.z]).slice(0, count)
