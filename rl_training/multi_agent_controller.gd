extends "scene_controller.gd"
## One of up to eight robots under one policy: 12 numbers in, 2 out. Scene: res://games/multi_agent/multi_agent.tscn
##
## Paid (docs/tasks/multi_agent.md), by the room's setting `rewards`: "cooperative" for coming nearer to the three nearest and for meeting,
## "adversarial" for getting away, less 1 per collision, and 5 for whoever has the most room at the end.


func _init() -> void:
	reset_after = 1800  # ticks: 20 s at 90 per second
	policy_name = "robot"  # one policy for all


func get_obs() -> Dictionary:
	var seen := agent.observe_fields()
	var obs: Array[float] = [
		seen.position.x, seen.position.y,  # 0, 1: own X and Z / 10 m
		seen.speed,  # 2: / 5 m/s
	]
	obs.append_array(Array(seen.nearest))  # 3 to 11: dX, dZ, distance / 20 m of the nearest three; zeros where there are fewer
	return {"obs": obs}


func get_action_space() -> Dictionary:
	return axes(["move_x", "move_z"])
