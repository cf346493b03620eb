@tool
@icon("res://addons/sandlot/icons/position.svg")
class_name SandlotPositionSensor
extends SandlotSensor
## Where other nodes are, seen from the agent's body and in its own axes, in two or three dimensions.
##
## A node that was freed is seen as zeros: an observation keeps its size.

enum Form {
	OFFSET,  ## the offset divided by [member max_distance], cut to length 1
	DIRECTION,  ## a unit vector, and the distance divided by [member max_distance]
}

## The nodes to look at, Node2D or Node3D as the body.
@export var targets: Array[Node] = []:
	set(value):
		targets = value
		if Engine.is_editor_hint():
			update_configuration_warnings()
## How a place is told.
@export var form := Form.OFFSET
## The distance that 1 stands for; what is farther away counts as this far.
@export_range(0.1, 100000.0, 0.1) var max_distance := 20.0


func size() -> int:
	return targets.size() * labels().size()


## The columns of a target by name.
func labels() -> PackedStringArray:
	var made := PackedStringArray(["x", "y", "z"]).slice(0, _dimensions())
	if form == Form.DIRECTION:
		made.append("distance")
	return made


func sense() -> PackedFloat32Array:
	var body := SandlotPlace.body_of(self)
	var out := PackedFloat32Array()
	for target in targets:
		var away := SandlotPlace.seen_from(body, SandlotPlace.of(target)) if is_instance_valid(target) else Vector3.ZERO
		if form == Form.DIRECTION:
			out.append_array(SandlotPlace.numbers(away.normalized(), _dimensions()))
			out.append(minf(away.length() / max_distance, 1.0))
		else:
			out.append_array(SandlotPlace.numbers((away / max_distance).limit_length(1.0), _dimensions()))
	return out


func _dimensions() -> int:
	return SandlotPlace.dimensions(SandlotPlace.body_of(self))


func _get_configuration_warnings() -> PackedStringArray:
	var made := super()
	if targets.is_empty():
		made.append("There is nothing to look at. Name nodes in targets.")
	return made
