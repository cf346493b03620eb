extends "scene_controller.gd"
## Walks somebody in VR to a waypoint: 12 numbers in, 4 out. Scene: res://scenes/features/vr_locomotion_test.tscn
##
## Paid (docs/tasks/locomotion.md says what differs from the guide, and why): waypoint +10, coming nearer 0.5 per metre, something
## close ahead -1, a hasty turn -0.1, time over -5. The agent's setting shaping = "as_written" pays the guide's own terms:
## +0.01 per tick, 0.1 / max(distance, 1) per tick.


func _init() -> void:
	reset_after = 5400  # ticks: 60 s at 90 per second


func get_obs() -> Dictionary:
	var seen := agent.observe_fields()
	var obs: Array[float] = [
		seen.waypoint_direction.x, seen.waypoint_direction.y,  # 0, 1: X and Z of the way to the waypoint, a unit vector
		seen.waypoint_distance,  # 2: / 20 m, 0 to 1
		seen.body_yaw.x, seen.body_yaw.y,  # 3, 4: sine and cosine
		seen.velocity.x, seen.velocity.y,  # 5, 6: X and Z / 5 m/s
	]
	for hit: bool in seen.obstacles:  # 7, 8, 9: 2 m ahead, and 2.12 m to the left and the right
		obs.append(float(hit))
	obs.append_array([seen.camera_pitch, seen.camera_yaw])  # 10, 11: / pi
	return {"obs": obs}


func get_action_space() -> Dictionary:
	return axes([
		"move_x",  # -1 left, 1 right; 3 m/s
		"move_z",  # -1 back, 1 forward
		"rotate",  # beyond a half it snaps by 30 degrees, every 0.3 s at most
		"teleport",  # from -1 to 1 stands for 0 to 1; beyond 0.5 it goes 3 m ahead, once a second, through no wall
	])
