class_name FloatingOrigin
extends RefCounted
## Keeps what is simulated near the engine's origin, wherever on the planet that is.
##
## The engine's coordinates are 32-bit: at 1,000 km they are 6 cm apart. Places on the planet are three 64-bit numbers;
## local places are those less [member place]. When something strays farther than [member farthest], the origin follows
## it in whole metres, and `moved` tells everybody by how much to move the other way.

signal moved(by: Vector3)

## Metres from the origin at which it follows.
var farthest := 2000.0
## Of the local origin on the planet, in whole metres: x, y, z.
var place: Array[float] = [0.0, 0.0, 0.0]


## Follow a local place, where it is too far away. True when the origin moved.
func follow(local: Vector3) -> bool:
	if local.length() <= farthest:
		return false
	var step := local.round()
	place[0] += step.x
	place[1] += step.y
	place[2] += step.z
	moved.emit(-step)
	return true


## Where a local place is on the planet: three 64-bit numbers.
func on_planet(local: Vector3) -> Array[float]:
	return [place[0] + local.x, place[1] + local.y, place[2] + local.z]


## And back.
func local(x: float, y: float, z: float) -> Vector3:
	return Vector3(x - place[0], y - place[1], z - place[2])
