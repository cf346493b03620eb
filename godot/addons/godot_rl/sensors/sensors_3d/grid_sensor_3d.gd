class_name GridSensor3D
extends ISensor3D
## A grid of cells around the node, flat on its XZ plane: for each cell and each layer of the mask, how many bodies are in it.
##
## Number (i · grid_size_z + j) · layers + layer, i along the node's own X and j along its Z; layers are the set bits of
## [member detection_mask], the lowest first. Cells are asked when the sensor is, so nothing lags behind.

const MOST_PER_CELL := 32

## Show the cells that hold something.
@export var debug_view := false
## Which physics layers are counted.
@export_flags_3d_physics var detection_mask := 1
@export var collide_with_areas := false
@export var collide_with_bodies := true
## Of a cell along X and Z, in metres.
@export_range(0.1, 100.0, 0.1, "or_greater") var cell_width := 1.0
## Of a cell along Y, in metres.
@export_range(0.1, 100.0, 0.1, "or_greater") var cell_height := 1.0
@export_range(1, 21, 1, "or_greater") var grid_size_x := 3
@export_range(1, 21, 1, "or_greater") var grid_size_z := 3

var _query := PhysicsShapeQueryParameters3D.new()
var _cell := BoxShape3D.new()
var _shown: MultiMeshInstance3D


func _update_observation() -> void:
	var space := get_world_3d().direct_space_state
	_cell.size = Vector3(cell_width, cell_height, cell_width)
	_query.shape = _cell
	_query.collide_with_areas = collide_with_areas
	_query.collide_with_bodies = collide_with_bodies
	_obs = []
	for cell in grid_size_x * grid_size_z:
		_query.transform = global_transform * Transform3D(Basis.IDENTITY, _centre(cell))
		for layer in 32:
			if detection_mask & (1 << layer):
				_query.collision_mask = 1 << layer
				_obs.append(float(space.intersect_shape(_query, MOST_PER_CELL).size()))
	if debug_view:
		_show()


## Of a cell, in the node's own frame.
func _centre(cell: int) -> Vector3:
	@warning_ignore("integer_division")
	var across := cell / grid_size_z - (grid_size_x - 1) / 2.0
	return Vector3(across, 0.0, cell % grid_size_z - (grid_size_z - 1) / 2.0) * cell_width


func _show() -> void:
	if _shown == null:
		_shown = MultiMeshInstance3D.new()
		_shown.multimesh = MultiMesh.new()
		_shown.multimesh.transform_format = MultiMesh.TRANSFORM_3D
		var box := BoxMesh.new()
		box.size = _cell.size
		var material := StandardMaterial3D.new()
		material.albedo_color = Color(1, 0, 0, 0.3)
		material.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
		box.material = material
		_shown.multimesh.mesh = box
		add_child(_shown)
	@warning_ignore("integer_division")
	var layers := _obs.size() / (grid_size_x * grid_size_z)
	var full := range(grid_size_x * grid_size_z).filter(
		func(cell: int) -> bool: return _obs.slice(cell * layers, (cell + 1) * layers).max() > 0.0
	)
	_shown.multimesh.instance_count = full.size()
	for i in full.size():
		_shown.multimesh.set_instance_transform(i, Transform3D(Basis.IDENTITY, _centre(full[i])))
