extends RefCounted
## VR navigation's words of the HTTP API for this scene: a thumbstick with limits, or one of seven choices.
##
## `{move_horizontal, move_vertical, rotate}` with `max_movement_speed` (m/s) and `max_rotation_speed` (degrees/s), or
## `{action_index}`. A choice holds the stick for one decision; how far that goes is the body's own speed, so
## `move_distance` and `turn_angle` change nothing.

const STICK: PackedStringArray = ["move_horizontal", "move_vertical", "rotate"]
const LIMITS: PackedStringArray = ["max_movement_speed", "max_rotation_speed"]
const CHOICE: PackedStringArray = ["action_index", "move_distance", "turn_angle"]
## Of the stick: right, ahead, turn right. By action_index: forward, back, left, right, turn left, turn right, idle.
const CHOICES: Array[Vector3] = [
	Vector3(0, 1, 0), Vector3(0, -1, 0), Vector3(-1, 0, 0), Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 0, 1), Vector3.ZERO
]


## In the words of the scene's agent; what is none of these words stays as it is.
static func read(action: Dictionary, player: VrPlayer, named: Callable) -> Dictionary:
	var words := CHOICE if action.has("action_index") else STICK + LIMITS
	var own := {}
	var rest := {}
	for key: String in action:
		var is_own := key in words and (action[key] is float or action[key] is int)
		(own if is_own else rest)[key] = action[key]
	if own.is_empty():
		return action
	var stick := _chosen(own) if own.has("action_index") else _limited(own, player)
	if stick == Vector3.INF:
		return action
	return named.call(Vector2(stick.x, stick.y), stick.z, false).merged(rest, true)


static func _chosen(own: Dictionary) -> Vector3:
	var index := float(own.action_index)
	return CHOICES[int(index)] if index == floorf(index) and index >= 0 and index < CHOICES.size() else Vector3.INF


static func _limited(own: Dictionary, player: VrPlayer) -> Vector3:
	var move := clampf(own.get("max_movement_speed", player.max_speed) / player.max_speed, 0.0, 1.0)
	var turn := 1.0  # a snap has no speed
	if player.turning == 1:
		turn = clampf(own.get("max_rotation_speed", player.smooth_degrees) / player.smooth_degrees, 0.0, 1.0)
	return Vector3(own.get("move_horizontal", 0.0) * move, own.get("move_vertical", 0.0) * move, own.get("rotate", 0.0) * turn)


## What POST /rl/step says has happened.
static func info(player: VrPlayer, has_arrived: bool) -> Dictionary:
	return {
		"goal_reached": has_arrived, "collision": player.contact, "fell": player.camera.global_position.y < -10.0,
		"comfort_score": player.comfort.score, "vignette": player.comfort.vignette, "teleported": player.teleports > 0,
	}
