class_name SandlotHttpWhitelist
extends RefCounted
## Which scenes the HTTP API may load: `config/scene_whitelist.json` of the project, by environment.
##
## Checked in this order: form, traversal, canonical form, blacklist, whitelist. What is not listed is refused.

const FILE := "res://config/scene_whitelist.json"
const LISTS: Array[String] = ["scenes", "directories", "wildcards"]
const TESTS := "res://tests/"  # open in development and test, where there is no file
const LONGEST_PATH := 256
const MOST_ENTRIES := 1000
const REPLACED := 0xFFFD  # what Godot makes of a zero in a text
const ODD := "%\\*?\"<>|"  # characters that no path here has

var environment := "production"
var problem := ""  ## why the file cannot be used; then only the main scene may be loaded
var refused := 0

var _lists := {}  # environment -> {scenes, directories, wildcards}
var _patterns := PackedStringArray()  # of the blacklist
var _exact := PackedStringArray()
var _longest := LONGEST_PATH
var _file := FILE


func _init(of_environment: String, file := FILE) -> void:
	environment = of_environment
	_file = file
	reload()


## Read the file again; what was added meanwhile is forgotten.
func reload() -> void:
	problem = ""
	_lists.clear()
	_patterns.clear()
	_exact.clear()
	_longest = LONGEST_PATH
	for name: String in SandlotHttpSettings.ENVIRONMENTS:
		_lists[name] = {"scenes": [_main_scene()], "directories": [], "wildcards": []}
	if not FileAccess.file_exists(_file):
		_lists.development.directories.append(TESTS)
		_lists.test.directories.append(TESTS)
		return
	var reader := JSON.new()  # parse_string would complain in the log
	var read: Variant = reader.data if reader.parse(FileAccess.get_file_as_string(_file)) == OK else null
	if read is not Dictionary:
		problem = "%s is no JSON object." % _file
		return
	for name: String in SandlotHttpSettings.ENVIRONMENTS:
		var given: Variant = read.get("environments", read).get(name, {}) if read.get("environments", read) is Dictionary else {}
		for list in LISTS:
			_lists[name][list].append_array(_texts(given.get(list, []) if given is Dictionary else null, name + "." + list))
	var black: Variant = read.get("blacklist", {})
	if black is Dictionary:
		_patterns = PackedStringArray(_texts(black.get("patterns", []), "blacklist.patterns"))
		_exact = PackedStringArray(_texts(black.get("exact", []), "blacklist.exact"))
	else:
		problem = "blacklist of %s is no object." % _file
	var rules: Variant = read.get("validation_rules", {})
	if rules is Dictionary and (rules.get("max_path_length", LONGEST_PATH) is float or rules.get("max_path_length", LONGEST_PATH) is int):
		_longest = clampi(int(rules.get("max_path_length", LONGEST_PATH)), 16, LONGEST_PATH)
	if problem:
		for name: String in _lists:
			_lists[name] = {"scenes": [_main_scene()], "directories": [], "wildcards": []}


func _texts(given: Variant, place: String) -> Array:
	if given is not Array or not given.all(func(one: Variant) -> bool: return one is String):
		problem = "%s of %s is no list of texts." % [place, _file]
		return []
	return given


## What is wrong with a path as such: {status, error, message}; {} where nothing is.
func check_form(path: Variant) -> Dictionary:
	if path is not String or path.is_empty():
		return _wrong("missing_scene_path", "scene_path is missing; expected such as res://scenes/main.tscn.")
	var text: String = path
	if text.length() > _longest:
		return _wrong("path_too_long", "A scene path has at most %d characters." % _longest)
	if not text.begins_with("res://"):
		return _wrong("bad_scene_path", "A scene path begins with res://.")
	if ".." in text:
		return _wrong("path_traversal", "A scene path has no two dots.")
	if not text.ends_with(".tscn"):
		return _wrong("bad_scene_path", "A scene path ends with .tscn.")
	for letter in text:
		if letter.unicode_at(0) < 32 or letter.unicode_at(0) in [127, REPLACED] or letter in ODD:
			return _wrong("bad_scene_path", "A scene path has no control characters and none of %s." % ODD)
	var rest := text.trim_prefix("res://")
	if "//" in rest or ":" in rest or rest.begins_with("/") or ("/" + rest).contains("/./") or text.simplify_path() != text:
		return _wrong("path_traversal", "The scene path is not in its plain form.")
	return {}


## Whether a scene may be loaded: {} or {status, error, message}.
func check(path: Variant) -> Dictionary:
	var wrong := check_form(path)
	if not wrong and (path in _exact or Array(_patterns).any(func(one: String) -> bool: return matches(path, one))):
		wrong = {"status": 403, "error": "scene_blacklisted", "message": "%s is on the blacklist." % path}
	if not wrong and not _is_listed(path):
		wrong = {
			"status": 403, "error": "scene_not_whitelisted",
			"message": "%s may not be loaded in %s. Add it to %s." % [path, environment, _file],
		}
	refused += 1 if wrong else 0
	return wrong


func _is_listed(path: String) -> bool:
	var own: Dictionary = _lists[environment]
	if path in own.scenes:
		return true
	for directory: String in own.directories:
		if path.begins_with(directory.trim_suffix("/") + "/") and directory != "":
			return true
	return own.wildcards.any(func(one: String) -> bool: return matches(path, one))


## `*` stands for anything in one segment, `**` for anything across segments.
static func matches(path: String, pattern: String) -> bool:
	var made := ""
	var at := 0
	while at < pattern.length():
		if pattern.substr(at, 2) == "**":
			made += ".*"
			at += 2
			continue
		var letter := pattern[at]
		made += "[^/]*" if letter == "*" else ("\\" + letter if letter in ".+?()[]{}^$|\\" else letter)
		at += 1
	return RegEx.create_from_string("^" + made + "$").search(path) != null


## The lists of this environment, and the blacklist.
func describe() -> Dictionary:
	return {
		"environment": environment, "file": _file, "problem": problem, "whitelist": _lists[environment],
		"blacklist": {"patterns": Array(_patterns), "exact": Array(_exact)},
		"validation_rules": {
			"max_path_length": _longest, "allow_path_traversal": false, "require_res_prefix": true,
			"require_tscn_extension": true,
		},
	}


## Let more be loaded until the next reload. list: scenes, directories or wildcards.
func add(list: String, entry: Variant) -> String:
	if entry is not String or not entry.begins_with("res://") or ".." in entry or entry.length() > LONGEST_PATH:
		return "Expected a path that begins with res:// and has no two dots."
	if list == "directories" and entry.trim_suffix("/") in ["res:", "res:/"]:
		return "The whole project is not a directory that can be opened; name its folders."
	var own: Array = _lists[environment][list]
	if own.size() >= MOST_ENTRIES:
		return "There are %d entries already." % MOST_ENTRIES
	if entry not in own:
		own.append(entry)
	return ""


static func _main_scene() -> String:
	return str(ProjectSettings.get_setting("application/run/main_scene", ""))


static func _wrong(error: String, message: String) -> Dictionary:
	return {"status": 400, "error": error, "message": message}
