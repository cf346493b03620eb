class_name TagHuman
extends TagPlayer
## A person at the keyboard: W A S D or arrows move as the camera sees it, Space jumps.

var _camera: TagCamera


func _init(camera: TagCamera) -> void:
	_camera = camera


func act(observation: PackedFloat32Array) -> PackedFloat32Array:
	var right := _held([KEY_D, KEY_RIGHT]) - _held([KEY_A, KEY_LEFT])
	var away := _held([KEY_W, KEY_UP]) - _held([KEY_S, KEY_DOWN])
	var to_camera := _camera.side() if _camera else Vector2.DOWN
	var way := (Vector2(to_camera.y, -to_camera.x) * right - to_camera * away).limit_length(1.0)
	return toward(way, Vector2(observation[7], observation[8]), _held([KEY_SPACE]) > 0.0)


static func _held(keys: Array) -> float:
	for key: Key in keys:
		if Input.is_physical_key_pressed(key):
			return 1.0
	return 0.0
