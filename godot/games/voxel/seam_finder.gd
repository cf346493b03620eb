class_name SeamFinder
extends RefCounted
## Looks for cracks between chunks of different levels of detail, in the meshes that are drawn.
##
## Where two chunks meet, the higher one has to have faces from its ground down to that of the lower one. A gap is a
## hole through which the sky is seen below the ground.


## How many metres of border between a chunk and its neighbours have a crack.
static func cracks_around(terrain: ChunkTerrain, cell: Vector2i) -> int:
	var count := 0
	for side in ChunkMesh.SIDES:
		var beside := cell + side
		if terrain.level_of(beside) >= 0 and terrain.level_of(beside) != terrain.level_of(cell):
			count += _cracks(_profile(terrain.mesh_of(cell), side), _profile(terrain.mesh_of(beside), -side))
	return count


## Of all that is loaded; every border is looked at once.
static func cracks_of(terrain: ChunkTerrain) -> int:
	var count := 0
	for cell: Vector2i in terrain.cells():
		for side: Vector2i in [Vector2i(1, 0), Vector2i(0, 1)]:
			var beside: Vector2i = cell + side
			if terrain.level_of(beside) >= 0 and terrain.level_of(beside) != terrain.level_of(cell):
				count += _cracks(_profile(terrain.mesh_of(cell), side), _profile(terrain.mesh_of(beside), -side))
	return count


static func _cracks(one: Array[Vector2], other: Array[Vector2]) -> int:
	var count := 0
	for i in ChunkMesh.SIZE:
		var higher := one[i] if one[i].x >= other[i].x else other[i]
		var lower := minf(one[i].x, other[i].x)
		count += int(higher.y > lower)
	return count


## For each metre along a side: the ground beside it, and how far down the side's faces reach.
static func _profile(mesh: ArrayMesh, side: Vector2i) -> Array[Vector2]:
	var made: Array[Vector2] = []
	for i in ChunkMesh.SIZE:
		made.append(Vector2(-INF, INF))
	var arrays := mesh.surface_get_arrays(0)
	var vertices: PackedVector3Array = arrays[Mesh.ARRAY_VERTEX]
	var normals: PackedVector3Array = arrays[Mesh.ARRAY_NORMAL]
	var border := float(ChunkMesh.SIZE) if side.x + side.y > 0 else 0.0
	for first in range(0, vertices.size(), 4):
		var a := vertices[first]
		var c := vertices[first + 2]
		var is_top := normals[first].y > 0.5
		var across := [a.x, c.x] if side.x else [a.z, c.z]
		if is_top and border not in across or not is_top and (across[0] != border or across[1] != border):
			continue
		var along := [a.z, c.z] if side.x else [a.x, c.x]
		for i in range(int(minf(along[0], along[1])), int(maxf(along[0], along[1]))):
			if is_top:
				made[i].x = a.y
				made[i].y = minf(made[i].y, a.y)
			else:
				made[i].y = minf(made[i].y, minf(a.y, c.y))
	return made
