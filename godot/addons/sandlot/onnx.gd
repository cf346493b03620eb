class_name SandlotOnnx
extends RefCounted
## Runs an ONNX graph in a stock Godot: no .NET, no library. One row at a time: sides that a file leaves free are 1.
##
## [codeblock]
## var graph := SandlotOnnx.open("res://network.onnx")
## if graph.problem: push_error(graph.problem)
## var answer := graph.run({"observations": numbers})
## [/codeblock]
## A graph is run once when it is opened, so that whatever cannot be run (an operator, an attribute, shapes that do
## not fit) is a sentence in [member problem] then, and not a wrong number later.

const MOST_NODES := 10_000

var problem := ""  ## why it cannot be run
var facts := {}  ## the file's metadata
var inputs: Dictionary[String, PackedInt32Array] = {}  ## shapes by name
var outputs: Dictionary[String, PackedInt32Array] = {}  ## shapes by name

var _kinds: Dictionary[String, SandlotTensor.Kind] = {}  # of inputs
var _constants: Dictionary[String, SandlotTensor] = {}
var _nodes: Array[Dictionary] = []


## wanted: outputs that matter, where not all of them do; nodes that only others need are not run.
static func open(path: String, wanted := PackedStringArray()) -> SandlotOnnx:
	return of(SandlotOnnxFile.read(path), path, wanted)


## The graph of a file that was read already.
static func of(file: SandlotOnnxFile, path: String, wanted := PackedStringArray()) -> SandlotOnnx:
	var made := SandlotOnnx.new()
	made.problem = file.problem
	made.facts = file.facts
	if not made.problem:
		made._prepare(file, wanted)
		if made.problem:
			made.problem = "%s cannot be run: %s." % [path, made.problem]
	return made


## Outputs by name, as flat numbers ([member outputs] has their shapes). {} where the inputs do not fit.
func run(given: Dictionary) -> Dictionary[String, PackedFloat32Array]:
	var made: Dictionary[String, PackedFloat32Array] = {}
	var values := _values_of(given)
	if values.is_empty() and not inputs.is_empty():
		return made
	var failed := _run_nodes(_nodes, values)
	if failed:
		push_error(failed)
		return made
	for name in outputs:
		made[name] = (values[name] if values.has(name) else _constants[name]).data
	return made


func _values_of(given: Dictionary) -> Dictionary[String, SandlotTensor]:
	var values: Dictionary[String, SandlotTensor] = {}
	for name in inputs:
		var numbers: PackedFloat32Array = given.get(name, PackedFloat32Array())
		if numbers.size() != SandlotTensor.count_of(inputs[name]):
			push_error("The input %s has shape %s; it was given %d numbers." % [name, inputs[name], numbers.size()])
			return {}
		values[name] = SandlotTensor.of(numbers, inputs[name], _kinds[name])
	return values


func _run_nodes(nodes: Array[Dictionary], values: Dictionary[String, SandlotTensor]) -> String:
	for node in nodes:
		var given: Array[SandlotTensor] = []
		for name: String in node.inputs:
			given.append(values[name] if values.has(name) else _constants.get(name))
		var made := SandlotOperators.run(node, given)
		if made[0].problem:
			return "%s (%s): %s" % [node.op, node.outputs[0], made[0].problem]
		for i in made.size():
			values[node.outputs[i]] = made[i]
	return ""


# ---------------------------------------------------------------- when it is opened


func _prepare(file: SandlotOnnxFile, wanted: PackedStringArray) -> void:
	if file.operator_set < SandlotOperators.OLDEST_SET or file.operator_set > SandlotOperators.NEWEST_SET:
		problem = "it uses operator set %d; known are %d to %d" % [
			file.operator_set, SandlotOperators.OLDEST_SET, SandlotOperators.NEWEST_SET
		]
	elif file.nodes.size() > MOST_NODES:
		problem = "it has %d nodes; at most %d" % [file.nodes.size(), MOST_NODES]
	else:
		_constants = file.tensors
		_take_inputs(file)
		_take_nodes(file, wanted)


