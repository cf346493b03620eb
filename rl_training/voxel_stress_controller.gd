extends "scene_controller.gd"
## Looks for what is slow in a voxel terrain: 4 numbers in, 4 out. Scene: res://games/voxel/voxel_stress.tscn
##
## Paid (docs/tasks/voxel.md): a tick over 11.11 ms +10, a chunk over 5 ms +5, more than 400 chunks +2, speed 0.1 of its mean. Train with
## an entropy coefficient of 0.1.


func _init() -> void:
	reset_after = 2700  # ticks: 30 s at 90 per second


func get_obs() -> Dictionary:
	var seen := agent.observe_fields()
	return {"obs": [
		seen.physics_frame,  # / 11.11 ms
		seen.chunk_generation,  # mean / 5 ms
		seen.active_chunks,  # / 512
		seen.voxel_memory,  # / 2048 MB
	]}


func get_action_space() -> Dictionary:
	return axes([
		"move_x", "move_z",  # direction
		"move_speed",  # from -1 to 1 stands for 0 to 20 m/s
		"teleport_distance",  # from -1 to 1 stands for 0 to 1; above 0.5 up to 30 m ahead, once a second (chaos_mode)
	])
