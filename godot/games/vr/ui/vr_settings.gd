class_name VrSettings
extends RefCounted
## What a wearer sets, and that it is still set after a restart: section `vr` of a file.

const FILE := "user://vr_settings.cfg"
const SECTION := "vr"
const DEFAULTS := {
	"comfort_mode": true, "vignetting_enabled": true, "vignetting_intensity": 0.7, "snap_turn_enabled": true,
	"snap_turn_angle": 45.0, "stationary_mode": false, "night": false,
}

var values := DEFAULTS.duplicate()
var path := FILE  ## empty: kept in memory only, as in training, where many arenas would write one file

var _memory := ""


## Read what was saved; what was not keeps its default. Entries that are no settings are left alone.
func restore() -> void:
	var file := ConfigFile.new()
	var wrong := file.load(path) if path else file.parse(_memory)
	values = DEFAULTS.duplicate()
	for name: String in DEFAULTS if wrong == OK else {}:
		var value: Variant = file.get_value(SECTION, name, DEFAULTS[name])
		if typeof(value) == typeof(DEFAULTS[name]):
			values[name] = value


## Set and save at once: whoever takes the headset off does not press a button for it.
func put(name: String, value: Variant) -> Error:
	values[name] = value
	var file := ConfigFile.new()
	for one: String in values:
		file.set_value(SECTION, one, values[one])
	if path.is_empty():
		_memory = file.encode_to_text()
		return OK
	var wrong := file.save(path + ".new")
	return wrong if wrong else DirAccess.rename_absolute(path + ".new", path)


## Forget everything that was saved.
func clear() -> void:
	values = DEFAULTS.duplicate()
	_memory = ""
	if path and FileAccess.file_exists(path):
		DirAccess.remove_absolute(path)
