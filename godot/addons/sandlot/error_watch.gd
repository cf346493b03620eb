extends Logger
## Keeps the first script error, so that training stops at it instead of learning in a broken game.
##
## Needs Godot 4.5; loaded by name only where the engine has Logger.

var text := ""
var _mutex := Mutex.new()


func _log_error(
	function: String, file: String, line: int, code: String, rationale: String, _notify: bool, kind: int, _traces: Array
) -> void:
	if kind != ERROR_TYPE_SCRIPT:
		return
	_mutex.lock()
	if not text:
		text = "%s:%d, in %s: %s" % [file, line, function, rationale if rationale else code]
	_mutex.unlock()
