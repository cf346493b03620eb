extends AIController3D

var push := Vector2.ZERO
var is_success := false

@onready var sensor: PositionSensor3D = $"../GoalSensor"


func get_obs() -> Dictionary:
	var seen := sensor.get_observation()
	seen.append_array([_player.velocity.x / 5.0, _player.velocity.z / 5.0, _player.position.x / 5.0, _player.position.z / 5.0])
	return {"obs": seen}


func get_reward() -> float:
	return reward


func get_action_space() -> Dictionary:
	return {"push": {"size": 2, "action_type": "continuous"}}


func set_action(action) -> void:
	push = Vector2(clampf(action["push"][0], -1.0, 1.0), clampf(action["push"][1], -1.0, 1.0))


func get_info() -> Dictionary:
	return {"is_success": is_success}


func reset() -> void:
	super.reset()
	push = Vector2.ZERO
