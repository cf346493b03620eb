@tool
@icon("res://addons/sandlot/icons/reward.svg")
class_name SandlotPotentialReward
extends Node
## Rewards the growth of a potential: at every decision `scale · (gamma · potential now − potential before)`.
##
## Over an episode it sums up to the potential's difference between end and start (with gamma 1), however long the
## way was: walking in circles earns nothing, and neither does waiting beside the goal. Put it below the agent, and
## name a number of another node, or extend this script and override [method potential].

## What the reward is called in metrics and charts.
@export var term := &"progress"
## What one unit of potential is worth.
@export_range(-1000.0, 1000.0, 0.001, "or_less", "or_greater") var scale := 1.0
## The trainer's discount per decision leaves the best policy as it is, exactly; 1 keeps sums easy to read.
@export_range(0.0, 1.0, 0.0001) var gamma := 1.0
## Whose number is the potential; empty where [method potential] is overridden.
@export var of_node: Node
## The number's name: a variable, or a method without arguments.
@export var property := &""

var _before := 0.0


## Override: a number that grows as things get better.
func potential() -> float:
	if of_node == null:
		return 0.0
	return float(of_node.call(property) if of_node.has_method(property) else of_node.get(property))


## A new episode begins here.
func begin() -> void:
	_before = potential()


## What the decision that ends now has earned.
func settle() -> float:
	var now := potential()
	var earned := scale * (gamma * now - _before)
	_before = now
	return earned


func _get_configuration_warnings() -> PackedStringArray:
	var made := SandlotEditorHints.of_helper(self)
	var own: Script = get_script()
	if own.get_global_name() == &"SandlotPotentialReward" and (of_node == null or not property):
		made.append("There is no potential. Name a node in of_node and its number in property, or extend this script.")
	return made
