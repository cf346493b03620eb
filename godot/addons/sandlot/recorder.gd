class_name SandlotRecorder
extends Node
## Writes what happens as JSON lines, one file an episode: `ep_00001.jsonl`, `ep_00002.jsonl`, …
##
## Every line has a `type` and `ts`, milliseconds since this node began. A file carries its full name only when
## the episode is over; until then it ends in `.part`, so that a reader never meets half an episode.

signal finished(path: String)

## Write at all.
@export var enabled := true
## Where the files go. Empty: the variable AI_TRAJECTORIES_DIR, else data/trajectories beside the project.
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
	_file.store_line(JSON.stringify(line.merged(facts), "", false))


## Close the episode; `facts` tell how it ended.
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
	for candidate: String in [folder, OS.get_environment("AI_TRAJECTORIES_DIR")]:
		if candidate:
			return candidate
	return ProjectSettings.globalize_path("res://").path_join("../data/trajectories").simplify_path()


func _exit_tree() -> void:
	end_file()
