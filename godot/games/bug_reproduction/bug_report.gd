class_name BugReport
extends RefCounted
## Writes a fault that was found into a folder: state, replay, and a page that can be attached to an issue.

const FOLDER := "bug_reports"
const SCENE := "res://games/bug_reproduction/bug_reproduction.tscn"


## found: target, signature, line, seed (text), settings, actions and the minimal ones (of each tick), state. Returns the
## folder, or "" with an error in the log.
static func write(found: Dictionary) -> String:
	var folder := SandlotDataPaths.root().path_join(FOLDER).path_join("%s_%s" % [found.target, found.seed])
	if DirAccess.make_dir_recursive_absolute(folder) != OK:
		printerr("The report of %s cannot be written: no folder %s." % [found.target, folder])
		return ""
	var replay := {
		"scene": SCENE, "seed": found.seed, "settings": found.settings, "signature": found.signature, "line": found.line,
		"actions": found.minimal.map(func(row: Array) -> Array: return [row]),
	}
	var whole := replay.merged({"actions": found.actions.map(func(row: Array) -> Array: return [row])}, true)
	var texts := {
		"state.json": JSON.stringify(found.state, "\t", true, true), "replay.json": JSON.stringify(replay, "", true, true),
		"replay_whole.json": JSON.stringify(whole, "", true, true), "report.md": page(found, folder),
	}
	for name: String in texts:
		if not _put(folder.path_join(name), texts[name]):
			return ""
	return folder


static func _put(path: String, text: String) -> bool:
	var file := FileAccess.open(path + ".new", FileAccess.WRITE)
	if file == null:
		printerr("%s cannot be written: %s." % [path, error_string(FileAccess.get_open_error())])
		return false
	file.store_string(text)
	file.close()
	return DirAccess.rename_absolute(path + ".new", path) == OK


static func page(found: Dictionary, folder: String) -> String:
	var words := PackedStringArray(["--replay=%s" % folder.path_join("replay.json")])
	for name: String in found.settings:
		words.append("--set.%s=%s" % [name, found.settings[name]])
	return "\n".join([
		"# %s" % String(found.target).replace("_", " ").capitalize(), "",
		"Found by an agent. The log says:", "", "```", found.line, "```", "",
		"| | |", "|---|---|",
		"| signature | `%s` |" % found.signature,
		"| scene | `%s` |" % SCENE,
		"| seed | %s |" % found.seed,
		"| engine | Godot %s, %s |" % [Engine.get_version_info().string, OS.get_name()],
		"| time until it happened | %.1f s, of which %.1f s are needed |" % [found.actions.size() / 90.0, found.minimal.size() / 90.0],
		"", "## Steps", "", "From the start of the scene with this seed:", "", "| seconds | turn | move |", "|---|---|---|",
		steps(found.minimal), "", "Or by itself:", "", "```sh",
		"sandlot godot run %s -- %s" % [SCENE, " ".join(words)], "```", "",
		"`state.json` holds everything at the moment of the fault, `replay_whole.json` all actions of the episode.", "",
	])


## Actions as rows of a table; equal ones in a row are one row.
static func steps(actions: Array) -> String:
	var rows := PackedStringArray()
	var began := 0
	for i in range(1, actions.size() + 1):
		if i == actions.size() or actions[i] != actions[began]:
			rows.append("| %.2f | %+.2f | %+.2f |" % [(i - began) / 90.0, actions[began][0], actions[began][1]])
			began = i
	return "\n".join(rows)
