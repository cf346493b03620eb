class_name RGBCameraSensor2D
extends Node2D
## A camera as observation: the picture around the node, as text for a key of get_obs() with "2d" in its name.
##
## Needs a window; under --headless nothing is drawn, and the game ends with a sentence.

const CameraPixels := preload("../camera_pixels.gd")

## How close the camera is.
@export var camera_zoom_factor := Vector2(0.1, 0.1)
## Of the picture that is drawn, in pixels.
@export var render_image_resolution := Vector2i(36, 36)
## Of the picture in a corner of the window; 0 shows none.
@export var displayed_image_scale_factor := Vector2(8.0, 8.0)
## Whether the picture is made smaller before it is observed.
@export var downscale_image := false
## Show the smaller picture instead of the one that was drawn.
@export var display_downscaled_image := true
## Of the smaller picture, in pixels.
@export var resized_image_resolution := Vector2i(36, 36)

var _viewport := SubViewport.new()
var _camera := Camera2D.new()
var _shown: TextureRect


func _ready() -> void:
	_viewport.size = render_image_resolution
	_viewport.render_target_update_mode = SubViewport.UPDATE_ALWAYS
	_viewport.world_2d = get_world_2d()
	_camera.zoom = camera_zoom_factor
	_viewport.add_child(_camera)
	add_child(_viewport)
	var follow := RemoteTransform2D.new()
	add_child(follow)
	follow.remote_path = follow.get_path_to(_camera)
	if displayed_image_scale_factor.x > 0.0:
		_show()


## [channels, height, width] of the picture; 4 channels where the background is transparent.
func get_camera_shape() -> Array:
	var size := _size()
	return [CameraPixels.channels(_viewport), size.y, size.x]


## The bytes of the picture in lower-case hexadecimal.
func get_camera_pixel_encoding() -> String:
	var pixels := CameraPixels.new()
	var image := pixels.image_of(_viewport, _size())
	if image == null:
		printerr("godot_rl: %s: %s." % [get_path(), pixels.problem])
		get_tree().quit(1)
		return ""
	if _shown and downscale_image and display_downscaled_image:
		_shown.texture = ImageTexture.create_from_image(image)
	return CameraPixels.hex(image)


func _size() -> Vector2i:
	return resized_image_resolution if downscale_image else render_image_resolution


func _show() -> void:
	var layer := CanvasLayer.new()
	_shown = TextureRect.new()
	_shown.texture = _viewport.get_texture()
	_shown.texture_filter = CanvasItem.TEXTURE_FILTER_NEAREST
	_shown.expand_mode = TextureRect.EXPAND_IGNORE_SIZE
	_shown.size = Vector2(render_image_resolution) * displayed_image_scale_factor
	layer.add_child(_shown)
	add_child(layer)
