class_name TagTrail
extends MeshInstance3D
## Where somebody came from: a band behind a cube that grows thin and fades.

const SECONDS := 0.65
const WIDTH := 0.34  ## metres, at the cube
const ALPHA := 0.5

var _mesh := ImmediateMesh.new()
var _past := PackedVector3Array()
var _age := PackedFloat32Array()


func _init() -> void:
	mesh = _mesh
	cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	material_override = glaze()


## A flat, see-through material whose colour comes with each corner.
static func glaze() -> StandardMaterial3D:
	var material := StandardMaterial3D.new()
	material.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	material.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	material.vertex_color_use_as_albedo = true
	material.vertex_color_is_srgb = true
	material.cull_mode = BaseMaterial3D.CULL_DISABLED
	return material


## Add a place `dt` seconds after the last one; without `there` the trail only fades.
func follow(place: Vector3, colour: Color, dt: float, there: bool) -> void:
	for i in _age.size():
		_age[i] += dt
	while _age.size() > 0 and _age[0] > SECONDS:
		_age.remove_at(0)
		_past.remove_at(0)
	if there and dt > 0.0:
		_past.append(place)
		_age.append(0.0)
	_draw(colour)


func clear() -> void:
	_past.clear()
	_age.clear()
	_mesh.clear_surfaces()


func _draw(colour: Color) -> void:
	_mesh.clear_surfaces()
	if _past.size() < 3:
		return
	_mesh.surface_begin(Mesh.PRIMITIVE_TRIANGLE_STRIP)
	for i in _past.size():
		var along := _past[mini(i + 1, _past.size() - 1)] - _past[maxi(i - 1, 0)]
		var level := Vector3(along.x, 0.0, along.z)
		var across := level.cross(Vector3.UP).normalized() if level.length_squared() > 1e-8 else Vector3.RIGHT
		var life := 1.0 - _age[i] / SECONDS
		for side: float in [-1.0, 1.0]:
			_mesh.surface_set_color(Color(colour, ALPHA * life * life))
			_mesh.surface_add_vertex(_past[i] + across * WIDTH * life * side)
	_mesh.surface_end()
