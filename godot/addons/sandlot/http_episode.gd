class_name SandlotHttpEpisode
extends RefCounted
## Endpoints of the HTTP API that play: observation, action, reset, state, step. They act in the first arena of the
## scene's SandlotTrainer, in place of a person or a policy.
##
## POST /rl/action acts while the game goes on; POST /rl/step plays one decision and lets the game stand still until the
## next one. An episode that is over waits for POST /rl/reset. Without calls the game goes on by itself after a minute.

const SILENCE_S := 60.0
const MOST_REPEATS := 1000
const HOOKS := {  # what a scene's root may answer itself
	"POST /input/controller": "api_input_controller", "POST /spacecraft/control": "api_spacecraft_control",
	"POST /stress_test/control": "api_stress_test_control",
}

var _api: Node
var _trainer: SandlotTrainer
var _is_lockstep := false
var _pending: SandlotHttpRequest  # a step that is being played
var _repeats := 0  # decisions that it still lasts
var _actions := {}  # of agents, in the form of SandlotAgent.take
var _reward := PackedFloat32Array()  # of each agent, of the last step
var _episodes := 0
var _last_call_usec := 0


func _init(api: Node) -> void:
	_api = api


func routes() -> Dictionary:
	var made := {
		"GET /rl/spec": spec, "GET /rl/observation": observation, "POST /rl/action": act, "POST /rl/reset": reset,
		"GET /rl/state": state, "POST /rl/step": step, "POST /rl/release": release, "GET /state/scene": scene_state,
	}
	for route: String in HOOKS:
		made[route] = _call_hook
	return made


## Whether the game stands still and waits for a call.
func is_held() -> bool:
	return _is_there() and _pending == null and _api.get_tree().paused


## Now and then: let go of a game that nobody asks for any more.
func tick() -> void:
	if _trainer != null and not _is_there():
		_answer_pending(SandlotHttpResponse.error(410, "scene_gone", "The scene was left while it was being stepped."))
		_trainer = null
		_api.get_tree().paused = false
	if _is_there() and Time.get_ticks_usec() - _last_call_usec > SILENCE_S * 1e6:
		_let_go()


# ---------------------------------------------------------------- endpoints


func spec(_request: SandlotHttpRequest) -> SandlotHttpResponse:
	var trainer := _find()
	return _no_agent() if trainer == null else SandlotHttpResponse.json(trainer.document)


## The named fields of what is observed. ?agent=N chooses one of several, ?flat=1 gives the numbers as a policy gets them.
func observation(request: SandlotHttpRequest) -> SandlotHttpResponse:
	var root := _api.get_tree().current_scene
	if root != null and root.has_method("get_rl_observation") and not request.query.has("flat"):
		return SandlotHttpResponse.json(plain(root.call("get_rl_observation")))
	var trainer := _find()
	if trainer == null:
		return _no_agent()
	var agents := trainer.playing_agents()
	var index: String = request.query.get("agent", "0")
	if not index.is_valid_int() or index.to_int() < 0 or index.to_int() >= agents.size():
		return _wrong("agent = %s; there are %d agents, counted from 0." % [index.left(20), agents.size()])
	var agent := agents[index.to_int()]
	if request.query.has("flat"):
		return SandlotHttpResponse.json({"observation": Array(agent.collect())})
	return SandlotHttpResponse.json(plain(agent.named_observation()))


func act(request: SandlotHttpRequest) -> SandlotHttpResponse:
	var asked := request.json()
	var wrong := _prepare(request)
	if wrong == null:
		wrong = _take_actions(asked)
	if wrong != null:
		return wrong
	_is_lockstep = false
	if not _arena().over:
		_decide()
		_resume()
	return SandlotHttpResponse.json({"status": "ok", "step": _arena().steps, "done": _arena().over})


