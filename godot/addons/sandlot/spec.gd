class_name SandlotSpec
extends RefCounted
## What a game says about itself: settings, observation fields, actions, reward terms. Read, never retyped.
##
## It comes from the native engine: inside the trainer's welcome, or from the JSON file that
## `sandlot godot sync` writes beside a scene.

var description := {}  ## everything that the engine says about the game, as its JSON
var config := {}  ## every setting by name, as a person would write it
var problem := ""  ## why there is no spec; empty when all is well


## The spec in a file, with its defaults under `profile` and some settings laid over them.
static func from_file(path: String, changes := {}, profile := "") -> SandlotSpec:
	var made := SandlotSpec.new()
	var reader := JSON.new()  # parse_string would complain before we can say it better
	var is_json := reader.parse(FileAccess.get_file_as_string(path)) == OK
	var parsed: Variant = reader.data if is_json else null
	if typeof(parsed) != TYPE_DICTIONARY or not parsed.has("knobs"):
		made.problem = "%s is no spec. Write it with `sandlot godot sync`." % path
		return made
	made.description = parsed
	made.config = made._defaults(profile)
	for name: String in changes:
		made._change(name, changes[name])
		if made.problem:
			break  # the first problem is reported
	return made


## The spec and settings that a trainer sent.
static func from_welcome(welcome: Dictionary) -> SandlotSpec:
	var made := SandlotSpec.new()
	made.description = welcome.spec
	made.config = welcome.config
	return made


func version() -> String:
	return description.get("version", "")


## Where a named field lies in a block ("observation", "info", "render", "episode"): (start, size).
func field(name: String, block := "observation") -> Vector2i:
	for entry: Dictionary in description.get(block, []):
		if entry.name == name:
			var size := 1
			for side: float in entry.shape:
				size *= int(side)
			return Vector2i(int(entry.start), size)
	push_error("The %s of %s has no field %s." % [block, description.get("name", "?"), name])
	return Vector2i.ZERO


func _defaults(profile: String) -> Dictionary:
	var column := maxi(description.profiles.find(profile), 0)
	var made := {}
	for knob: Dictionary in description.knobs:
		made[knob.name] = _as_written(knob, knob.defaults[column])
	return made


func _change(name: String, value: Variant) -> void:
	for knob: Dictionary in description.knobs:
		if knob.name == name:
			problem = _refusal(knob, value)
			if not problem:
				config[name] = value if knob.kind != "flag" else bool(value)
			return
	problem = "There is no setting called %s." % name


## The engine's number as a person would write it.
func _as_written(knob: Dictionary, number: float) -> Variant:
	match knob.kind:
		"choice":
			return knob.choices[int(number)]
		"flag":
			return bool(number)
		"integer":
			return int(number)
	return number


func _refusal(knob: Dictionary, value: Variant) -> String:
	if knob.kind == "choice":
		return "" if value in knob.choices else "%s = %s: expected one of %s." % [knob.name, value, knob.choices]
	var number := typeof(value) in [TYPE_INT, TYPE_FLOAT, TYPE_BOOL]
	if number and float(value) >= knob.low and float(value) <= knob.high:
		return ""
	return "%s = %s: expected a number from %s to %s." % [knob.name, value, knob.low, knob.high]
