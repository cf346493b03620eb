extends "scene_controller.gd"
## Lands a spacecraft on a pad: 14 numbers in, 5 out. Scene: res://games/landing/site.tscn
##
## Paid (docs/games/landing.md): soft landing (slower than 2 m/s) +50, hard one +10, crash -50, within 2 m of the pad +20, time over
## -20, and differences of distance, speed error and lean, which add up to less than a landing.

const FIELDS := [
	[0, "altitude / 1000 m"], [1, "velocity x, y, z / 50 m/s"], [4, "angular velocity x, y, z, rad/s"],
	[7, "pitch / pi"], [8, "roll / pi"], [9, "way to the pad x, y, z, a unit vector"], [12, "its length / 1000 m"],
	[13, "height above what a ray of 100 m down meets / 100 m; 10 where it meets nothing"],
]  ## index of the first number, and what it is


func _init() -> void:
	reset_after = 9000  # ticks: 100 s at 90 per second


func get_obs() -> Dictionary:
	return {"obs": Array(agent.observe())}


func get_action_space() -> Dictionary:
	return axes([
		"thrust_x", "thrust_y", "thrust_z",  # in the craft's frame, y from 0; together at most 1, times 10,000 N
		"rcs_pitch", "rcs_roll",  # times 500 N m
	])
