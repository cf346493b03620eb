class_name TagRing
extends MeshInstance3D
## The ring on the floor around an agent: whole for a seeker, dashed for a hider.

const INNER := 0.80  ## of the cube's edge
const OUTER := 0.94
const DASHES := 10
const STEPS := 60

var _whole: ArrayMesh
var _dashed: ArrayMesh
var _material := StandardMaterial3D.new()


func build(edge: float) -> void:
	_whole = _band(edge, false)
	_dashed = _band(edge, true)
	_material.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	_material.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	material_override = _material
	cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF


func show_role(seeker: bool, colour: Color, place: Vector3) -> void:
	mesh = _whole if seeker else _dashed
	_material.albedo_color = Color(colour, 0.85)
	position = place


static func _band(edge: float, dashed: bool) -> ArrayMesh:
	var tool := SurfaceTool.new()
	tool.begin(Mesh.PRIMITIVE_TRIANGLES)
	for step in STEPS:
		@warning_ignore("integer_division")
		if dashed and (step * DASHES * 2 / STEPS) % 2 == 1:
			continue
		var corners: Array[Vector3] = []
		for end in 2:
			var angle := TAU * (step + end) / STEPS
			for radius: float in [INNER * edge, OUTER * edge]:
				corners.append(Vector3(cos(angle), 0.0, sin(angle)) * radius)
		for index: int in [0, 1, 3, 0, 3, 2]:
			tool.set_normal(Vector3.UP)
			tool.add_vertex(corners[index])
	return tool.commit()
