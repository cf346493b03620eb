class_name ChunkMesh
extends RefCounted
## The surface of one chunk of voxels, face by face: every visible side of every voxel is a square of its own.
##
## A chunk is 16 x 16 columns of a height field. At level 1 and 2 its voxels are 2 and 4 metres wide. Sides at the
## chunk's border reach down to the lowest ground that a neighbour of any level may show there, so that no crack opens
## between levels; `seal` false leaves that out.

const SIZE := 16  # metres and columns of level 0
const LEVELS := 3
const SIDES: Array[Vector2i] = [Vector2i(1, 0), Vector2i(-1, 0), Vector2i(0, 1), Vector2i(0, -1)]
const LEFT: Array[Vector2i] = [Vector2i(1, 1), Vector2i(0, 0), Vector2i(0, 1), Vector2i(1, 0)]  # corner of each side
const RIGHT: Array[Vector2i] = [Vector2i(1, 0), Vector2i(0, 1), Vector2i(1, 1), Vector2i(0, 0)]

var vertices := PackedVector3Array()
var normals := PackedVector3Array()
var colours := PackedColorArray()
var indices := PackedInt32Array()

var _ground: TerrainShape
var _corner: Vector2i  # metres
var _step := 1
var _heights := PackedInt32Array()  # with a rim of one voxel around the chunk
var _wide := 0


static func of(ground: TerrainShape, cell: Vector2i, level: int, seal := true) -> ChunkMesh:
	var made := ChunkMesh.new()
	made._ground = ground
	made._corner = cell * SIZE
	made._step = 1 << level
	made._sample()
	made._build(seal)
	return made


## How many squares it is made of: what it costs, whatever the machine.
func faces() -> int:
	return indices.size() / 6


func bytes() -> int:
	return vertices.size() * 12 + normals.size() * 12 + colours.size() * 16 + indices.size() * 4


func to_mesh() -> ArrayMesh:
	var arrays := []
	arrays.resize(Mesh.ARRAY_MAX)
	arrays[Mesh.ARRAY_VERTEX] = vertices
	arrays[Mesh.ARRAY_NORMAL] = normals
	arrays[Mesh.ARRAY_COLOR] = colours
	arrays[Mesh.ARRAY_INDEX] = indices
	var mesh := ArrayMesh.new()
	mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays)
	return mesh


## Triangles for a collision shape.
func triangles() -> PackedVector3Array:
	var made := PackedVector3Array()
	made.resize(indices.size())
	for i in indices.size():
		made[i] = vertices[indices[i]]
	return made


func _sample() -> void:
	_wide = SIZE / _step + 2
	_heights.resize(_wide * _wide)
	for j in _wide:
		for i in _wide:
			_heights[j * _wide + i] = _ground.height_of(
				_corner.x + (i - 1) * _step, _corner.y + (j - 1) * _step, _step
			)


func _build(seal: bool) -> void:
	var count := SIZE / _step
	for j in count:
		for i in count:
			var top := _heights[(j + 1) * _wide + i + 1]
			var x := i * _step
			var z := j * _step
			var colour := _ground.colour_at(top)
			_top(x, top, z, colour)
			for number in 4:
				var side := SIDES[number]
				var low := _heights[(j + 1 + side.y) * _wide + i + 1 + side.x]
				var ends := i + side.x < 0 or j + side.y < 0 or i + side.x == count or j + side.y == count
				if ends and seal:
					low = mini(low, _lowest_beside(x, z, side))
				_wall(x, z, number, low, top, colour)


## The lowest ground that a neighbour of any level shows along the border of the voxel at x, z.
func _lowest_beside(x: int, z: int, side: Vector2i) -> int:
	var lowest := 1 << 20
	for level in LEVELS:
		var wide := 1 << level
		var at := 0
		while at < _step:
			var beside := Vector2i(x, z) + Vector2i(absi(side.y), absi(side.x)) * at
			beside.x += _step if side.x > 0 else (-1 if side.x < 0 else 0)
			beside.y += _step if side.y > 0 else (-1 if side.y < 0 else 0)
			var place := _corner + beside
			lowest = mini(lowest, _ground.height_of(_floored(place.x, wide), _floored(place.y, wide), wide))
			at += wide
	return lowest


static func _floored(value: int, wide: int) -> int:
	return floori(float(value) / wide) * wide


func _top(x: int, y: int, z: int, colour: Color) -> void:
	var s := _step
	_square(Vector3(x, y, z), Vector3(x + s, y, z), Vector3(x + s, y, z + s), Vector3(x, y, z + s), Vector3.UP, colour)


## The squares of one side, from the neighbour's ground up to the own.
func _wall(x: int, z: int, side: int, low: int, top: int, colour: Color) -> void:
	var s := _step
	var left := Vector2(x + s * LEFT[side].x, z + s * LEFT[side].y)
	var right := Vector2(x + s * RIGHT[side].x, z + s * RIGHT[side].y)
	var normal := Vector3(SIDES[side].x, 0, SIDES[side].y)
	var y := low
	while y < top:
		var up := mini(y + s, top)
		_square(
			Vector3(left.x, up, left.y), Vector3(right.x, up, right.y), Vector3(right.x, y, right.y),
			Vector3(left.x, y, left.y), normal, colour.darkened(0.12 if up == top else 0.24)
		)
		y = up


## Corners clockwise as seen from where the normal points to.
func _square(a: Vector3, b: Vector3, c: Vector3, d: Vector3, normal: Vector3, colour: Color) -> void:
	var first := vertices.size()
	vertices.append(a)
	vertices.append(b)
	vertices.append(c)
	vertices.append(d)
	for i in 4:
		normals.append(normal)
		colours.append(colour)
	indices.append(first)
	indices.append(first + 1)
	indices.append(first + 2)
	indices.append(first)
	indices.append(first + 2)
	indices.append(first + 3)
