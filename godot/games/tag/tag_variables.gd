class_name TagVariables
extends RefCounted
## The environment variables that set rules and rewards of tag, for every scene. The same table as
## src/sandlot/compat/variables.py; docs/environment.md explains each.

const TICK_RATE := 60.0
const TRUE := ["1", "true", "yes", "on"]
const FALSE := ["0", "false", "no", "off"]
const NUMBERS := {
	"AI_TIME_LIMIT_SEC": ["time_limit"],
	"AI_IMMUNITY_SEC": ["immunity_s"],
	"AI_STEP_TICK_INTERVAL": ["ticks_per_step"],
	"AI_DISTANCE_REWARD_SCALE": ["seeker_progress", "hider_progress"],
	"AI_WIN_BONUS": ["tag_bonus", "tagged_penalty"],
	"AI_TIMEOUT_HIDER_BONUS": ["hider_timeout"],
	"AI_TIMEOUT_SEEKER_PENALTY": ["seeker_timeout"],
}

var settings := {}  ## of the game, by name: only those that a variable asks for
var problem := ""  ## a variable that cannot be read


## What the variables ask for. `ticks_per_step`: of the scene, where no variable says another.
static func read(ticks_per_step := 3) -> TagVariables:
	var made := TagVariables.new()
	for name: String in NUMBERS:
		var number := made.number(name, NAN)
		if not is_nan(number):
			for setting: String in NUMBERS[name]:
				made.settings[setting] = absf(number) if name == "AI_TIMEOUT_SEEKER_PENALTY" else number
	var penalty := made.number("AI_SEEKER_TIME_PENALTY", NAN)
	if not is_nan(penalty):  # per step; the setting is per second
		var ticks: float = made.settings.get("ticks_per_step", ticks_per_step)
		made.settings.seeker_time = snappedf(absf(penalty) * TICK_RATE / maxf(1.0, ticks), 1e-9)
	if OS.get_environment("AI_IS_IT"):
		made.settings.first_is_seeker = made.flag("AI_IS_IT", true)
	if OS.get_environment("AI_MODE"):
		made.settings.mode = OS.get_environment("AI_MODE")
	return made


func number(name: String, otherwise: float) -> float:
	var text := OS.get_environment(name).strip_edges()
	if text and not text.is_valid_float():
		problem = "%s=%s: expected a number." % [name, text]
		return otherwise
	return text.to_float() if text else otherwise


func flag(name: String, otherwise: bool) -> bool:
	var text := OS.get_environment(name).strip_edges().to_lower()
	if text and text not in TRUE and text not in FALSE:
		problem = "%s=%s: expected 1 or 0." % [name, text]
		return otherwise
	return text in TRUE if text else otherwise
