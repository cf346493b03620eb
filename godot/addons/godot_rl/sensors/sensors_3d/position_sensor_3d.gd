class_name PositionSensor3D
extends ISensor3D
## Where other nodes are, in the node's own frame: for each the offset, cut to max_distance and divided by it.
##
## With [member use_separate_direction] it is the unit direction and then the distance, as a share of max_distance. A node
## that was freed is zeros.

@export var objects_to_observe: Array[Node3D] = []
@export var include_x := true
@export var include_y := true
@export var include_z := true
## In metres; whatever is farther away looks as if it were there.
@export_range(0.01, 10000.0, 0.01, "or_greater") var max_distance := 10.0
@export var use_separate_direction := false
## Draw lines to the nodes.
@export var debug_lines := false
@export var debug_color := Color.GREEN

var _lines: MeshInstance3D


func _update_observation() -> void:
	_obs = []
	var ends := PackedVector3Array()
	for object: Variant in objects_to_observe:
		var offset := to_local(object.global_position) if is_instance_valid(object) else Vector3.ZERO
		ends.append(offset.limit_length(max_distance))
		if use_separate_direction:
			_append(offset.normalized())
			_obs.append(minf(offset.length(), max_distance) / max_distance)
		else:
			_append(ends[-1] / max_distance)
	if debug_lines:
		_show(ends)


func _append(vector: Vector3) -> void:
	if include_x:
		_obs.append(vector.x)
	if include_y:
		_obs.append(vector.y)
	if include_z:
		_obs.append(vector.z)


func _show(ends: PackedVector3Array) -> void:
	if _lines == null:
		_lines = MeshInstance3D.new()
		_lines.mesh = ImmediateMesh.new()
		var material := StandardMaterial3D.new()
		material.albedo_color = debug_color
		material.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
		_lines.material_override = material
		add_child(_lines)
	var mesh: ImmediateMesh = _lines.mesh
	mesh.clear_surfaces()
	if ends.is_empty():
		return
	mesh.surface_begin(Mesh.PRIMITIVE_LINES)
	for end in ends:
		mesh.surface_add_vertex(Vector3.ZERO)
		mesh.surface_add_vertex(end)
	mesh.surface_end()
