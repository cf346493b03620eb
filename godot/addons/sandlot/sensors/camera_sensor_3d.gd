@tool
@icon("res://addons/sandlot/icons/camera.svg")
class_name SandlotCameraSensor3D
extends Node3D
## A small picture of what is ahead (-Z), for a network with convolutions: red, green and blue from 0 to 255.
##
## It needs something that draws, which Godot does not have under --headless: `sandlot train` then uses the screen
## that is there, or one in memory (Xvfb).

## Width and height of the picture.
@export var resolution := Vector2i(36, 36)
## Degrees from the lower to the upper edge.
@export_range(1.0, 170.0, 1.0, "suffix:°") var view_degrees := 75.0
## Shades of grey only: a third of the numbers.
@export var grey := false

var problem := ""  ## why there is no picture

var _pictures := SandlotPictures.new()
var _camera: Camera3D
var _moved := true  # an episode has begun: things were put elsewhere within this tick


func _ready() -> void:
	if Engine.is_editor_hint() or _camera:
		return
	_camera = Camera3D.new()
	_camera.fov = view_degrees
	_pictures.open(self, resolution).add_child(_camera)
	_camera.current = true


## Height, width and channels.
func picture_shape() -> PackedInt32Array:
	return PackedInt32Array([resolution.y, resolution.x, 1 if grey else 3])


func size() -> int:
	return resolution.x * resolution.y * (1 if grey else 3)


func sense() -> PackedFloat32Array:
	var seen := _pictures.take(grey)
	problem = _pictures.problem
	return seen


## Before pictures are drawn.
func place_camera() -> void:
	_camera.global_transform = global_transform
	_camera.force_update_transform()
	if _moved:  # what is drawn hears of a new place at the engine's next tick only
		_moved = false
		for shown: VisualInstance3D in get_viewport().find_children("*", "VisualInstance3D", true, false):
			shown.force_update_transform()


func forget() -> void:
	_moved = true
	SandlotPictures.redraw()


func _get_configuration_warnings() -> PackedStringArray:
	return SandlotEditorHints.of_sensor(self, 0)
