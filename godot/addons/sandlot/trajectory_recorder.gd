@icon("res://addons/sandlot/icons/recorder.svg")
class_name SandlotTrajectoryRecorder
extends Node
## Writes what happens as JSON lines, one file an episode: `ep_00001.jsonl`, `ep_00002.jsonl`, …
##
## Every line has a `type` and `ts`, milliseconds since this node began. A file carries its full name only when
## the episode is over; until then it ends in `.part`, so that a reader never meets half an episode.

signal finished(path: String)

## Write at all.
@export var enabled := true
## Where the files go. Empty: `trajectories` of the data root, see data_paths.gd.
@export_global_dir var folder := ""
## Most megabytes of one file; a longer episode is cut there.
@export_range(1, 1024) var largest_mb := 64

var _file: FileAccess
var _path := ""
var _began_msec := Time.get_ticks_msec()


## Begin an episode's file. `facts` is what a reader needs to know first: seed, settings, who plays.
func begin(episode: int, facts := {}) -> void:
	end_file()
	if not enabled:
		return
	var place := _folder()
	DirAccess.make_dir_recursive_absolute(place)
	_path = place.path_join("ep_%05d.jsonl" % episode)
	_file = FileAccess.open(_path + ".part", FileAccess.WRITE)
	if _file == null:
		push_error("%s cannot be written: %s." % [_path, error_string(FileAccess.get_open_error())])
		enabled = false
		return
	write("episode_start", {"episode": episode}.merged(facts))


func write(type: String, facts := {}) -> void:
	if _file == null or _file.get_position() > largest_mb * 1_000_000:
		return
	var line := {"type": type, "ts": Time.get_ticks_msec() - _began_msec}
	_file.store_line(JSON.stringify(plain(line.merged(facts)), "", false))


## The value as JSON knows it: vectors and packed arrays become lists of numbers, keys become text.
static func plain(value: Variant) -> Variant:
	match typeof(value):
		TYPE_DICTIONARY:
			var made := {}
			for key: Variant in value:
				made[str(key)] = plain(value[key])
			return made
		TYPE_VECTOR2, TYPE_VECTOR2I:
			return [value.x, value.y]
		TYPE_VECTOR3, TYPE_VECTOR3I:
			return [value.x, value.y, value.z]
		TYPE_VECTOR4, TYPE_VECTOR4I, TYPE_QUATERNION:
			return [value.x, value.y, value.z, value.w]
		TYPE_COLOR:
			return [value.r, value.g, value.b, value.a]
		TYPE_BASIS:
			return [plain(value.x), plain(value.y), plain(value.z)]
		TYPE_TRANSFORM3D:
			return {"basis": plain(value.basis), "origin": plain(value.origin)}
	if typeof(value) >= TYPE_ARRAY:  # and the packed arrays after it
		return Array(value).map(plain)
	return value


## Close the episode; `facts` say how it ended.
func end(facts := {}) -> void:
	write("episode_end", facts)
	end_file()


func end_file() -> void:
	if _file == null:
		return
	_file.close()
	_file = null
	DirAccess.rename_absolute(_path + ".part", _path)
	finished.emit(_path)


func _folder() -> String:
	return folder if folder else SandlotDataPaths.trajectories()


func _exit_tree() -> void:
	end_file()
