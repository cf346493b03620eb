class_name ApproachNodeReward2D
extends RewardFunction2D
## Pays for coming closer to a node than ever before in the episode; going back and forth earns nothing.

## The node to approach.
@export var target_node: Node2D
## Reward per unit of distance.
@export var reward_scale := 1.0

var _best := INF  # distance; INF before the first look


func get_reward() -> float:
	if not is_instance_valid(target_node):
		return 0.0
	var distance := global_position.distance_to(target_node.global_position)
	var closer := 0.0 if is_inf(_best) else maxf(_best - distance, 0.0)
	_best = minf(_best, distance)
	return closer * reward_scale


func reset() -> void:
	_best = INF
