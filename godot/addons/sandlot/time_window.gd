class_name SandlotTimeWindow
extends RefCounted
## The last so many times, with their mean, longest and shortest; 0 where there is none yet.

var _times := PackedFloat64Array()
var _size: int
var _next := 0


func _init(size: int) -> void:
	_size = size


func add(time_ms: float) -> void:
	if _times.size() < _size:
		_times.append(time_ms)
	else:
		_times[_next] = time_ms
	_next = (_next + 1) % _size


func clear() -> void:
	_times.clear()
	_next = 0


func mean() -> float:
	var sum := 0.0
	for time in _times:
		sum += time
	return sum / maxi(_times.size(), 1)


func longest() -> float:
	return Array(_times).max() if _times else 0.0


func shortest() -> float:
	return Array(_times).min() if _times else 0.0
