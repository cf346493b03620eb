class_name SandlotHttpRateLimit
extends RefCounted
## How often each endpoint of the HTTP API may be called: a bucket of tokens each, filled at a steady rate.

const PER_MINUTE := {
	"/scene": 30, "/scene/reload": 20, "/scenes": 60, "/scene/history": 100, "/health": 1200, "unauthorized": 60,
}
const DEFAULT_PER_MINUTE := 100
const RL_PER_MINUTE := 600_000  # training asks thousands of times a second

var refused := 0

var _left: Dictionary[String, float] = {}
var _seen_usec: Dictionary[String, int] = {}


static func per_minute(path: String) -> int:
	if path.begins_with("/rl/") or path in ["/input/controller", "/spacecraft/control", "/stress_test/control"]:
		return RL_PER_MINUTE
	return PER_MINUTE.get(path, DEFAULT_PER_MINUTE)


## Take a token; 0 where there was one, else the seconds until there is.
func take(path: String) -> float:
	var most := float(per_minute(path))
	var now := Time.get_ticks_usec()
	var left: float = _left.get(path, most)
	left = minf(most, left + most / 60.0 * (now - _seen_usec.get(path, now)) / 1e6)
	_seen_usec[path] = now
	if left >= 1.0:
		_left[path] = left - 1.0
		return 0.0
	_left[path] = left
	refused += 1
	return (1.0 - left) * 60.0 / most
