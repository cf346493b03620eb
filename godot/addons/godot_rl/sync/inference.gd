extends RefCounted
## Lets trained networks decide, in a stock Godot: the ONNX reader of addons/sandlot, no .NET.
##
## A network has the inputs that the agent observes, by name, and `state_ins`; its output `output` has, in the order of
## the action space, the logits of each discrete head and the means of each continuous one. That is what the Python side of
## the plugin and `sandlot export --godot-rl` write.

const READER := "res://addons/sandlot/onnx.gd"
const STATE_IN := "state_ins"
const STATE_OUT := "state_outs"
const OUTPUT := "output"
const AgentCalls := preload("agent_calls.gd")

var problem := ""  ## why it cannot decide
var is_deterministic := true  ## the likeliest choice; else one drawn by its probability

var _agents: Array[Node] = []
var _states: Array[PackedFloat32Array] = []


func _init(agents: Array[Node], usual_path: String) -> void:
	var opened := {}
	for agent in agents:
		var own: Variant = agent.get("onnx_model_path")
		var path: String = own if own else usual_path
		if not opened.has(path):
			opened[path] = _open(path)
		if problem:
			return
		agent.set("onnx_model", opened[path])
		_agents.append(agent)
		_states.append(PackedFloat32Array())
		_check(agent, path)


## A decision tick: every agent observes and acts.
func decide() -> void:
	for i in _agents.size():
		if not is_instance_valid(_agents[i]):
			problem = "an agent that a network plays was freed"
		if problem:
			return
		var agent := _agents[i]
		var made := _run(agent, i)
		if not problem:
			agent.call("set_action", _action(agent.call("get_action_space"), made))
			if AgentCalls.has_done(agent):
				_states[i].fill(0.0)
			AgentCalls.begin_window(agent)


func _open(path: String) -> RefCounted:
	if not path:
		problem = "an agent is played by a network and has no onnx_model_path, nor has the Sync node"
	elif not ResourceLoader.exists(READER):
		problem = "playing an ONNX file needs the addon %s beside this one; copy it: sandlot godot addon DIR" % READER.get_base_dir()
	if problem:
		return null
	var reader: GDScript = load(READER)
	var graph: RefCounted = reader.call("open", path, PackedStringArray([OUTPUT, STATE_OUT]))
	if graph.get("problem"):
		graph = reader.call("open", path, PackedStringArray([OUTPUT]))
	problem = graph.get("problem")
	return graph


## One look with what is observed now: sizes that do not fit are named at once.
func _check(agent: Node, path: String) -> void:
	var made := _run(agent, _agents.size() - 1)
	if problem:
		return
	var space: Dictionary = agent.call("get_action_space")
	var plain := _size(space, true)
	var with_deviations := plain + _size(space, false)
	if made.size() != plain and made.size() != with_deviations:
		problem = "%s gives %d numbers, the actions of %s need %d" % [path, made.size(), agent.get_path(), plain]


static func _size(space: Dictionary, with_choices: bool) -> int:
	var made := 0
	for head: String in space:
		if with_choices or not _is_discrete(space[head]):
			made += int(space[head].size)
	return made


static func _is_discrete(head: Dictionary) -> bool:
	return head.action_type == "discrete"


func _run(agent: Node, index: int) -> PackedFloat32Array:
	var graph: RefCounted = agent.get("onnx_model")
	var shapes: Dictionary = graph.get("inputs")
	var seen: Dictionary = agent.call("get_obs")
	var given := {}
	for name: String in shapes:
		var size := _count(shapes[name])
		if name == STATE_IN:
			_states[index].resize(size)
			given[name] = _states[index]
		elif seen.get(name) is Array or typeof(seen.get(name)) > TYPE_ARRAY:
			given[name] = PackedFloat32Array(Array(seen[name]))
		else:
			problem = "the network of %s wants the observation %s; observed are %s" % [agent.get_path(), name, ", ".join(seen.keys())]
			return PackedFloat32Array()
		if given[name].size() != size:
			problem = "the network of %s takes %d numbers as %s; observed are %d" % [agent.get_path(), size, name, given[name].size()]
			return PackedFloat32Array()
	var made: Dictionary = graph.call("run", given)
	if made.has(STATE_OUT) and made[STATE_OUT].size() == _states[index].size():
		_states[index] = made[STATE_OUT]
	return made.get(OUTPUT, PackedFloat32Array())


## By head: the index of a choice, or a list of numbers from -1 to 1.
func _action(space: Dictionary, numbers: PackedFloat32Array) -> Dictionary:
	var has_deviations := numbers.size() > _size(space, true)
	var made := {}
	var at := 0
	for head: String in space:
		var size := int(space[head].size)
		var own := numbers.slice(at, at + size)
		at += size
		if _is_discrete(space[head]):
			made[head] = _choose(own)
			continue
		made[head] = Array(own).map(func(mean: float) -> float: return clampf(mean, -1.0, 1.0))
		at += size if has_deviations else 0
	return made


## The likeliest, the first of equals; or one drawn by its probability.
func _choose(logits: PackedFloat32Array) -> int:
	var best := 0
	for i in logits.size():
		if logits[i] > logits[best]:
			best = i
	if is_deterministic:
		return best
	var weights := PackedFloat32Array()
	for logit in logits:
		weights.append(exp(logit - logits[best]))
	return RandomNumberGenerator.new().rand_weighted(weights)


static func _count(shape: PackedInt32Array) -> int:
	var made := 1
	for side in shape:
		made *= side
	return made
