class_name ChunkTerrain
extends Node3D
## An endless ground of voxel chunks around a moving centre: what is near is generated, nearest first, from a queue
## with a budget per tick; what is farther has fewer and wider voxels; what is far is unloaded. Chunks at the
## centre have collision meshes.
##
## Every time and size that the monitor shows is measured: of the chunk that was built, and of the arrays that are held.

signal block_loaded(cell: Vector2i)
signal block_unloaded(cell: Vector2i)

const SEAM_EAST := 5  # cells; a planted seam begins here
const MARGIN := 2  # chunks beyond the view that are kept

## Chunks seen in each direction.
@export_range(1, 14) var view_radius := 8
## Chunks in each direction that have voxels of one metre, and of two.
@export var level_radii := Vector2i(2, 4)
## Chunks in each direction that have a collision mesh.
@export_range(0, 3) var collision_radius := 1
## Chunks that are generated in a tick at most.
@export_range(1, 64) var chunks_per_tick := 2
@export_range(0.0, 120.0, 1.0, "suffix:m") var mountain_height := 46.0
## A fault to be found: in the east, chunks of different levels do not close the gap between them.
@export var plant_seam := false
## A fault to be found: a chunk that gets another level while it has a collision mesh, as after a jump, stays in memory.
@export var plant_growth := false
## Draw at all; training does without.
@export var drawn := true

var shape: TerrainShape
var monitor: SandlotPerformanceMonitor
var centre := Vector2i.ZERO  ## the chunk in the middle
var slowest_ms := 0.0  ## chunk since [method begin_count]
var generated := 0  ## chunks since [method begin_count]
var changed: Array[Vector2i] = []  ## chunks that were generated since somebody emptied this

var _chunks := {}  # Vector2i: Chunk
var _queue: Array[Vector2i] = []  # nearest last
var _kept: Array[Chunk] = []  # of the planted growth
var _material := StandardMaterial3D.new()
var _bytes := 0
var _faces := 0


class Chunk:
	var level := 0
	var bytes := 0
	var faces := 0
	var took_ms := 0.0
	var mesh: ArrayMesh
	var triangles := PackedVector3Array()  # that the collision mesh was made of
	var drawing: MeshInstance3D
	var body: StaticBody3D


func _init() -> void:
	_material.vertex_color_use_as_albedo = true
	_material.vertex_color_is_srgb = true
	_material.roughness = 0.9


## Forget everything and begin around the origin; the chunks next to it are there at once.
func restart(terrain_seed: int) -> void:
	for cell: Vector2i in _chunks.keys():
		_unload(cell)
	for chunk in _kept:
		_bytes -= chunk.bytes
	_kept.clear()
	changed.clear()
	shape = TerrainShape.new(terrain_seed, mountain_height)
	centre = Vector2i.ZERO
	_plan()
	generate((2 * collision_radius + 1) ** 2)
	begin_count()


func begin_count() -> void:
	slowest_ms = 0.0
	generated = 0


func look_from(place: Vector3) -> void:
	var cell := Vector2i(floori(place.x / ChunkMesh.SIZE), floori(place.z / ChunkMesh.SIZE))
	if cell != centre:
		centre = cell
		_plan()


func queue_length() -> int:
	return _queue.size()


func chunk_count() -> int:
	return _chunks.size()


func cells() -> Array:
	return _chunks.keys()


func level_of(cell: Vector2i) -> int:
	return _chunks[cell].level if _chunks.has(cell) else -1


func mesh_of(cell: Vector2i) -> ArrayMesh:
	return _chunks[cell].mesh if _chunks.has(cell) else null


## Squares of everything that is loaded.
func face_count() -> int:
	return _faces


## Milliseconds that a chunk took when it was generated.
func build_ms(cell: Vector2i) -> float:
	return _chunks[cell].took_ms if _chunks.has(cell) else 0.0


## Milliseconds that it takes to generate a chunk once more; nothing is changed by it.
func time_to_build(cell: Vector2i) -> float:
	var began := Time.get_ticks_usec()
	ChunkMesh.of(shape, cell, level_of(cell), not (plant_seam and cell.x >= SEAM_EAST)).to_mesh()
	return (Time.get_ticks_usec() - began) / 1000.0


## Bytes of the arrays that are held, also of what should have gone. The monitor asks for it.
func memory_bytes() -> int:
	return _bytes


func _physics_process(_delta: float) -> void:
	if shape:
		generate(chunks_per_tick)


