class_name PositionSensor2D
extends ISensor2D
## Where other nodes are, in the node's own frame: for each the offset, cut to max_distance and divided by it.
##
## With [member use_separate_direction] it is the unit direction and then the distance, as a share of max_distance. A node
## that was freed is zeros.

@export var objects_to_observe: Array[Node2D] = []
@export var include_x := true
@export var include_y := true
## In pixels; whatever is farther away looks as if it were there.
@export_range(0.01, 20000.0, 0.01, "or_greater") var max_distance := 1000.0
@export var use_separate_direction := false
## Draw lines to the nodes.
@export var debug_lines := false
@export var debug_color := Color.GREEN


func _draw() -> void:
	if debug_lines:
		for object in objects_to_observe:
			if is_instance_valid(object):
				draw_line(Vector2.ZERO, to_local(object.global_position).limit_length(max_distance), debug_color)


func _update_observation() -> void:
	_obs = []
	for object: Variant in objects_to_observe:
		var offset := to_local(object.global_position) if is_instance_valid(object) else Vector2.ZERO
		if use_separate_direction:
			_append(offset.normalized())
			_obs.append(minf(offset.length(), max_distance) / max_distance)
		else:
			_append(offset.limit_length(max_distance) / max_distance)
	queue_redraw()


func _append(vector: Vector2) -> void:
	if include_x:
		_obs.append(vector.x)
	if include_y:
		_obs.append(vector.y)
