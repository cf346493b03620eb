@icon("res://addons/sandlot/icons/agent.svg")
class_name SandlotAgent
extends Node
## One thing that decides: what it observes, what it may do, what it is rewarded for.
##
## Put it below the body that it steers (2D or 3D), let its script extend this one, and override what you need:
## [method observe_fields], [method act], [method begin_episode]. A [SandlotTrainer] in the scene does the rest.
## [codeblock]
## extends SandlotAgent
##
## func _init() -> void:
##     actions = {"steer": ["left", "straight", "right"]}
##     reward_terms = ["coin", "crash"]
##
## func observe_fields() -> Dictionary:
##     return {"position": get_parent().position / 500.0, "speed": get_parent().speed / 200.0}
##
## func act(chosen: Dictionary) -> void:
##     get_parent().steer = chosen.steer - 1
## [/codeblock]

signal episode_began
signal episode_ended(terminated: bool)
## A decision was made and has not had an effect yet; `observation` is what it was made by, `numbers` what was decided.
signal decided
## The episode is over, by the game or by a limit; `last` is what was observed at its end.
signal episode_closed(last: PackedFloat32Array, by_the_game: bool)

const KINDS: Array[String] = ["axis", "button", "choice"]
const REPORTS: Array[String] = ["flag", "higher", "lower", "none", "winner"]

## What this agent plays: agents of one role share a policy.
@export var role := &"agent"
## What it decides, by name: "axis" (a number from -1 to 1), "button", or a list of options to choose from.
## A dictionary says more: {"kind": "axis", "low": 0.0, "high": 1.0, "unit": "N", "text": "main engine"}.
@export var actions := {}
## The names that [method reward] may use; their sums become part of every finished episode.
@export var reward_terms: PackedStringArray = []
## What [method report] may say of an episode: name to "flag" (it happened or not), "higher" or "lower" (a number,
## and which is better), "none" (a number, neither) or "winner" (the name of a role). A flag called `success` is
## what play is ranked by; without one it is the return.
@export var reports := {}
## Exported variables of this node, its body or the arena's root that can be set from outside, such as
## `sandlot train --set settings.speed=3`.
@export var settings: PackedStringArray = []
## Nodes that are asked for numbers, in this order. Empty: every sensor below this node or its body.
@export var sensors: Array[Node] = []
## A trained policy that plays when nobody trains: exported with `sandlot export`.
@export_file("*.onnx") var policy_path := ""
## Who decides for this agent in play: what the trainer node says, its policy, or a person.
@export_enum("auto", "policy", "human") var control := "auto"
## The policy is asked at every n-th decision; its action is repeated between. At 90 ticks per second and one tick
## per decision, 3 asks it 30 times a second.
@export_range(1, 100) var policy_every := 1

var step_reward := 0.0  ## since the last decision
var episode_return := 0.0  ## sum of rewards of the episode
var terms := {}  ## what made it up, by name
var reported := {}  ## what [method report] said in this episode
var ended := false  ## somebody called [method end_episode]
var terminated := false  ## and the game ended; false: only our watching stopped
var problem := ""  ## what the game did wrong here, for the trainer to report
var chosen := {}  ## the present action by name: a number, true or false, or the index of an option
var numbers := PackedFloat32Array()  ## the present action as a policy gives it: one number per action
var observation := PackedFloat32Array()  ## what was observed last, with its sensors
var earned := {}  ## rewards of the last whole decision, by name

var _declared: Array[Dictionary] = []
var _found: Array[Node] = []
var _helpers: Array[Node] = []  # that reward by themselves
var _earning := {}  # rewards of the present decision, by name


# ---------------------------------------------------------------- override these


## Override: what the agent knows, by name: numbers, vectors or lists of numbers, each about -1 to 1.
func observe_fields() -> Dictionary:
	return {}


## Override instead of [method observe_fields] where names do not matter.
func observe() -> PackedFloat32Array:
	var out := PackedFloat32Array()
	var fields := observe_fields()
	for field: String in fields:
		_append(out, fields[field], field)
	return out


## Override: do what was decided; it is called once for every decision. Or read [method action] at any time.
func act(_chosen: Dictionary) -> void:
	pass


## Override: what a person's keys ask for, in the form that [method act] is given. Used when nobody else decides.
func human() -> Dictionary:
	return {}


## Override: put everything back where an episode begins; draw what is random from `random`, and only from it.
func begin_episode(_random: SandlotRandom) -> void:
	pass


## Override in a game of one choice, where some options are not always allowed: one byte per option, 1 allowed.
func mask() -> PackedByteArray:
	return PackedByteArray()


# ---------------------------------------------------------------- call these