## Generate so many chunks of the queue now.
func generate(most: int) -> void:
	for i in mini(most, _queue.size()):
		_generate(_queue.pop_back())


# ---------------------------------------------------------------- what is wanted


func _plan() -> void:
	_queue.clear()
	for z in range(-view_radius, view_radius + 1):
		for x in range(-view_radius, view_radius + 1):
			var cell := centre + Vector2i(x, z)
			var far := maxi(absi(x), absi(z))
			if level_of(cell) != _level_at(far) or _has_body(cell) != (far <= collision_radius):
				_queue.append(cell)
	_queue.sort_custom(_is_farther)
	for cell: Vector2i in _chunks.keys():
		if _distance(cell) > view_radius + MARGIN:
			_unload(cell)


func _is_farther(a: Vector2i, b: Vector2i) -> bool:
	return (a - centre).length_squared() > (b - centre).length_squared()


func _distance(cell: Vector2i) -> int:
	return maxi(absi(cell.x - centre.x), absi(cell.y - centre.y))


func _level_at(far: int) -> int:
	return 0 if far <= level_radii.x else (1 if far <= level_radii.y else 2)


func _has_body(cell: Vector2i) -> bool:
	return _chunks.has(cell) and _chunks[cell].body != null


# ---------------------------------------------------------------- one chunk


func _generate(cell: Vector2i) -> void:
	var far := _distance(cell)
	var level := _level_at(far)
	if level_of(cell) != level:
		_build(cell, level)
	var chunk: Chunk = _chunks[cell]
	if far <= collision_radius and chunk.body == null:
		_add_body(cell, chunk)
	elif far > collision_radius and chunk.body:
		_remove_body(chunk)


func _build(cell: Vector2i, level: int) -> void:
	var began := Time.get_ticks_usec()
	if monitor:
		monitor.start_chunk_generation()
	var built := ChunkMesh.of(shape, cell, level, not (plant_seam and cell.x >= SEAM_EAST))
	var chunk := Chunk.new()
	chunk.level = level
	chunk.faces = built.faces()
	chunk.bytes = built.bytes()
	chunk.mesh = built.to_mesh()
	if drawn:
		chunk.drawing = MeshInstance3D.new()
		chunk.drawing.mesh = chunk.mesh
		chunk.drawing.material_override = _material
		chunk.drawing.position = Vector3(cell.x, 0, cell.y) * ChunkMesh.SIZE
		add_child(chunk.drawing)
	chunk.triangles = built.triangles() if _distance(cell) <= collision_radius else PackedVector3Array()
	if monitor:
		monitor.end_chunk_generation()
	chunk.took_ms = (Time.get_ticks_usec() - began) / 1000.0
	slowest_ms = maxf(slowest_ms, chunk.took_ms)
	generated += 1
	if _chunks.has(cell):
		_unload(cell, plant_growth and _chunks[cell].body != null)
	_chunks[cell] = chunk
	_bytes += chunk.bytes
	_faces += chunk.faces
	changed.append(cell)
	block_loaded.emit(cell)


func _add_body(cell: Vector2i, chunk: Chunk) -> void:
	if monitor:
		monitor.start_collision_generation()
	if chunk.triangles.is_empty():
		chunk.triangles = ChunkMesh.of(shape, cell, chunk.level).triangles()
	var faces := ConcavePolygonShape3D.new()
	faces.set_faces(chunk.triangles)
	chunk.triangles = PackedVector3Array()
	var collision := CollisionShape3D.new()
	collision.shape = faces
	chunk.body = StaticBody3D.new()
	chunk.body.add_child(collision)
	chunk.body.position = Vector3(cell.x, 0, cell.y) * ChunkMesh.SIZE
	add_child(chunk.body)
	if monitor:
		monitor.end_collision_generation()


func _remove_body(chunk: Chunk) -> void:
	chunk.body.queue_free()
	chunk.body = null


## forgotten: nothing is shown of it, but its memory is not given back.
func _unload(cell: Vector2i, forgotten := false) -> void:
	var chunk: Chunk = _chunks[cell]
	if forgotten:
		_kept.append(chunk)
	else:
		_bytes -= chunk.bytes
	if chunk.drawing:
		chunk.drawing.queue_free()
		chunk.drawing = null
	if chunk.body:
		_remove_body(chunk)
	_faces -= chunk.faces
	_chunks.erase(cell)
	block_unloaded.emit(cell)
