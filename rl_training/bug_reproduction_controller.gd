extends "scene_controller.gd"
## Makes a known bug show itself and writes it down. Scene: res://games/bug_reproduction/bug_reproduction.tscn
##
## Paid (docs/tasks/bug_reproduction.md): +100 when the bug's signature appears in the log, which ends the episode; turning faster than
## 2 rad/s pays 10 in an episode at most, or +1 per decision with the agent's setting shaping = "as_written". On a hit the scene saves
## state, seed, the actions that are needed, and a page for an issue.

## The bug to reproduce; BugRoom.SIGNATURES says what the log says of it.
@export_enum("voxel_chunk_race_condition", "voxel_queue_overflow") var target_bug := "voxel_chunk_race_condition"


func _init() -> void:
	reset_after = 2700  # ticks: 30 s at 90 per second


func _ready() -> void:
	(get_parent() as BugRoom).target = target_bug
	super()


func get_obs() -> Dictionary:
	var seen := agent.observe_fields()
	return {"obs": [
		seen.turn_rate,  # / 4 rad/s
		seen.heading.x, seen.heading.y,  # sine and cosine
		seen.speed,  # / 10 m/s
		seen.in_flight, seen.requests,  # chunks that workers are busy with, and asked for since the last decision; / 32
		seen.oldest,  # longest wait of a request / 18 ticks
		seen.place.x, seen.place.y,  # / 100 m
	]}


func get_action_space() -> Dictionary:
	return axes(["turn", "move"])  # of 4 rad/s and 10 m/s


func get_info() -> Dictionary:
	var room: BugRoom = get_parent()
	return super().merged({"bug": room.hit, "report": room.report_folder})
