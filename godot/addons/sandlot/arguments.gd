class_name SandlotArguments
extends RefCounted
## The user arguments after `--` on the command line: `--name=value` and positional ones.

var named := {}
var positional := PackedStringArray()


## Those of this process, or of a list given instead.
static func parse(arguments := OS.get_cmdline_user_args()) -> SandlotArguments:
	var made := SandlotArguments.new()
	for argument in arguments:
		if argument.begins_with("--"):
			var parts := argument.trim_prefix("--").split("=", true, 1)
			made.named[parts[0]] = parts[1] if parts.size() > 1 else "true"
		else:
			made.positional.append(argument)
	return made


func text(name: String, default := "") -> String:
	return named.get(name, default)


func integer(name: String, default := 0) -> int:
	return (named[name] as String).to_int() if named.has(name) else default


func number(name: String, default := 0.0) -> float:
	return (named[name] as String).to_float() if named.has(name) else default


func flag(name: String) -> bool:
	return named.get(name, "false") in ["true", "1", "yes"]


## Whether an environment variable is switched on: 1, true, yes, on.
static func variable(name: String) -> bool:
	return OS.get_environment(name).strip_edges().to_lower() in ["1", "true", "yes", "on"]


## Settings of the game given as `--set.name=value`, as JSON would read them.
func settings() -> Dictionary:
	var made := {}
	for name: String in named:
		if name.begins_with("set."):
			var reader := JSON.new()  # parse_string would complain about plain text
			var is_json := reader.parse(named[name]) == OK
			made[name.trim_prefix("set.")] = reader.data if is_json else named[name]
	return made
