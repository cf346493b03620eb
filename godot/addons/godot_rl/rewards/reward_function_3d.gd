class_name RewardFunction3D
extends Node3D
## Base of a reward in three dimensions that a controller adds to its own.


## Override: the reward since it was last asked for.
func get_reward() -> float:
	return 0.0


## Override: an episode begins.
func reset() -> void:
	pass
