class_name LandingGround
extends StaticBody3D
## The terrain around the pad: level there, rolling hills beyond, as one height field.

const FLAT := 15.0  # metres around the pad
const RISE := 60.0  # metres over which the hills grow to their full height
const CELL := 10.0  # metres
const MARGIN := 40.0  # metres beyond the bounds

var _rules := {}
var _phases := Vector2.ZERO
var _wide := 0
var _rises := PackedFloat32Array()  # how much of the hills there is at each point
var _map := HeightMapShape3D.new()

@onready var _collision: CollisionShape3D = $Shape
@onready var _look: MeshInstance3D = $Look


func build(rules: Dictionary, phase_x: float, phase_z: float) -> void:
	_rules = rules
	_phases = Vector2(phase_x, phase_z)
	position = Vector3.ZERO
	var wide := int(2.0 * (rules.bounds + MARGIN) / CELL) | 1
	if wide != _wide:
		_measure(wide)
	var waves_x := _waves(phase_x)
	var waves_z := _waves(phase_z)
	var heights := PackedFloat32Array()
	heights.resize(_wide * _wide)
	var half: float = 0.5 * rules.terrain_height / CELL
	for j in _wide:
		for i in _wide:
			heights[j * _wide + i] = half * _rises[j * _wide + i] * (waves_x[i] + waves_z[j])
	_map.map_width = _wide
	_map.map_depth = _wide
	_map.map_data = heights
	_collision.shape = _map
	_collision.scale = Vector3.ONE * CELL  # of all axes: heights are in cells too
	if DisplayServer.get_name() != "headless":
		_look.mesh = _mesh(heights)


func is_built() -> bool:
	return not _rules.is_empty()


func height_at(x: float, z: float) -> float:
	var wave: float = TAU / _rules.terrain_wavelength
	var waves := sin(x * wave + TAU * _phases.x) + sin(z * wave + TAU * _phases.y)
	return 0.5 * _rules.terrain_height * _rise(sqrt(x * x + z * z)) * waves


static func _rise(distance: float) -> float:
	var away := clampf((distance - FLAT) / RISE, 0.0, 1.0)
	return away * away * (3.0 - 2.0 * away)


func _measure(wide: int) -> void:
	_wide = wide
	_rises.resize(wide * wide)
	for j in wide:
		for i in wide:
			_rises[j * wide + i] = _rise(Vector2(_metres(i), _metres(j)).length())


func _metres(index: int) -> float:
	return (index - (_wide - 1) / 2) * CELL


func _waves(phase: float) -> PackedFloat32Array:
	var made := PackedFloat32Array()
	for i in _wide:
		made.append(sin(_metres(i) * TAU / _rules.terrain_wavelength + TAU * phase))
	return made


func _mesh(heights: PackedFloat32Array) -> ArrayMesh:
	var tool := SurfaceTool.new()
	tool.begin(Mesh.PRIMITIVE_TRIANGLES)
	for j in _wide:
		for i in _wide:
			var height := heights[j * _wide + i] * CELL
			var share := clampf(height / _rules.terrain_height * 0.5 + 0.5, 0.0, 1.0)
			tool.set_color(Color("b98a5e").lerp(Color("f0dcb2"), share))
			tool.add_vertex(Vector3(_metres(i), height, _metres(j)))
	for j in _wide - 1:
		for i in _wide - 1:
			var at := j * _wide + i
			for corner: int in [at, at + 1, at + _wide, at + 1, at + _wide + 1, at + _wide]:
				tool.add_index(corner)
	tool.generate_normals()
	var paint := StandardMaterial3D.new()
	paint.vertex_color_use_as_albedo = true
	paint.vertex_color_is_srgb = true
	paint.roughness = 0.95
	tool.set_material(paint)
	return tool.commit()