## Reward the agent, or punish it with a negative amount. The term is its name in metrics and charts.
func reward(term: StringName, amount: float) -> void:
	if ended:
		return  # the episode is over; the next one has not begun
	if not is_finite(amount):
		_fail("rewards %s with %s, which is no finite number" % [term, amount])
	elif reward_terms and not reward_terms.has(term):
		_fail("rewards %s, which its reward_terms do not list (%s)" % [term, ", ".join(reward_terms)])
	else:
		_earn(term, amount)


## The episode is over, for all agents of the arena. by_the_game: false where only our watching stops.
func end_episode(by_the_game := true) -> void:
	if not ended:
		ended = true
		terminated = by_the_game
		episode_ended.emit(by_the_game)


## Say something of the episode that [member reports] declares: report("success", true), report("coins", 12).
func report(what: StringName, value: Variant) -> void:
	if not reports.has(what):
		_fail("reports %s, which its reports do not declare (%s)" % [what, ", ".join(PackedStringArray(reports.keys()))])
	elif not ended or not reported.has(what):
		reported[what] = value


## The present action of this name: a number of an axis, true or false of a button, the index of an option.
func action(of: StringName) -> Variant:
	return chosen.get(of, 0)


## The name of the chosen option.
func option(of: StringName) -> String:
	for declared in declared_actions():
		if declared.name == of and declared.kind == "choice":
			return declared.options[int(chosen.get(of, 0))]
	return ""


# ---------------------------------------------------------------- for the trainer


## Everything observed now: own numbers, then those of the sensors.
func collect() -> PackedFloat32Array:
	var out := observe()
	for sensor in _found:
		out.append_array(sensor.call("sense"))
		if not problem and sensor.get("problem"):
			problem = "The sensor %s: %s" % [sensor.get_path(), sensor.get("problem")]
	observation = out
	return out


## What is observed now, by the names of [method declared_fields].
func named_observation() -> Dictionary:
	var made := observe_fields()
	var flat := collect()
	var at := 0
	for field in declared_fields():
		var size: int = field.shape.reduce(func(product: int, side: int) -> int: return product * side, 1)
		if not made.has(field.name):
			made[field.name] = flat.slice(at, at + size)
		at += size
	return made


## The named parts of what is observed, as in a spec's `observation`.
func declared_fields() -> Array[Dictionary]:
	var made: Array[Dictionary] = []
	var fields := observe_fields()
	for field: String in fields:
		var flat := PackedFloat32Array()
		_append(flat, fields[field], field)
		made.append({"name": field, "shape": [flat.size()]})
	var own := observe().size()
	if own != made.reduce(func(sum: int, field: Dictionary) -> int: return sum + field.shape[0], 0):
		made = [{"name": "observation", "shape": [own]}]
	for sensor in _found:
		made.append(_sensor_field(sensor, made))
	return made


## The actions as in a spec: name, kind and what belongs to it.
func declared_actions() -> Array[Dictionary]:
	if _declared.is_empty():
		for named: String in actions:
			_declared.append(_declare_action(named, actions[named]))
	return _declared


## A new episode: nothing of the old one counts.
func clear_episode() -> void:
	step_reward = 0.0
	episode_return = 0.0
	terms.clear()
	reported.clear()
	ended = false
	terminated = false
	earned = {}
	_earning = {}
	for sensor in _found:
		if sensor.has_method("forget"):
			sensor.call("forget")
	for declared in declared_actions():
		chosen[declared.name] = false if declared.kind == "button" else 0


## Everybody is in place for a new episode: those who reward by themselves take note of it.
func begin_rewards() -> void:
	for helper in _helpers:
		helper.call("begin")


## A decision is over: those who reward by themselves say what it earned, also at the end of an episode.
func settle_rewards() -> void:
	for helper in _helpers:
		_earn(helper.get("term"), helper.call("settle"))


## A decision is over, and its reward has been read.
func next_decision() -> void:
	step_reward = 0.0
	earned = _earning
	_earning = {}


## Take up what a policy decided: one number per action.
func take(decision: PackedFloat32Array) -> void:
	numbers = decision
	decided.emit()
	for i in mini(numbers.size(), declared_actions().size()):
		var declared := _declared[i]
		match declared.kind:
			"axis":
				chosen[declared.name] = remap(numbers[i], -1.0, 1.0, declared.get("low", -1.0), declared.get("high", 1.0))
			"button":
				chosen[declared.name] = numbers[i] > 0.0
			"choice":
				chosen[declared.name] = clampi(roundi(numbers[i]), 0, declared.options.size() - 1)
	act(chosen)


