class_name GrowthWatch
extends RefCounted
## Notices memory that grows although nothing more is shown: what the process holds since the beginning, for each
## face that is there.
##
## It looks at the smallest number of bytes per face in each of the last windows: a terrain that only moves comes back
## to the same number, also in the mountains; one that keeps what it should have dropped does not.

const WINDOW := 45  # looks
const WINDOWS := 4  # in a row, each above the one before it
const SHARE := 0.04  # by which each has to be larger

var growing := false

var _lowest: Array[float] = []
var _now := INF
var _count := 0


func look(bytes: float, faces: int) -> void:
	_now = minf(_now, bytes / maxi(faces, 1))
	_count += 1
	if _count < WINDOW:
		return
	_lowest.append(_now)
	_count = 0
	_now = INF
	if _lowest.size() > WINDOWS:
		_lowest.pop_front()
	growing = growing or _is_rising()


func clear() -> void:
	growing = false
	_lowest.clear()
	_now = INF
	_count = 0


func _is_rising() -> bool:
	if _lowest.size() < WINDOWS:
		return false
	for i in range(1, WINDOWS):
		if _lowest[i] < _lowest[i - 1] * (1.0 + SHARE):
			return false
	return true
