@tool
@icon("res://addons/sandlot/icons/position.svg")
class_name SandlotSensor
extends Node
## Base of a sensor of your own: numbers that an agent observes beside its own ones.
##
## Extending it is a convenience: any node with `sense() -> PackedFloat32Array` and `size() -> int` is a sensor,
## such as SandlotRaySensor, which has to be a Node3D. Put it below the agent or its body; it is found there.


## Override: how many numbers; never another count.
func size() -> int:
	return 0


## Override: the numbers now, each about -1 to 1.
func sense() -> PackedFloat32Array:
	return PackedFloat32Array()


## Override where you like: the names of the numbers, or of the columns where they form a table.
func labels() -> PackedStringArray:
	return PackedStringArray()


## Override where numbers are kept from one call to the next: a new episode begins.
func forget() -> void:
	pass


func _get_configuration_warnings() -> PackedStringArray:
	return SandlotEditorHints.of_sensor(self, size())