## A new episode: {seed, lockstep: whether the game stands still until it is stepped}.
func reset(request: SandlotHttpRequest) -> SandlotHttpResponse:
	var asked := request.json()
	var wrong := _prepare(request)
	if wrong != null:
		return wrong
	var given: Variant = asked.get("seed", randi())
	var text := ("%d" % given) if given is float or given is int else str(given)
	if not RegEx.create_from_string("^[0-9]{1,20}$").search(text) or (given is float and given != floorf(given)):
		return _wrong("seed = %s; expected a whole number from 0 on (as text beyond 2^53)." % str(given).left(40))
	if asked.get("lockstep", _is_lockstep) is not bool:
		return _wrong("lockstep is true or false.")
	for key: String in asked:
		if key not in ["seed", "lockstep"]:
			return _wrong("%s is not known here; a reset takes seed and lockstep." % key.left(40))
	_is_lockstep = asked.get("lockstep", _is_lockstep)
	_actions.clear()
	_episodes += 1
	_trainer.restart(SandlotWire.seed_from_text(text))
	_reward = _zeros()
	if _is_lockstep:
		_hold()
	else:
		_resume()
	return SandlotHttpResponse.json({"status": "reset", "seed": text}.merged(_result()))


func state(_request: SandlotHttpRequest) -> SandlotHttpResponse:
	var trainer := _find()
	return _no_agent() if trainer == null else SandlotHttpResponse.json(_state_of(trainer.first_arena()))


## One decision and what came of it: {action or actions, repeat: how many decisions it lasts}.
func step(request: SandlotHttpRequest) -> SandlotHttpResponse:
	var asked := request.json()
	var wrong := _prepare(request)
	if wrong != null:
		return wrong
	if _arena().over:
		return SandlotHttpResponse.error(409, "episode_over", "The episode is over. Begin the next one: POST /rl/reset.")
	var repeats: Variant = asked.get("repeat", 1)
	if (repeats is not float and repeats is not int) or repeats != floorf(repeats) or repeats < 1 or repeats > MOST_REPEATS:
		return _wrong("repeat = %s; expected 1 to %d decisions." % [str(repeats).left(40), MOST_REPEATS])
	asked.erase("repeat")
	wrong = _take_actions(asked)
	if wrong != null:
		return wrong
	_is_lockstep = true
	_pending = request
	_repeats = int(repeats)
	_reward = _zeros()
	_decide()
	_resume()
	return null


## Let the game go on by itself.
func release(_request: SandlotHttpRequest) -> SandlotHttpResponse:
	if _is_there():
		_let_go()
	return SandlotHttpResponse.json({"status": "released"})


## What the scene says of itself.
func scene_state(_request: SandlotHttpRequest) -> SandlotHttpResponse:
	var root := _api.get_tree().current_scene
	if root == null:
		return SandlotHttpResponse.error(500, "no_scene", "There is no scene.")
	var made := {
		"scene_name": String(root.name), "scene_path": root.scene_file_path, "nodes": root.find_children("*", "", true, false).size() + 1,
		"paused": _api.get_tree().paused, "physics_ticks": Engine.get_physics_frames(),
	}
	if root.has_method("get_api_state"):
		made.state = plain(root.call("get_api_state"))
	var trainer := _find()
	if trainer != null:
		made.episode = _state_of(trainer.first_arena())
	return SandlotHttpResponse.json(made)


func _call_hook(request: SandlotHttpRequest) -> SandlotHttpResponse:
	var asked := request.json()
	if request.wrong != null:
		return request.wrong
	var root := _api.get_tree().current_scene
	var hook: String = HOOKS["POST " + request.path]
	if root == null or not root.has_method(hook):
		return SandlotHttpResponse.error(409, "not_here", "The root of this scene has no method %s(body: Dictionary)." % hook)
	var answer: Variant = root.call(hook, asked)
	return SandlotHttpResponse.json({"status": "ok", "result": plain(answer)})


# ---------------------------------------------------------------- for the trainer


