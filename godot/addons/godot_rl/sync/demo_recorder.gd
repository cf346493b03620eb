extends RefCounted
## Records what a person plays, for imitation: a JSON list of episodes, each [[obs…], [action…]].
##
## An episode has one observation more than actions: the one it ended with. The file is written anew after every episode,
## so nothing is lost however the game is ended.

const AgentCalls := preload("agent_calls.gd")
const PART := ".part"  ## suffix of a file that is not whole yet

var problem := ""  ## why it cannot record

var _agent: Node
var _path := ""
var _remove_key: InputEvent
var _episodes: Array[Array] = []
var _observations := []
var _actions := []
var _ticks := 0  # of this episode


func _init(agent: Node) -> void:
	_agent = agent
	_path = str(agent.get("expert_demo_save_path"))
	_remove_key = agent.get("remove_last_episode_key")
	var lacking := Array(["get_action"]).filter(func(method: String) -> bool: return not agent.has_method(method))
	if not _path or lacking:
		problem = "%s records demonstrations and has no %s" % [
			agent.get_path(), "get_action()" if lacking else "expert_demo_save_path"
		]
	elif not _takes_no_argument():
		problem = "%s records demonstrations, so its set_action() has to do without an argument: func set_action(action = null)" % agent.get_path()
	AgentCalls.watch(agent)


## Every physics tick, before the game plays it.
func tick() -> void:
	if not is_instance_valid(_agent):
		problem = "the agent whose demonstrations are recorded was freed"
		return
	if AgentCalls.has_done(_agent) or AgentCalls.is_truncated(_agent):
		_end_episode()
	elif _ticks % maxi(int(_agent.get("action_repeat")), 1) == 0:
		_observations.append(_agent.call("get_obs").obs.duplicate())
		_agent.call("set_action")
		_actions.append(_agent.call("get_action"))
		_ticks += 1
	else:
		_ticks += 1


## The key that drops the last episode.
func input(event: InputEvent) -> void:
	if _remove_key and event.is_match(_remove_key) and event.is_pressed() and not event.is_echo() and _episodes:
		_episodes.pop_back()
		_write()
		print("godot_rl: the last demonstration was dropped, %d are left." % _episodes.size())


func _end_episode() -> void:
	var last: Variant = AgentCalls.terminal_observation(_agent)
	_observations.append((last if last is Dictionary else _agent.call("get_obs")).obs.duplicate())
	if _actions:
		_episodes.append([_observations, _actions])
		_write()
		print("godot_rl: demonstration %d has %d actions." % [_episodes.size(), _actions.size()])
	_observations = []
	_actions = []
	_ticks = 0
	AgentCalls.begin_window(_agent)


func _write() -> void:
	var file := FileAccess.open(_path + PART, FileAccess.WRITE)
	if file == null:
		problem = "%s cannot be written: %s" % [_path, error_string(FileAccess.get_open_error())]
		return
	file.store_string(JSON.stringify(_episodes, "", false))
	file.close()
	var failed := DirAccess.rename_absolute(_path + PART, _path)
	if failed != OK:
		problem = "%s cannot be written: %s" % [_path, error_string(failed)]


func _takes_no_argument() -> bool:
	for method in _agent.get_method_list():
		if method.name == "set_action" and method.args.size() == method.default_args.size():
			return true
	return false
