class_name SandlotSceneSpec
extends RefCounted
## The spec of a scene's game, made from its agents: what the hello message sends to the trainer.
##
## docs/ws_protocol.md describes the document; src/sandlot/spec/document.py checks it.

const UNBOUNDED := 1e30

var document := {}
var problem := ""  ## why there is none

var _arena: SandlotArena
var _roles := {}  ## role to its first agent


static func of(arena: SandlotArena, about: Dictionary) -> SandlotSceneSpec:
	var made := SandlotSceneSpec.new()
	made._arena = arena
	made.document = about
	made._describe()
	return made


## The names of the rewarded terms, as in the episode field `terms`: with their role where there are several.
static func term_names(arena: SandlotArena) -> PackedStringArray:
	var made := PackedStringArray()
	for pair in terms_of(arena):
		made.append(pair[2])
	return made


## [role, term, name] of every reward term.
static func terms_of(arena: SandlotArena) -> Array[Array]:
	var several := roles_of(arena).size() > 1
	var made: Array[Array] = []
	for role: StringName in roles_of(arena):
		for agent in arena.agents:
			for term in agent.reward_terms if agent.role == role else PackedStringArray():
				var one := [role, StringName(term), "%s_%s" % [role, term] if several else term]
				if not made.has(one):
					made.append(one)
	return made


static func roles_of(arena: SandlotArena) -> Array[StringName]:
	var made: Array[StringName] = []
	for agent in arena.agents:
		if not made.has(agent.role):
			made.append(agent.role)
	return made


func _describe() -> void:
	if _arena.agents.is_empty():
		problem = (
			"The arena %s has no SandlotAgent below it. Add one below the body that it steers, with a script that "
			+ "extends SandlotAgent."
		) % _arena.root.name
		return
	var fields := {}
	var actions := {}
	var agent_roles: Array[String] = []
	var paths: Array[String] = []
	for agent in _arena.agents:
		var path := String(agent.get_path())
		agent_roles.append(agent.role)
		paths.append(String(_arena.root.get_path_to(agent)))
		var own := agent.declared_fields()
		var does := agent.declared_actions()
		if agent.problem:
			problem = agent.problem
		elif does.is_empty():
			problem = "The agent %s has no actions. Set them, such as actions = {\"steer\": [\"left\", \"right\"]}." % path
		elif _size(own) == 0:
			problem = "The agent %s observes nothing. Override observe_fields, or put a sensor below it." % path
		elif agent.role in fields:
			problem = _difference(_roles[agent.role], agent, fields[agent.role], own, actions[agent.role], does)
		if problem:
			return
		if agent.role not in fields:
			fields[agent.role] = own
			actions[agent.role] = does
			_roles[agent.role] = agent
		_arena.sizes.append(_size(own))
	document.agent_roles = agent_roles
	document.agent_paths = paths
	_lay_out("observation", fields)
	_lay_out("actions", actions)
	document.reward_terms = terms_of(_arena).map(
		func(one: Array) -> Dictionary: return {"name": one[2], "role": one[0]}
	)
	document.knobs = _knobs()
	document.masked = _arena.agents.any(func(agent: SandlotAgent) -> bool: return not agent.mask().is_empty())
	_describe_episode()


## One list where all roles have the same, else one for each.
func _lay_out(block: String, by_role: Dictionary) -> void:
	var lists := by_role.values()
	if lists.all(func(one: Array) -> bool: return one == lists[0]):
		document[block] = lists[0]
	else:
		document["role_" + block] = by_role


func _difference(
	first: SandlotAgent, agent: SandlotAgent, fields: Array, own: Array, actions: Array, does: Array
) -> String:
	var both := [agent.role, first.get_path(), agent.get_path()]
	if _size(fields) != _size(own):
		return "Two agents of the role %s differ: %s observes %d numbers, %s %d. Give them different roles." % [
			both[0], both[1], _size(fields), both[2], _size(own)
		]
	if actions != does:
		return "Two agents of the role %s differ in their actions: %s and %s. Give them different roles." % both
	return ""


static func _size(fields: Array) -> int:
	var sum := 0
	for field: Dictionary in fields:
		sum += field.shape.reduce(func(product: int, side: int) -> int: return product * side, 1)
	return sum


# ---------------------------------------------------------------- episodes


func _describe_episode() -> void:
	var made: Array[Dictionary] = []
	var declared := _reports()
	for what: String in declared:
		var kind: String = declared[what]
		if kind not in SandlotAgent.REPORTS:
			problem = "reports names %s = %s; expected %s." % [what, kind, ", ".join(PackedStringArray(SandlotAgent.REPORTS))]
			return
		if kind == "winner":
			made.append(_winner(what))
		elif kind == "flag":
			var succeeded := what == "success"
			made.append({"name": what, "kind": "flag", "better": "higher" if succeeded else "none", "headline": succeeded})
		else:
			made.append({"name": what, "better": kind})
	var roles := roles_of(_arena)
	made.append({"name": "return", "better": "higher", "text": "sum of rewards, mean over the agents"})
	if roles.size() > 1:
		for role in roles:
			made.append({"name": "return_%s" % role, "text": "sum of rewards, mean over its agents"})
	made.append({"name": "steps"})
	made.append({"name": "ticks"})
	made.append({"name": "duration_s", "unit": "s"})
	var terms := term_names(_arena)
	if terms:
		made.append({"name": "terms", "shape": [terms.size()], "labels": terms, "text": "sums of rewards by name"})
	document.episode = made