func _take_inputs(file: SandlotOnnxFile) -> void:
	var kinds := {
		SandlotOnnxFile.FLOAT: SandlotTensor.Kind.FLOAT, SandlotOnnxFile.INT32: SandlotTensor.Kind.INT,
		SandlotOnnxFile.INT64: SandlotTensor.Kind.INT, SandlotOnnxFile.BOOL: SandlotTensor.Kind.BOOL,
	}
	for name: String in file.inputs:
		if _constants.has(name):
			continue  # older files list constants among the inputs
		var declared := file.inputs[name]
		var shape: PackedInt32Array = declared.shape
		for i in shape.size():
			shape[i] = 1 if shape[i] < 0 else shape[i]
		if declared.type not in kinds or SandlotTensor.count_of(shape) < 0:
			problem = "its input %s has type %d and shape %s" % [name, declared.type, shape]
			return
		inputs[name] = shape
		_kinds[name] = kinds[declared.type]


func _take_nodes(file: SandlotOnnxFile, wanted: PackedStringArray) -> void:
	var names := wanted if wanted else file.outputs
	var kept := _needed(file.nodes, names)
	var values: Dictionary[String, SandlotTensor] = {}
	for name in inputs:
		values[name] = SandlotTensor.zeros(inputs[name], _kinds[name])
	for node in kept:
		if not problem:
			problem = _take_node(node, values)
	for name in names:
		if not problem and not values.has(name) and not _constants.has(name):
			problem = "nothing makes its output %s" % name
		elif not problem:
			outputs[name] = (values[name] if values.has(name) else _constants[name]).shape


## Checks a node and runs it on zeros. What is the same for every input is a constant from then on.
func _take_node(node: Dictionary, values: Dictionary[String, SandlotTensor]) -> String:
	var fault := SandlotOperators.complete(node)
	if fault:
		return fault
	var fixed: bool = node.op == "Shape" or Array(node.inputs).all(_is_fixed)
	for i: int in node.inputs.size():
		var name: String = node.inputs[i]
		if name and not values.has(name) and not _constants.has(name):
			return "%s has the input %s, which nothing before it makes" % [node.op, name]
		var shaping: bool = i in SandlotOperators.CONSTANT_INPUTS.get(node.op, [])
		if name and shaping and not _is_whole_constant(name):
			return "%s has the input %s, which is no constant of whole numbers" % [node.op, name]
		if name and not shaping and _constants.has(name) and not _constants[name].is_exact():
			return "%s has whole numbers beyond 2^24" % node.op
	for name: String in node.outputs:
		if values.has(name) or _constants.has(name):
			return "two nodes make %s" % name
	fault = _run_nodes([node] as Array[Dictionary], values)
	if fault:
		return fault
	if fixed:
		for name: String in node.outputs:
			_constants[name] = values[name]
			values.erase(name)
		return ""
	if node.op in ["Gemm", "MatMul"] and _constants.has(node.inputs[1]) and _constants[node.inputs[1]].rank() == 2:
		node.packed = SandlotMatrix.pack(_constants[node.inputs[1]], node.attributes.get("transB", 0) != 0)
	_nodes.append(node)
	return ""


func _is_fixed(name: String) -> bool:
	return name == "" or _constants.has(name)


func _is_whole_constant(name: String) -> bool:
	return _constants.has(name) and _constants[name].kind == SandlotTensor.Kind.INT


## Only nodes that these outputs depend on, in the file's order.
func _needed(nodes: Array[Dictionary], names: PackedStringArray) -> Array[Dictionary]:
	var needed := {}
	for name in names:
		needed[name] = true
	var made: Array[Dictionary] = []
	for i in range(nodes.size() - 1, -1, -1):
		if Array(nodes[i].outputs).any(func(name: String) -> bool: return needed.has(name)):
			made.push_front(nodes[i])
			for input: String in nodes[i].inputs:
				needed[input] = true
	return made
