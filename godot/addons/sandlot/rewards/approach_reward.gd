@tool
@icon("res://addons/sandlot/icons/reward.svg")
class_name SandlotApproachReward
extends SandlotPotentialReward
## Rewards every unit that the agent's body comes nearer to a target, and takes it back for going away.
##
## Its potential is the distance with a minus sign, so an episode earns at most the distance that it began with.

## What to approach: Node2D or Node3D as the body.
@export var target: Node
## Distance at which it counts as reached: nearer earns no more.
@export_range(0.0, 10000.0, 0.01) var reached := 0.0


func _init() -> void:
	term = &"approach"


func potential() -> float:
	var body := SandlotPlace.body_of(self)
	if body == null or not is_instance_valid(target):
		return 0.0
	return -maxf(SandlotPlace.of(body).distance_to(SandlotPlace.of(target)) - reached, 0.0)


func _get_configuration_warnings() -> PackedStringArray:
	var made := super()
	if target == null:
		made.append("There is nothing to approach. Name a node in target.")
	return made
