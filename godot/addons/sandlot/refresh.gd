@tool
class_name SandlotRefresh
extends RefCounted
## The numbers of a sensor that looks only every so many decisions, and repeats what it saw in between.

var _left := 0
var _last := PackedFloat32Array()


## What `look` returns; asked at the first call and then at every so manieth one.
func numbers(every: int, look: Callable) -> PackedFloat32Array:
	if _left <= 0:
		_last = look.call()
		_left = every
	_left -= 1
	return _last


## A new episode: what was seen is old.
func forget() -> void:
	_left = 0
