@tool
@icon("res://addons/sandlot/icons/grid.svg")
class_name SandlotGridSensor3D
extends Node3D
## A grid of cells on the floor around the node, in its own XZ plane: for each cell a 1 in the column of every kind
## of body that is in it.
##
## Cells are asked of the physics space when the agent decides: static bodies are seen, and nothing is a tick late.
## The first cell is the left one of the farthest row. The editor draws the grid.

## Cells from left to right.
@export_range(1, 64) var columns := 5:
	set(value):
		columns = value
		_changed()
## Cells from the farthest row to the nearest.
@export_range(1, 64) var rows := 5:
	set(value):
		rows = value
		_changed()
## Side of a cell, in metres.
@export_range(0.1, 100.0, 0.1, "suffix:m") var cell := 1.0:
	set(value):
		cell = value
		_changed()
## How high a cell is, half of it below the node.
@export_range(0.1, 100.0, 0.1, "suffix:m") var height := 1.0
## Kinds of bodies, by group: a body counts for the first of these groups that it belongs to, and for the column
## after the last one where it belongs to none.
@export var kinds: Array[StringName] = []:
	set(value):
		kinds = value
		_changed()
## Which physics layers are looked at; leave out the floor.
@export_flags_3d_physics var collision_mask := 0xffffffff
## Whether areas count too.
@export var areas := false
## Look only at every so manieth decision, and repeat the numbers in between.
@export_range(1, 120) var refresh_steps := 1

var _query := PhysicsShapeQueryParameters3D.new()
var _box := BoxShape3D.new()
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
func middle(column: int, row: int) -> Vector3:
	return Vector3((column - 0.5 * (columns - 1)) * cell, 0.0, (row - 0.5 * (rows - 1)) * cell)


func _look() -> PackedFloat32Array:
	var space := get_world_3d().direct_space_state
	var own := global_transform.orthonormalized()
	var out := PackedFloat32Array()
	out.resize(size())
	_box.size = Vector3(cell, height, cell) * 0.999  # what only touches a cell's side is not in it
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
func preview_lines() -> PackedVector3Array:
	var made := PackedVector3Array()
	for point in SandlotGrid.lines(columns, rows, cell):
		made.append(Vector3(point.x, 0.0, point.y))
	return made


func _get_configuration_warnings() -> PackedStringArray:
	return SandlotEditorHints.of_sensor(self, size())


func _changed() -> void:
	if Engine.is_editor_hint() and is_inside_tree():
		update_gizmos()
		update_configuration_warnings()
