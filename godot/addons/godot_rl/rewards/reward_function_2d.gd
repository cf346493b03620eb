class_name RewardFunction2D
extends Node2D
## Base of a reward in two dimensions that a controller adds to its own.


## Override: the reward since it was last asked for.
func get_reward() -> float:
	return 0.0


## Override: an episode begins.
func reset() -> void:
	pass
