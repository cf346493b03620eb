@tool
@icon("res://addons/sandlot/icons/coverage.svg")
class_name SandlotCoverageRecorder
extends Node
## Counts where a body has been and what states were reached, over all arenas and episodes, into one JSON file.
##
## Put it below the body. The world is cut into cells; at every physics tick the body's cell counts one more. A
## script calls [method mark] for whatever else shall be covered: a menu that was opened, a door that was passed.

const FORMAT := "sandlot_coverage_v1"

## Count at all.
@export var enabled := true
## Side of a cell, in the world's units: metres, or pixels in two dimensions.
@export_range(0.01, 10000.0, 0.01, "or_greater") var cell := 1.0
## States that are expected: those that never come are listed as 0.
@export var expected: PackedStringArray = []
## Where to. Empty: `coverage.json` of the data root, see data_paths.gd.
@export_global_file("*.json") var path := ""
## Seconds of real time between two writings; the last one is when the scene ends.
@export_range(0.1, 3600.0, 0.1, "suffix:s") var write_every_s := 5.0

# Recorders of several arenas with one file count into the same tables: cells and states by path.
static var _tables := {}

var _table := {}
var _written_msec := 0


func _ready() -> void:
	set_physics_process(enabled and not Engine.is_editor_hint())
	if Engine.is_editor_hint() or not enabled:
		return
	_table = _tables.get_or_add(file_path(), {"cells": {}, "states": {}, "ticks": 0, "users": 0})
	_table.users += 1
	for state in expected:
		_table.states.get_or_add(state, 0)


func _physics_process(_delta: float) -> void:
	var body := SandlotPlace.body_of(self)
	if body:
		var at := Vector3i((SandlotPlace.of(body) / cell).floor())
		_table.cells[at] = _table.cells.get(at, 0) + 1
		_table.ticks += 1
	if Time.get_ticks_msec() - _written_msec > write_every_s * 1000.0:
		write()


## A state was reached.
func mark(state: StringName) -> void:
	if enabled:
		_table.states[String(state)] = _table.states.get(String(state), 0) + 1


## How many cells were visited so far, by all recorders of this file.
func visited() -> int:
	return _table.cells.size() if _table else 0


func file_path() -> String:
	return path if path else SandlotDataPaths.root().path_join("coverage.json")


## Write what was counted so far; a reader never meets half a file.
func write() -> void:
	_written_msec = Time.get_ticks_msec()
	var place := file_path()
	DirAccess.make_dir_recursive_absolute(place.get_base_dir())
	var file := FileAccess.open(place + ".part", FileAccess.WRITE)
	if file == null:
		printerr("sandlot: %s cannot be written: %s." % [place, error_string(FileAccess.get_open_error())])
		enabled = false
		set_physics_process(false)
		return
	file.store_string(JSON.stringify(counted(), "", false) + "\n")
	file.close()
	DirAccess.rename_absolute(place + ".part", place)


## What is written: cells as [x, y, z, ticks] in numbers of cells, states as counts.
func counted() -> Dictionary:
	var cells: Array[Array] = []
	for at: Vector3i in _table.cells:
		cells.append([at.x, at.y, at.z, _table.cells[at]])
	cells.sort()
	return {"format": FORMAT, "cell": cell, "ticks": _table.ticks, "cells": cells, "states": _table.states}


func _exit_tree() -> void:
	if not _table:
		return
	write()
	_table.users -= 1
	if _table.users == 0:
		_tables.erase(file_path())
	_table = {}


func _get_configuration_warnings() -> PackedStringArray:
	if SandlotPlace.body_of(self):
		return PackedStringArray()
	return PackedStringArray(["There is no body whose places could be counted. Put this below a Node2D or Node3D."])
