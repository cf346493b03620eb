class_name RoundedBox
extends RefCounted
## Meshes of boxes with rounded edges. Light catches the edges, so that a body reads as solid at any size.

const BEVEL_STEPS := 4  ## quads across one rounded edge

static var _made := {}  # [size, radius] -> ArrayMesh; materials belong to the instances


## A box of this size around the origin; `radius` of its edges in metres.
static func mesh(size: Vector3, radius: float) -> ArrayMesh:
	var key := [size.snappedf(0.001), snappedf(radius, 0.001)]
	if not _made.has(key):
		_made[key] = _build(size * 0.5, minf(radius, size[size.min_axis_index()] * 0.5))
	return _made[key]


## An instance of it in this material.
static func instance(size: Vector3, radius: float, material: Material) -> MeshInstance3D:
	var made := MeshInstance3D.new()
	made.mesh = mesh(size, radius)
	made.material_override = material
	return made


static func _build(half: Vector3, radius: float) -> ArrayMesh:
	var tool := SurfaceTool.new()
	tool.begin(Mesh.PRIMITIVE_TRIANGLES)
	var count := 0
	for axis in 3:
		for side: float in [-1.0, 1.0]:
			count = _add_face(tool, count, half, radius, axis, side)
	return tool.commit()


## One of six faces with its share of the rounded edges; returns the number of vertices so far.
static func _add_face(tool: SurfaceTool, first: int, half: Vector3, radius: float, axis: int, side: float) -> int:
	var u := (axis + 1) % 3
	var v := (axis + 2) % 3
	var across := _places(half[u], radius)
	var along := _places(half[v], radius)
	for b in along:
		for a in across:
			var on_face := Vector3.ZERO
			on_face[axis] = half[axis] * side
			on_face[u] = a
			on_face[v] = b
			var core := half - Vector3.ONE * radius
			var inner := on_face.clamp(-core, core)
			var normal := (on_face - inner).normalized()
			tool.set_normal(normal)
			tool.add_vertex(inner + normal * radius)
	var wide := across.size()
	for j in along.size() - 1:
		for i in wide - 1:
			var corner := first + j * wide + i
			var quad := [corner, corner + 1, corner + wide + 1, corner, corner + wide + 1, corner + wide]
			if side > 0.0:  # Godot's front faces are clockwise
				quad.reverse()
			for index: int in quad:
				tool.add_index(index)
	return first + wide * along.size()


## Where the grid of a face lies along one of its sides: evenly in angle around the edges, one span between.
static func _places(half: float, radius: float) -> PackedFloat32Array:
	var made := PackedFloat32Array()
	var straight := half - radius
	for i in range(BEVEL_STEPS, -1, -1):
		made.append(-straight - radius * tan(PI * 0.25 * i / BEVEL_STEPS))
	for i in BEVEL_STEPS + 1:
		made.append(straight + radius * tan(PI * 0.25 * i / BEVEL_STEPS))
	return made
