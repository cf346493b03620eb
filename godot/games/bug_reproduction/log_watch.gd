extends Logger
## Keeps the lines that the game prints, warns and complains, so that a known signature can be looked for in them.
##
## Needs Godot 4.5; loaded by name only where the engine has Logger. Lines come from any thread.

const MOST := 200  # lines that are kept at once

var _lines := PackedStringArray()
var _mutex := Mutex.new()


func _log_message(message: String, _is_error: bool) -> void:
	_keep(message.strip_edges())


func _log_error(
	_function: String, _file: String, _line: int, code: String, rationale: String, _notify: bool, _kind: int,
	_traces: Array
) -> void:
	_keep(rationale if rationale else code)


func _keep(line: String) -> void:
	_mutex.lock()
	if _lines.size() < MOST:
		_lines.append(line)
	_mutex.unlock()


## The lines since the last call.
func take() -> PackedStringArray:
	_mutex.lock()
	var made := _lines
	_lines = PackedStringArray()
	_mutex.unlock()
	return made
