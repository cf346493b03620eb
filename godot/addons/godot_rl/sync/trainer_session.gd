extends RefCounted
## Plays with a trainer: one decision tick after the other, what it asks for and what it is answered.
##
## Beside what the plugin's protocol has, answers carry keys that its client ignores: `truncated` and `terminal_obs` in a
## step, and `sandlot` in the reply about the spaces, which names them. A `reset` may bring `seeds`.

const ConnectionScript := preload("connection.gd")
const RosterScript := preload("roster.gd")
const AgentCalls := preload("agent_calls.gd")
const MAJOR_VERSION := "0"
const MINOR_VERSION := "7"
const NOT_FINITE: PackedStringArray = ["null", "1e99999"]  ## what JSON.stringify makes of a NaN and of infinity

var problem := ""  ## why it cannot go on
var is_closed := false  ## the trainer said so
var callable_methods: PackedStringArray = []
var facts := {}  ## for the trainer, in `sandlot` of the reply about the spaces

var _connection: ConnectionScript
var _roster: RosterScript
var _agents: Array[Node]  # that are trained
var _is_reset_asked := false
var _is_action_out := false


func _init(connection: ConnectionScript, roster: RosterScript) -> void:
	_connection = connection
	_roster = roster
	_agents = roster.training


## The greeting, and what the agents observe and may do. False: `problem` says why not.
func begin() -> bool:
	for agent in _agents:
		AgentCalls.watch(agent)
	var greeting := _connection.receive()
	if not _expect(greeting, "handshake") or not _expect(_connection.receive(), "env_info"):
		return false
	if greeting.get("major_version") != MAJOR_VERSION or greeting.get("minor_version") != MINOR_VERSION:
		push_warning("godot_rl: the trainer speaks version %s.%s of the protocol, this addon %s.%s." % [
			greeting.get("major_version"), greeting.get("minor_version"), MAJOR_VERSION, MINOR_VERSION
		])
	return _send(JSON.stringify(_spaces(), "", false))


## A decision tick: answer what was asked for at the last one, then read on until there is something to play.
func decide() -> void:
	problem = _roster.missing()
	if problem:
		return
	if _is_reset_asked:
		_is_reset_asked = false
		_answer_reset()
	elif _is_action_out:
		_is_action_out = false
		_answer_action()
	while not problem and not is_closed and not _is_reset_asked and not _is_action_out:
		_obey(_connection.receive())


func _obey(message: Dictionary) -> void:
	match message.get("type"):
		"action":
			_act(message.get("action"))
		"reset":
			_begin_episodes(message.get("seeds"))
		"call":
			_call_method(str(message.get("method")))
		"close":
			is_closed = true
		var other:
			problem = _connection.problem
			if not problem:
				print("godot_rl: a message of type %s is not known and was ignored." % other)


# ---------------------------------------------------------------- messages


func _spaces() -> Dictionary:
	var extras := {"truncated": true, "terminal_obs": true, "seeds": true}
	extras.merge(facts)
	return {
		"type": "env_info",
		"observation_space": _agents.map(AgentCalls.observation_space),
		"action_space": _agents.map(func(agent: Node) -> Dictionary: return agent.call("get_action_space")),
		"n_agents": _agents.size(),
		"agent_policy_names": _agents.map(AgentCalls.policy_name),
		"sandlot": extras,
	}


func _begin_episodes(seeds: Variant) -> void:
	if seeds is Array and not (seeds as Array).is_empty():
		if seeds.size() != _agents.size() or not seeds.all(_is_number):
			problem = "a reset has the seeds %s; expected one number for each of %d agents" % [seeds, _agents.size()]
			return
		seed(int(seeds[0]))
		for i in _agents.size():
			AgentCalls.seed_agent(_agents[i], int(seeds[i]))
	_is_reset_asked = true
	for agent in _roster.all:
		agent.set("needs_reset", true)


## The first observations. What was gained or lost on the way there belongs to no episode.
func _answer_reset() -> void:
	for agent in _agents:
		AgentCalls.begin_window(agent)
	_send('{"type":"reset","obs":%s,"info":%s}' % [_observations(), _json(AgentCalls.info)])


func _answer_action() -> void:
	var observations := _observations()
	var rewards := _agents.map(func(agent: Node) -> float: return agent.call("get_reward"))
	for i in rewards.size():
		if not is_finite(rewards[i]) and not problem:
			problem = "%s is rewarded with %s, which is no finite number" % [_agents[i].get_path(), rewards[i]]
	_send('{"type":"step","obs":%s,"reward":%s,"done":%s,"info":%s,"truncated":%s,"terminal_obs":%s}' % [
		observations, JSON.stringify(rewards), _json(AgentCalls.has_done), _json(AgentCalls.info),
		_json(AgentCalls.is_truncated), _json(AgentCalls.terminal_observation)
	])
	for agent in _agents:
		AgentCalls.begin_window(agent)


func _act(given: Variant) -> void:
	if given is not Array or given.size() != _agents.size():
		problem = "the trainer sent the actions %s; expected one dictionary for each of %d agents" % [given, _agents.size()]
		return
	for i in _agents.size():
		if given[i] is not Dictionary:
			problem = "the action of agent %d is %s; expected a dictionary with its heads" % [i, given[i]]
			return
		_agents[i].call("set_action", given[i])
	_is_action_out = true


## Only what the game allows is called; the others answer null.
func _call_method(method: String) -> void:
	var returns: Array = []
	for agent in _roster.all:
		var is_allowed := callable_methods.has(method) and agent.has_method(method)
		returns.append(agent.call(method) if is_allowed else null)
	if not callable_methods.has(method):
		push_warning("godot_rl: the trainer may not call %s(); callable_methods of the Sync node does not list it." % method)
	_send(JSON.stringify({"type": "call", "returns": returns}, "", false))


# ---------------------------------------------------------------- texts


## What all agents answer to this question.
func _json(question: Callable) -> String:
	return JSON.stringify(_agents.map(question), "", false)


func _observations() -> String:
	var seen := _agents.map(func(agent: Node) -> Dictionary: return agent.call("get_obs"))
	var text := JSON.stringify(seen, "", false)
	for word in NOT_FINITE:
		if text.contains(word):
			_find_unusable(seen)
			break
	return text


## Name the number that no trainer can learn from.
func _find_unusable(seen: Array) -> void:
	for i in seen.size():
		for key: String in seen[i]:
			var value: Variant = seen[i][key]
			if value == null:
				problem = "%s observes nothing as %s" % [_agents[i].get_path(), key]
			elif typeof(value) >= TYPE_ARRAY:
				for at: int in value.size():
					if value[at] is not float and value[at] is not int or not is_finite(value[at]):
						problem = "%s observes %s as number %d of %s" % [_agents[i].get_path(), value[at], at, key]


func _send(text: String) -> bool:
	if not problem and not _connection.send(text):
		problem = _connection.problem
	return not problem


func _expect(message: Dictionary, type: String) -> bool:
	if message.get("type") != type and not problem:
		problem = _connection.problem
		if not problem:
			problem = "the trainer sent a message of type %s where %s was expected" % [message.get("type"), type]
	return not problem


static func _is_number(value: Variant) -> bool:
	return value is float or value is int