## A decision of the first arena is over. Whether the game goes on by itself.
func decision_over(one: SandlotArena) -> bool:
	for i in one.agents.size():
		_reward[i] += one.agents[i].step_reward
	_repeats -= 1
	if one.over:
		_hold()
	elif _pending != null and _repeats > 0:
		return true
	elif _is_lockstep:
		_hold()
	if _pending != null:
		_answer_pending(SandlotHttpResponse.json(_result()))
	elif not _api.get_tree().paused:
		_reward = _zeros()
		return true
	return false


## What an agent was told to do; empty where it was told nothing.
func action_of(agent: SandlotAgent) -> PackedFloat32Array:
	return _actions.get(agent, PackedFloat32Array())


# ---------------------------------------------------------------- inside


func _find() -> SandlotTrainer:
	var found := _api.get_tree().get_first_node_in_group(SandlotTrainer.GROUP) as SandlotTrainer
	return found if found != null and found.mode == SandlotTrainer.Mode.PLAYING else null


func _is_there() -> bool:
	return is_instance_valid(_trainer) and _trainer.is_inside_tree()


func _arena() -> SandlotArena:
	return _trainer.first_arena()


## Take the game over, unless the request is wrong or a step is still being played.
func _prepare(request: SandlotHttpRequest) -> SandlotHttpResponse:
	if request.wrong != null:
		return request.wrong
	var found := _find()
	if found == null:
		return _no_agent()
	if _pending != null and _api.server.is_waiting(_pending):
		return SandlotHttpResponse.error(409, "step_in_progress", "Another step is being played; wait for its answer.")
	_pending = null
	_last_call_usec = Time.get_ticks_usec()
	if found != _trainer:
		_trainer = found
		_actions.clear()
		_reward = _zeros()
		_is_lockstep = false
	found.director = self
	return null


## {action: for the first agent, or actions: a list for all}, by name or as numbers; or the names right in the body.
func _take_actions(asked: Dictionary) -> SandlotHttpResponse:
	var agents := _arena().agents
	var list: Array = [asked.get("action", asked)]
	if asked.has("actions"):
		if asked.actions is not Array or asked.actions.size() != agents.size():
			return _wrong("actions is a list with one action for each of %d agents." % agents.size())
		list = asked.actions
	var made := {}
	var root := _api.get_tree().current_scene
	for i in list.size():
		if list[i] is Dictionary and root != null and root.has_method("read_rl_action"):
			list[i] = root.call("read_rl_action", (list[i] as Dictionary).duplicate())
		var numbers: Variant = _numbers_of(agents[i], list[i])
		if numbers is String:
			return _wrong(numbers)
		made[agents[i]] = numbers
	_actions = made
	return null


## One number for each declared action; a sentence where that cannot be.
func _numbers_of(agent: SandlotAgent, given: Variant) -> Variant:
	var declared := agent.declared_actions()
	if given is Array:
		if given.size() != declared.size() or not given.all(_is_number):
			return "action is a list of %d numbers." % declared.size()
		return PackedFloat32Array(given)
	if given is not Dictionary:
		return "action is an object of names, or a list of %d numbers." % declared.size()
	var made := PackedFloat32Array()
	var left: Dictionary = given.duplicate()
	left.erase("type")
	for one in declared:
		var fallback := "action_index" if declared.size() == 1 and one.kind == "choice" else ""
		var value: Variant = left.get(one.name, left.get(fallback, 0.0))
		left.erase(one.name)
		left.erase(fallback)
		if one.kind == "choice" and value is String and Array(one.options).has(value):
			value = Array(one.options).find(value)
		if value is bool:
			value = 1.0 if value else -1.0
		if not _is_number(value):
			return "%s = %s; expected a number." % [one.name, str(value).left(40)]
		if one.kind == "choice" and (value != floorf(value) or value < 0 or value >= one.options.size()):
			return "%s = %s; expected 0 to %d." % [one.name, value, one.options.size() - 1]
		made.append(value)
	var settings := {}
	for setting: Array in _arena().settings():
		if left.has(setting[0]) and setting[1] != null and (_is_number(left[setting[0]]) or left[setting[0]] is String):
			settings[setting[0]] = left[setting[0]]
			left.erase(setting[0])
	if left:
		return "%s is no action of %s and no setting; known are %s." % [
			str(left.keys()[0]).left(40), agent.name, ", ".join(PackedStringArray(declared.map(func(one: Dictionary) -> String: return one.name)))
		]
	if settings:
		_arena().configure(settings)
	return made