## Take up what a person's keys ask for.
func take_human() -> void:
	var asked := human()
	if asked:
		chosen.merge(asked, true)
	numbers = _numbers_of(chosen)
	decided.emit()
	if asked:
		act(chosen)


## Which sensors to ask: the listed ones, else those below this node and its body. Called once, in the tree.
func find_sensors() -> void:
	_found = sensors.duplicate()
	if _found.is_empty():
		_gather_sensors(self)
		var body := get_parent()
		if body and _count_agents(body) == 1:
			_gather_sensors(body)
	_helpers.clear()
	_gather_helpers(get_parent() if get_parent() and _count_agents(get_parent()) == 1 else self)


func _gather_sensors(node: Node) -> void:
	for child in node.get_children():
		if child.has_method("sense") and child.has_method("size"):
			if not _found.has(child):
				_found.append(child)
		elif child != self:
			_gather_sensors(child)


## Those who reward by themselves, such as SandlotApproachReward; their names join the declared ones.
func _gather_helpers(node: Node) -> void:
	for child in node.get_children():
		if child.has_method("settle") and child.has_method("begin"):
			_helpers.append(child)
			var term: StringName = child.get("term")
			if not reward_terms.has(term):
				reward_terms.append(term)
		else:
			_gather_helpers(child)


func _earn(term: StringName, amount: float) -> void:
	if not is_finite(amount):
		_fail("is rewarded for %s with %s, which is no finite number" % [term, amount])
		return
	step_reward += amount
	episode_return += amount
	terms[term] = terms.get(term, 0.0) + amount
	_earning[term] = _earning.get(term, 0.0) + amount


## An action by name as a policy would give it.
func _numbers_of(action_by_name: Dictionary) -> PackedFloat32Array:
	var made := PackedFloat32Array()
	for declared in declared_actions():
		var value: Variant = action_by_name.get(declared.name, 0)
		match declared.kind:
			"axis":
				made.append(remap(value, declared.get("low", -1.0), declared.get("high", 1.0), -1.0, 1.0))
			"button":
				made.append(1.0 if value else -1.0)
			_:
				made.append(float(value))
	return made


static func _count_agents(node: Node) -> int:
	var count := 1 if node is SandlotAgent else 0
	for child in node.get_children():
		count += _count_agents(child)
	return count


func _sensor_field(sensor: Node, before: Array[Dictionary]) -> Dictionary:
	var base := String(sensor.name).to_snake_case()
	var field := base
	var count := 1
	while before.any(func(one: Dictionary) -> bool: return one.name == field):
		count += 1
		field = "%s_%d" % [base, count]
	var size := int(sensor.call("size"))
	if sensor.has_method("picture_shape"):
		return {"name": field, "shape": Array(sensor.call("picture_shape")), "image": true, "low": 0.0, "high": 255.0}
	var labels: PackedStringArray = sensor.call("labels") if sensor.has_method("labels") else PackedStringArray()
	var wide := labels.size()
	if wide and size != wide and size % wide == 0:
		return {"name": field, "shape": [size / wide, wide], "labels": labels}
	return {"name": field, "shape": [size], "labels": labels}


func _declare_action(named: String, given: Variant) -> Dictionary:
	var made := {"name": named, "kind": "choice"}
	if given is Dictionary:
		made.merge(given, true)
	elif given is Array or given is PackedStringArray:
		made.options = PackedStringArray(given)
	else:
		made.kind = str(given)
	if made.kind not in KINDS:
		_fail("has an action %s = %s; expected axis, button or a list of options" % [named, given])
	return made


func _append(out: PackedFloat32Array, value: Variant, field: String) -> void:
	match typeof(value):
		TYPE_FLOAT, TYPE_INT, TYPE_BOOL:
			out.append(float(value))
		TYPE_VECTOR2, TYPE_VECTOR2I:
			out.append_array([value.x, value.y])
		TYPE_VECTOR3, TYPE_VECTOR3I:
			out.append_array([value.x, value.y, value.z])
		TYPE_QUATERNION, TYPE_VECTOR4, TYPE_VECTOR4I:
			out.append_array([value.x, value.y, value.z, value.w])
		TYPE_ARRAY, TYPE_PACKED_FLOAT32_ARRAY, TYPE_PACKED_FLOAT64_ARRAY, TYPE_PACKED_INT32_ARRAY, \
		TYPE_PACKED_INT64_ARRAY, TYPE_PACKED_BYTE_ARRAY:
			for entry: Variant in value:
				_append(out, entry, field)
		_:
			_fail("observes %s = %s, which is %s; expected numbers, vectors or lists of them"
				% [field, value, type_string(typeof(value))])


func _fail(what: String) -> void:
	if not problem:
		problem = "The agent %s %s." % [get_path() if is_inside_tree() else name, what]
