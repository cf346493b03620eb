class_name SandlotHttpSettings
extends RefCounted
## What variables and the kind of build say about the HTTP API: whether it is on, where, and how strict it is.

const ENABLE := "GODOT_ENABLE_HTTP_API"  ## true or false; without it: on in the editor and in debug builds
const ENVIRONMENT := "GODOT_ENV"  ## development, test or production; without it: by the kind of build
const PORT := "GODOT_HTTP_API_PORT"  ## 0: a free one
const TOKEN := "GODOT_HTTP_API_TOKEN"  ## a token that does not expire, of at least SHORTEST_TOKEN characters
const ENVIRONMENTS: Array[String] = ["development", "test", "production"]
const DEFAULT_PORT := 8080
const SHORTEST_TOKEN := 16

var enabled := false
var environment := "production"
var port := DEFAULT_PORT
var token := ""
var problem := ""  ## a variable that cannot be used


static func from_variables(debug := OS.is_debug_build()) -> SandlotHttpSettings:
	var made := SandlotHttpSettings.new()
	made.environment = "development" if debug else "production"
	var asked := OS.get_environment(ENABLE).strip_edges().to_lower()
	made.enabled = debug if asked == "" else asked in ["true", "1"]
	made._take_environment(OS.get_environment(ENVIRONMENT).strip_edges().to_lower())
	made._take_port(OS.get_environment(PORT).strip_edges())
	made.token = OS.get_environment(TOKEN).strip_edges()
	if made.token and made.token.length() < SHORTEST_TOKEN:
		made.problem = "%s is shorter than %d characters." % [TOKEN, SHORTEST_TOKEN]
	return made


func _take_environment(given: String) -> void:
	if given in ENVIRONMENTS:
		environment = given
	elif given:
		environment = "production"  # the strictest, where nobody knows what was meant
		problem = "%s = %s; expected %s." % [ENVIRONMENT, given, ", ".join(ENVIRONMENTS)]


func _take_port(given: String) -> void:
	if given.is_valid_int() and given.to_int() >= 0 and given.to_int() <= 65535:
		port = given.to_int()
	elif given:
		problem = "%s = %s; expected 0 to 65535." % [PORT, given]
