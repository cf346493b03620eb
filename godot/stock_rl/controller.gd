class_name StockController
extends Node
## One agent as the stock plugin knows it: a node of the group AGENT with what it sees, got and should do.
##
## A game keeps `observation`, `reward` and `done` up to date, reads `move` and `jump`, and begins anew when
## `needs_reset` is raised. It has all that our StockSync and the plugin's own Sync ask of an agent.

enum ControlModes { INHERIT_FROM_SYNC, HUMAN, TRAINING, ONNX_INFERENCE, RECORD_EXPERT_DEMOS }

var control_mode := ControlModes.TRAINING
var policy_name := "shared_policy"
var heuristic := "model"
var observation := PackedFloat32Array()
var reward := 0.0  ## since it was last read
var done := false
var needs_reset := false
var move := Vector2.ZERO
var jump := false


func _ready() -> void:
	add_to_group("AGENT")


func get_obs() -> Dictionary:
	return {"obs": observation}


func get_obs_space() -> Dictionary:
	return {"obs": {"size": [observation.size()], "space": "box"}}


func get_action_space() -> Dictionary:
	return {
		"move": {"size": 2, "action_type": "continuous"},
		"jump": {"size": 2, "action_type": "discrete"},
	}


func set_action(action: Dictionary) -> void:
	move = Vector2(action.move[0], action.move[1])
	jump = int(action.jump) == 1


func get_info() -> Dictionary:
	return {}


func get_reward() -> float:
	return reward


func zero_reward() -> void:
	reward = 0.0


func get_done() -> bool:
	return done


func set_done_false() -> void:
	done = false


func set_heuristic(by: String) -> void:
	heuristic = by


func reset() -> void:
	needs_reset = false


func reset_if_done() -> void:
	pass
