class_name GodotRLModel
extends RefCounted
## Plays any policy that a trainer wrote as ONNX, in a stock Godot: `load(path)`, then `predict(observation)`.
##
## [codeblock]
## var model := GodotRLModel.new()
## if not model.load("res://policy.onnx"): push_error(model.problem)
## var action: PackedFloat32Array = model.predict(observation)
## [/codeblock]
## Files of `sandlot export` answer with the action that their head describes. Other files are taken as they are: one
## input that is the observation (called obs, observation, input, … or the only one that is no memory), and the action
## in the output called `output`, `actions` or `action`, else in the first one. Memory goes from the outputs `state_outs`,
## `next_state`, `h_out`, `c_out` to the inputs `state_ins`, `state`, `h_in`, `c_in`.

const ACTIONS: Array[String] = ["output", "actions", "action", "mean", "logits"]
## Inputs that hold memory, and the outputs that they get it from.
const MEMORY: Dictionary[String, String] = {
	"state_ins": "state_outs", "state_in": "state_out", "state": "next_state", "h_in": "h_out", "c_in": "c_out",
	"hidden_in": "hidden_out", "h0": "hn", "c0": "cn",
}

var problem := ""  ## why it cannot play
var policy: SandlotPolicy  ## of a file of `sandlot export`
var graph: SandlotOnnx  ## of any other
var observation_name := ""
var action_name := ""

var _memory: Dictionary[String, PackedFloat32Array] = {}


## Whether the file can be played; [member problem] says why not.
func load(path: String) -> bool:
	policy = null
	graph = null
	_memory.clear()
	var file := SandlotOnnxFile.read(path)
	if not file.problem and file.facts.get("format") == SandlotPolicy.FORMAT:
		policy = SandlotPolicy.open(path)
		problem = policy.problem
		return not problem
	problem = file.problem if file.problem else _open(file, path)
	return not problem


## A new episode begins: nothing is remembered.
func reset() -> void:
	if policy:
		policy.forget()
	for name in _memory:
		_memory[name].fill(0.0)


## What to do, or of many observations (an Array of them) a list of what to do, one for each.
func predict(observation: Variant) -> Variant:
	if problem or (policy == null and graph == null):
		push_error(problem if problem else "GodotRLModel: call load(path) first.")
		return PackedFloat32Array()
	if observation is Array and observation and (observation[0] is Array or typeof(observation[0]) > TYPE_ARRAY):
		var rows: Array[PackedFloat32Array] = []
		for row: Variant in observation:
			rows.append(PackedFloat32Array(Array(row)))
		return policy.act_many(rows) if policy else _predict_rows(rows)
	var one := PackedFloat32Array(Array(observation))
	if policy:
		return policy.act(one)
	var made := _predict_rows([one])
	return made[0] if made else PackedFloat32Array()


func _predict_rows(observations: Array[PackedFloat32Array]) -> Array[PackedFloat32Array]:
	var rows := observations.size()
	var size := SandlotTensor.count_of(graph.inputs[observation_name])
	var seen := PackedFloat32Array()
	for row in rows:
		if observations[row].size() != size:
			push_error("The policy observes %d numbers; it was given %d." % [size, observations[row].size()])
			return []
		seen.append_array(observations[row])
	var given := {observation_name: seen}
	for name in _memory:
		_memory[name].resize(rows * SandlotTensor.count_of(graph.inputs[name]))
		given[name] = _memory[name]
	var answers := graph.run_rows(given, rows)
	var made: Array[PackedFloat32Array] = []
	if answers.is_empty():
		return made
	for name in _memory:
		_memory[name] = answers[MEMORY[name]] if answers.has(MEMORY[name]) else _memory[name]
	@warning_ignore("integer_division")
	var wide: int = answers[action_name].size() / rows
	for row in rows:
		made.append(answers[action_name].slice(row * wide, (row + 1) * wide))
	return made


## Finds which input and which output matter; only what they need is run and has to be known.
func _open(file: SandlotOnnxFile, path: String) -> String:
	var observed := PackedStringArray()
	var wanted := PackedStringArray()
	var states := PackedStringArray()
	for name: String in file.inputs:
		if file.tensors.has(name):
			continue
		if name not in MEMORY:
			observed.append(name)
		else:
			states.append(name)
			if file.outputs.has(MEMORY[name]):
				wanted.append(MEMORY[name])
	if observed.size() != 1:
		return "%s has the inputs %s; expected one that is the observation." % [path, ", ".join(observed)]
	action_name = "".join(file.outputs.slice(0, 1))
	for name in ACTIONS:
		if file.outputs.has(name):
			action_name = name
			break
	wanted.append(action_name)
	var opened := SandlotOnnx.of(file, path, wanted)
	if opened.problem and wanted.size() > 1:  # memory that is no memory at all: godot-rl names one that nothing makes
		opened = SandlotOnnx.of(file, path, PackedStringArray([action_name]))
	if opened.problem:
		return opened.problem
	graph = opened
	observation_name = observed[0]
	for name in states:
		_memory[name] = SandlotTensor.zeros(graph.inputs[name]).data
	return ""
