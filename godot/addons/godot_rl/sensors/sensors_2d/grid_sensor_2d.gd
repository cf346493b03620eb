class_name GridSensor2D
extends ISensor2D
## A grid of cells around the node: for each cell and each layer of the mask, how many bodies are in it.
##
## Number (i · grid_size_y + j) · layers + layer, i along the node's own X and j along its Y; layers are the set bits of
## [member detection_mask], the lowest first. Cells are asked when the sensor is, so nothing lags behind.

const MOST_PER_CELL := 32

## Draw the cells that hold something.
@export var debug_view := false
## Which physics layers are counted.
@export_flags_2d_physics var detection_mask := 1
@export var collide_with_areas := false
@export var collide_with_bodies := true
## Of a cell, in pixels.
@export_range(1.0, 1000.0, 0.1, "or_greater") var cell_width := 20.0
## Of a cell, in pixels.
@export_range(1.0, 1000.0, 0.1, "or_greater") var cell_height := 20.0
@export_range(1, 21, 1, "or_greater") var grid_size_x := 3
@export_range(1, 21, 1, "or_greater") var grid_size_y := 3

var _query := PhysicsShapeQueryParameters2D.new()
var _cell := RectangleShape2D.new()


func _draw() -> void:
	if debug_view and _obs:
		@warning_ignore("integer_division")
		var layers := _obs.size() / (grid_size_x * grid_size_y)
		for cell in grid_size_x * grid_size_y:
			var count: float = _obs.slice(cell * layers, (cell + 1) * layers).max()
			var size := Vector2(cell_width, cell_height)
			draw_rect(Rect2(_centre(cell) - size / 2, size), Color(1, 0, 0, 0.4) if count else Color(1, 1, 1, 0.1))


func _update_observation() -> void:
	var space := get_world_2d().direct_space_state
	_cell.size = Vector2(cell_width, cell_height)
	_query.shape = _cell
	_query.collide_with_areas = collide_with_areas
	_query.collide_with_bodies = collide_with_bodies
	_obs = []
	for cell in grid_size_x * grid_size_y:
		_query.transform = global_transform * Transform2D(0.0, _centre(cell))
		for layer in 32:
			if detection_mask & (1 << layer):
				_query.collision_mask = 1 << layer
				_obs.append(float(space.intersect_shape(_query, MOST_PER_CELL).size()))
	queue_redraw()


## Of a cell, in the node's own frame.
func _centre(cell: int) -> Vector2:
	@warning_ignore("integer_division")
	var across := cell / grid_size_y - (grid_size_x - 1) / 2.0
	return Vector2(across * cell_width, (cell % grid_size_y - (grid_size_y - 1) / 2.0) * cell_height)