func _reports() -> Dictionary:
	var made := {}
	for agent in _arena.agents:
		made.merge(agent.reports)
	return made


func _winner(what: String) -> Dictionary:
	var labels: Array[String] = ["nobody"]
	document.outcomes = []
	for role in roles_of(_arena):
		labels.append(role)
	for role in roles_of(_arena):
		for label in labels:
			var means := "win" if label == String(role) else ("draw" if label == "nobody" else "loss")
			document.outcomes.append({"role": role, "field": what, "equals": label, "means": means})
	return {"name": what, "kind": "outcome", "labels": labels}


## The numbers of an episode that is over, in the order of the document.
static func episode_block(arena: SandlotArena, fields: Array, tick_rate: float) -> PackedFloat32Array:
	var made := PackedFloat32Array()
	for field: Dictionary in fields:
		var name: String = field.name
		match name:
			"return":
				made.append(_mean_return(arena, &""))
			"steps":
				made.append(arena.steps)
			"ticks":
				made.append(arena.ticks)
			"duration_s":
				made.append(arena.ticks / tick_rate)
			"terms":
				for one in terms_of(arena):
					made.append(_mean_term(arena, one[0], one[1]))
			_:
				made.append(_reported(arena, field))
	return made


static func _mean_return(arena: SandlotArena, role: StringName) -> float:
	var sum := 0.0
	var count := 0
	for agent in arena.agents:
		if not role or agent.role == role:
			sum += agent.episode_return
			count += 1
	return sum / maxi(count, 1)


static func _mean_term(arena: SandlotArena, role: StringName, term: StringName) -> float:
	var sum := 0.0
	var count := 0
	for agent in arena.agents:
		if agent.role == role:
			sum += agent.terms.get(term, 0.0)
			count += 1
	return sum / maxi(count, 1)


static func _reported(arena: SandlotArena, field: Dictionary) -> float:
	var name: String = field.name
	var value: Variant = arena.reported(name)
	if field.get("kind") == "outcome":
		return maxi(field.labels.find(str(value)), 0)
	if value == null:
		return _mean_return(arena, name.trim_prefix("return_")) if name.begins_with("return_") else 0.0
	return float(value)


# ---------------------------------------------------------------- settings


func _knobs() -> Array[Dictionary]:
	var made: Array[Dictionary] = []
	var names := PackedStringArray()
	for one in _arena.settings():
		var setting: String = one[0]
		if names.has(setting):
			continue  # one setting of several nodes: all of them get its value
		names.append(setting)
		if one[1] == null:
			problem = "The setting %s is declared in %s, but no exported variable has that name." % [
				setting, _arena.root.name
			]
			return made
		made.append(_knob(one[1], setting))
	return made


func _knob(node: Node, setting: String) -> Dictionary:
	for property in node.get_property_list():
		if property.name == setting:
			var value: Variant = node.get(setting)
			var path := node.name if node == _arena.root else _arena.root.get_path_to(node)
			var made := {"name": setting, "text": "exported by %s" % path}
			match property.type:
				TYPE_BOOL:
					made.merge({"kind": "flag", "low": 0, "high": 1, "defaults": [float(value)]})
				TYPE_INT, TYPE_FLOAT:
					_number_knob(made, property, value)
				TYPE_STRING:
					var choices: PackedStringArray = property.hint_string.split(",")
					made.merge({"kind": "choice", "choices": choices, "low": 0, "high": choices.size() - 1})
					made.defaults = [maxi(choices.find(value), 0)]
				_:
					problem = "The setting %s of %s is %s; expected a number, true or false, or an enum." % [
						setting, node.get_path(), type_string(property.type)
					]
			return made
	return {}


func _number_knob(made: Dictionary, property: Dictionary, value: Variant) -> void:
	if property.hint == PROPERTY_HINT_ENUM:
		var choices := PackedStringArray()
		var default := 0
		for entry: String in property.hint_string.split(","):
			var parts := entry.split(":")
			var number := parts[1].to_int() if parts.size() > 1 else choices.size()
			default = choices.size() if number == value else default
			choices.append(parts[0].strip_edges())
		made.merge({"kind": "choice", "choices": choices, "low": 0, "high": choices.size() - 1, "defaults": [default]})
		return
	made.merge({"kind": "integer" if property.type == TYPE_INT else "float", "defaults": [value]})
	made.merge({"low": -UNBOUNDED, "high": UNBOUNDED})
	if property.hint == PROPERTY_HINT_RANGE:
		var parts: PackedStringArray = property.hint_string.split(",")
		if not parts.has("or_less"):
			made.low = parts[0].to_float()
		if not parts.has("or_greater"):
			made.high = parts[1].to_float()
		for part in parts:
			if part.begins_with("suffix:"):
				made.unit = part.trim_prefix("suffix:")
