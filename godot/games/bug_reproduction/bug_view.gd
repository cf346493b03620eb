extends Node3D
## Draws what the streamer shows: fine and coarse chunks, the view's edges, a drone, and chunks that show something old.

const HEIGHT := 14.0  # metres that the drone flies at
const FINE := Color(0.85, 0.85, 0.85)
const COARSE := Color(0.5, 0.56, 0.68)
const HOLD_S := 2.0  # that a fault is looked at before the next episode is shown
const FAULT := Color(0.95, 0.25, 0.15)

var _chunks := {}  # Vector2i: MeshInstance3D
var _meshes := {}  # [cell, level]: ArrayMesh
var _paints := {}
var _shape: TerrainShape
var _hold := 0.0

@onready var room: BugRoom = get_parent()
@onready var drone: Node3D = $Drone
@onready var camera: Camera3D = $Camera
@onready var label: Label = $Screen/Hud


func _ready() -> void:
	if DisplayServer.get_name() == "headless":
		queue_free()
		return
	room.reproduced.connect(_on_reproduced)
	for shade: Color in [FINE, COARSE, FAULT]:
		var paint := StandardMaterial3D.new()
		paint.vertex_color_use_as_albedo = true
		paint.vertex_color_is_srgb = true
		paint.albedo_color = shade
		paint.roughness = 0.9
		paint.emission_enabled = shade == FAULT
		paint.emission = FAULT
		paint.emission_energy_multiplier = 0.35
		_paints[shade] = paint


func _process(delta: float) -> void:
	_hold -= delta
	if room.flight and _hold <= 0.0:
		_draw()


func _on_reproduced(_line: String) -> void:
	_draw()
	_hold = HOLD_S


func _draw() -> void:
	if _shape != room.shape:
		_shape = room.shape
		_meshes.clear()
		for cell: Vector2i in _chunks.keys():
			_hide(cell)
	_show_chunks()
	_show_drone()
	label.text = "Looking for: %s\nturning %.1f rad/s\n%d requests in flight\n%s" % [
		room.target.replace("_", " "), absf(room.flight.turn_rate), room.flight.streamer.in_flight.size(),
		room.hit.replace(" of request", "\nof request") if room.hit else "nothing in the log yet",
	]


func _show_chunks() -> void:
	var streamer := room.flight.streamer
	for cell: Vector2i in _chunks.keys():
		if not streamer.shown.has(cell):
			_hide(cell)
	for cell: Vector2i in streamer.shown:
		var level: int = streamer.shown[cell].level
		var shade := FAULT if streamer.faulty.has(cell) else (FINE if level == 0 else COARSE)
		if not _chunks.has(cell):
			var made := MeshInstance3D.new()
			made.position = Vector3(cell.x, 0, cell.y) * ChunkMesh.SIZE
			add_child(made)
			_chunks[cell] = made
		_chunks[cell].mesh = _mesh(cell, level)
		_chunks[cell].material_override = _paints[shade]


func _mesh(cell: Vector2i, level: int) -> ArrayMesh:
	var key := [cell, level]
	if not _meshes.has(key):
		_meshes[key] = ChunkMesh.of(_shape, cell, 2 * level).to_mesh()
	return _meshes[key]


func _hide(cell: Vector2i) -> void:
	_chunks[cell].queue_free()
	_chunks.erase(cell)


func _show_drone() -> void:
	drone.position = room.flight.place + Vector3.UP * HEIGHT
	drone.rotation.y = room.flight.heading
	camera.position = room.flight.place + Vector3(0, 105, 80)
	camera.look_at(room.flight.place + Vector3.DOWN * 4.0)
