@tool
@icon("res://addons/sandlot/icons/grid.svg")
class_name SandlotGridSensor2D
extends Node2D
## A grid of cells around the node, in its own axes: for each cell a 1 in the column of every kind of body that is in it.
##
## The same numbers as [SandlotGridSensor3D], in two dimensions. The first cell is the upper left one.

## Cells from left to right.
@export_range(1, 64) var columns := 5:
	set(value):
		columns = value
		_changed()
## Cells from top to bottom.
@export_range(1, 64) var rows := 5:
	set(value):
		rows = value
		_changed()
## Side of a cell, in pixels.
@export_range(1.0, 10000.0, 1.0, "suffix:px") var cell := 64.0:
	set(value):
		cell = value
		_changed()
## Kinds of bodies, by group: a body counts for the first of these groups that it belongs to, and for the column
## after the last one where it belongs to none.
@export var kinds: Array[StringName] = []:
	set(value):
		kinds = value
		_changed()
## Which physics layers are looked at.
@export_flags_2d_physics var collision_mask := 0xffffffff
## Whether areas count too.
@export var areas := false
## Look only at every so manieth decision, and repeat the numbers in between.
@export_range(1, 120) var refresh_steps := 1

var _query := PhysicsShapeQueryParameters2D.new()
var _box := RectangleShape2D.new()
var _refresh := SandlotRefresh.new()


func size() -> int:
	return columns * rows * (1 + kinds.size())


## The columns of a cell by name.
func labels() -> PackedStringArray:
	return PackedStringArray(Array(kinds) + ["other"])


## The numbers, cell after cell, row after row.
func sense() -> PackedFloat32Array:
	return _refresh.numbers(refresh_steps, _look)


func forget() -> void:
	_refresh.forget()


## The middle of a cell, in the node's own coordinates.
func middle(column: int, row: int) -> Vector2:
	return Vector2(column - 0.5 * (columns - 1), row - 0.5 * (rows - 1)) * cell


func _look() -> PackedFloat32Array:
	var space := get_world_2d().direct_space_state
	var own := Transform2D(global_rotation, global_position)
	var out := PackedFloat32Array()
	out.resize(size())
	_box.size = Vector2(cell, cell) * 0.999  # what only touches a cell's side is not in it
	_query.shape = _box
	_query.collision_mask = collision_mask
	_query.collide_with_areas = areas
	_query.exclude = SandlotGrid.own_bodies(self)
	for row in rows:
		for column in columns:
			_query.transform = own.translated_local(middle(column, row))
			SandlotGrid.mark(out, row * columns + column, space.intersect_shape(_query), kinds)
	return out


## What the editor draws: the two ends of each line, in the node's own coordinates.
func preview_lines() -> PackedVector2Array:
	return SandlotGrid.lines(columns, rows, cell)


func _get_configuration_warnings() -> PackedStringArray:
	return SandlotEditorHints.of_sensor(self, size())


func _draw() -> void:
	if Engine.is_editor_hint():
		draw_multiline(preview_lines(), Color(0.48, 0.85, 0.56, 0.6))


func _changed() -> void:
	if Engine.is_editor_hint() and is_inside_tree():
		queue_redraw()
		update_configuration_warnings()
