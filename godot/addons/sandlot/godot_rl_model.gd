class_name GodotRLModel
extends RefCounted
## Plays any policy that a trainer wrote as ONNX, in a stock Godot: `load(path)`, then `predict(observation)`.
##
## [codeblock]
## var model := GodotRLModel.new()
## if not model.load("res://policy.onnx"): push_error(model.problem)
## var action: PackedFloat32Array = model.predict(observation)
## [/codeblock]
## Files of `sandlot export` answer with the action that their head describes. Other files are taken as they are:
## [SandlotPolicyInputs] says which input is the observation, which ones are memory, and which output is the action.

var problem := ""  ## why it cannot play
var policy: SandlotPolicy  ## of a file of `sandlot export`
var graph: SandlotOnnx  ## of any other
var names: SandlotPolicyInputs  ## of its inputs and outputs

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
	var size := SandlotTensor.count_of(graph.inputs[names.observation])
	var seen := PackedFloat32Array()
	for row in rows:
		if observations[row].size() != size:
			push_error("The policy observes %d numbers; it was given %d." % [size, observations[row].size()])
			return []
		seen.append_array(observations[row])
	var given := {names.observation: seen}
	for name in _memory:
		_memory[name].resize(rows * SandlotTensor.count_of(graph.inputs[name]))
		given[name] = _memory[name]
	var answers := graph.run_rows(given, rows)
	var made: Array[PackedFloat32Array] = []
	if answers.is_empty():
		return made
	for name in _memory:
		_memory[name] = answers.get(names.memory[name], _memory[name])
	@warning_ignore("integer_division")
	var wide: int = answers[names.action].size() / rows
	for row in rows:
		made.append(answers[names.action].slice(row * wide, (row + 1) * wide))
	return made


## Only what the action and memory need is run and has to be known.
func _open(file: SandlotOnnxFile, path: String) -> String:
	names = SandlotPolicyInputs.of(file, path)
	if names.problem:
		return names.problem
	var opened := SandlotOnnx.of(file, path, names.wanted())
	if opened.problem and names.memory:  # memory that is no memory at all: godot-rl names one that nothing makes
		opened = SandlotOnnx.of(file, path, PackedStringArray([names.action]))
	if opened.problem:
		return opened.problem
	for name in names.memory:
		_memory[name] = SandlotTensor.zeros(opened.inputs[name]).data
		var source := names.memory[name]
		if opened.outputs.has(source) and SandlotTensor.count_of(opened.outputs[source]) != _memory[name].size():
			return "%s has the memory %s, and its output %s is of another size." % [path, name, source]
	graph = opened
	return ""
