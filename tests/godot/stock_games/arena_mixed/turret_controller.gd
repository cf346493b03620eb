extends AIController2D

var turn := 0.0
var is_firing := false
var is_success := false


func get_obs() -> Dictionary:
	var error: float = _player.error()
	return {"obs": [sin(error), cos(error), _player.reload / float(_player.RELOAD), _player.hits / 3.0]}


func get_reward() -> float:
	return reward


func get_action_space() -> Dictionary:
	return {
		"fire": {"size": 2, "action_type": "discrete"},
		"turn": {"size": 1, "action_type": "continuous"},
	}


func set_action(action) -> void:
	turn = clampf(action["turn"][0], -1.0, 1.0)
	is_firing = action["fire"] == 1


func get_info() -> Dictionary:
	return {"is_success": is_success}


func get_hits() -> int:
	return _player.hits
