extends AIController2D

var move := 0.0
var is_success := false


func get_obs() -> Dictionary:
	var ball: Node2D = _player.ball
	return {
		"obs": [
			(ball.position.x - _player.position.x) / _player.WIDTH,
			ball.position.y / _player.HEIGHT,
			_player.position.x / _player.WIDTH,
		]
	}


func get_reward() -> float:
	return reward


func get_action_space() -> Dictionary:
	return {"move": {"size": 3, "action_type": "discrete"}}


func set_action(action = null) -> void:
	move = action["move"] - 1 if action else Input.get_axis("ui_left", "ui_right")


func get_action() -> Array:
	return [move + 1.0]


func get_info() -> Dictionary:
	return {"is_success": is_success}
