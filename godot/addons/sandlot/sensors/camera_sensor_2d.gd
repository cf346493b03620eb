@tool
@icon("res://addons/sandlot/icons/camera.svg")
class_name SandlotCameraSensor2D
extends Node2D
## A small picture of what is around the node, for a network with convolutions: red, green and blue from 0 to 255.
##
## The same as [SandlotCameraSensor3D] in two dimensions; it needs something that draws too.

## Width and height of the picture.
@export var resolution := Vector2i(36, 36)
## How wide the seen part of the world is, in pixels of the world.
@export_range(1.0, 100000.0, 1.0, "suffix:px") var view_width := 360.0
## Shades of grey only: a third of the numbers.
@export var grey := false

var problem := ""  ## why there is no picture

var _pictures := SandlotPictures.new()
var _camera: Camera2D


func _ready() -> void:
	if Engine.is_editor_hint() or _camera:
		return
	_camera = Camera2D.new()
	_camera.ignore_rotation = false
	_camera.zoom = Vector2.ONE * resolution.x / view_width
	var viewport := _pictures.open(self, resolution)
	viewport.world_2d = get_world_2d()
	viewport.add_child(_camera)
	_camera.make_current()


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
	_camera.force_update_scroll()


func forget() -> void:
	SandlotPictures.redraw()


func _get_configuration_warnings() -> PackedStringArray:
	return SandlotEditorHints.of_sensor(self, 0)
