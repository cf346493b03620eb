extends AIController2D

var move := Vector2.ZERO
var is_sprinting := false
var is_success := false

@onready var rays: RaycastSensor2D = $"../Rays"


func get_obs() -> Dictionary:
	var offset: Vector2 = (_player.flag.position - _player.position) / _player.SIZE
	return {"obs": [offset.x, offset.y] + rays.get_observation()}


func get_reward() -> float:
	return reward


func get_action_space() -> Dictionary:
	return {
		"move": {"size": 2, "action_type": "continuous"},
		"sprint": {"size": 2, "action_type": "discrete"},
	}


func set_action(action) -> void:
	move = Vector2(action["move"][0], action["move"][1]).limit_length(1.0)
	is_sprinting = action["sprint"] == 1


func get_info() -> Dictionary:
	return {"is_success": is_success}


# The time limit of many plugin games: counted here, and reported as done.
func _physics_process(_delta: float) -> void:
	n_steps += 1
	if n_steps > reset_after:
		is_success = false
		done = true
		needs_reset = true