static func _is_number(value: Variant) -> bool:
	return (value is float or value is int) and is_finite(value)


func _decide() -> void:
	_trainer.decide()


func _resume() -> void:
	_trainer.resume()
	_api.get_tree().paused = false


func _hold() -> void:
	_api.get_tree().paused = true


func _let_go() -> void:
	if is_instance_valid(_trainer):
		_trainer.director = null
		if _arena().over:
			_arena().next_episode()
		_trainer.resume()
	_trainer = null
	_answer_pending(SandlotHttpResponse.error(410, "released", "The game was released."))
	_api.get_tree().paused = false


func _answer_pending(response: SandlotHttpResponse) -> void:
	if _pending != null:
		_api.server.answer(_pending, response)
		_pending = null


func _zeros() -> PackedFloat32Array:
	var made := PackedFloat32Array()
	made.resize(_trainer.first_arena().agents.size())
	return made


## What a reset or a step answers: state, named observation of the first agent, and the numbers of all.
func _result() -> Dictionary:
	var one := _arena()
	var flat: Array = []
	for seen in one.finals if one.over else one.observe():
		flat.append(Array(seen))
	var root := _api.get_tree().current_scene
	var named: Dictionary = (
		root.call("get_rl_observation") if root != null and root.has_method("get_rl_observation")
		else one.agents[0].named_observation()
	)
	return _state_of(one).merged({"observation": plain(named), "observations": flat})


func _state_of(one: SandlotArena) -> Dictionary:
	var agent := one.agents[0]
	var info := {"ticks": one.ticks, "terms": agent.terms}
	info.merge(plain(agent.reported))
	var root := _api.get_tree().current_scene
	if root != null and root.has_method("get_rl_info"):
		info.merge(plain(root.call("get_rl_info")), true)
	var rewards := Array(_reward) if _is_there() else one.agents.map(func(each: SandlotAgent) -> float: return each.step_reward)
	return {
		"episode": _episodes, "step": one.steps, "reward": rewards[0], "rewards": rewards, "return": agent.episode_return,
		"done": one.over, "terminated": one.over and one.terminated, "truncated": one.over and not one.terminated,
		"lockstep": _is_lockstep, "info": info,
	}


func _wrong(message: String) -> SandlotHttpResponse:
	return SandlotHttpResponse.error(400, "bad_request", message)


func _no_agent() -> SandlotHttpResponse:
	var root := _api.get_tree().current_scene
	var scene := root.scene_file_path if root != null else "that is running"
	return SandlotHttpResponse.error(409, "no_agent", "The scene %s has no SandlotTrainer that plays, so nobody acts in it." % scene)


## Vectors and packed arrays as lists, for JSON.
static func plain(value: Variant) -> Variant:
	match typeof(value):
		TYPE_DICTIONARY:
			var made := {}
			for key: Variant in value:
				made[str(key)] = plain(value[key])
			return made
		TYPE_VECTOR2, TYPE_VECTOR2I:
			return [value.x, value.y]
		TYPE_VECTOR3, TYPE_VECTOR3I:
			return [value.x, value.y, value.z]
		TYPE_QUATERNION, TYPE_VECTOR4, TYPE_VECTOR4I:
			return [value.x, value.y, value.z, value.w]
		TYPE_FLOAT:
			return value if is_finite(value) else str(value)
		TYPE_NIL, TYPE_BOOL, TYPE_INT, TYPE_STRING:
			return value
		TYPE_STRING_NAME, TYPE_NODE_PATH:
			return str(value)
	if typeof(value) >= TYPE_ARRAY:
		return Array(value).map(plain)
	return str(value)
