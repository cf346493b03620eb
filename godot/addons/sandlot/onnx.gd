class_name SandlotOnnx
extends RefCounted
## Runs an ONNX graph in a stock Godot: no .NET, no library, no threads, so also in a web export.
##
## [codeblock]
## var graph := SandlotOnnx.open("res://network.onnx")
## if graph.problem: push_error(graph.problem)
## var answer := graph.run({"observations": numbers})
## [/codeblock]
## A graph is run once when it is opened, so that whatever cannot be run (an operator, an attribute, shapes that do
## not fit) is a sentence in [member problem] then, and not a wrong number later.
##
## [method run] takes one row: sides that a file leaves free are 1. [method run_rows] takes many at once, where the
## first side of every input is free; a graph that was exported for one row runs once for each.

const MOST_NODES := 10_000
const MOST_ROWS := 4096
const MOST_PLANS := 8  # numbers of rows that a graph is kept ready for

var problem := ""  ## why it cannot be run
var facts := {}  ## the file's metadata
var inputs: Dictionary[String, PackedInt32Array] = {}  ## shapes by name
var outputs: Dictionary[String, PackedInt32Array] = {}  ## shapes by name

var _kinds: Dictionary[String, SandlotTensor.Kind] = {}  # of inputs
var _constants: Dictionary[String, SandlotTensor] = {}
var _nodes: Array[Dictionary] = []
var _file: SandlotOnnxFile
var _path := ""
var _wanted := PackedStringArray()
var _plans: Dictionary[int, SandlotOnnx] = {}  # the same graph for so many rows; null where it has no free side
var _packed := {}  # matrices ready for products, by tensor: plans share them


## wanted: outputs that matter, where not all of them do; nodes that only others need are not run.
static func open(path: String, wanted := PackedStringArray()) -> SandlotOnnx:
	return of(SandlotOnnxFile.read(path), path, wanted)


## The graph of a file that was read already.
static func of(file: SandlotOnnxFile, path: String, wanted := PackedStringArray()) -> SandlotOnnx:
	return _plan(file, path, wanted, 1, {})


static func _plan(
	file: SandlotOnnxFile, path: String, wanted: PackedStringArray, rows: int, packed: Dictionary
) -> SandlotOnnx:
	var made := SandlotOnnx.new()
	made.problem = file.problem
	made.facts = file.facts
	made._file = file
	made._path = path
	made._wanted = wanted
	made._packed = packed
	if not made.problem:
		made._prepare(file, wanted, rows)
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


## Outputs by name of many rows, one behind the other; `given` has the inputs of all rows in the same way.
## {} where the inputs do not fit.
func run_rows(given: Dictionary, rows: int) -> Dictionary[String, PackedFloat32Array]:
	if rows < 1 or rows > MOST_ROWS:
		push_error("%d rows; expected 1 to %d." % [rows, MOST_ROWS])
		return {}
	if rows == 1:
		return run(given)
	var plan := _plan_for(rows)
	return _run_each(given, rows) if plan == null else _stretched(plan.run(given), plan, rows)


## The graph ready for so many rows; null where its inputs or outputs are not by row.
func _plan_for(rows: int) -> SandlotOnnx:
	if not _plans.has(rows):
		if _plans.size() >= MOST_PLANS:
			_plans.erase(_plans.keys()[0])
		var plan: SandlotOnnx = null
		if _has_free_rows():
			plan = _plan(_file, _path, _wanted, rows, _packed)
			if plan.problem or not _is_by_row(plan, rows):
				plan = null
		_plans[rows] = plan
	return _plans[rows]


## Whether every input has the same free side, and has it first.
func _has_free_rows() -> bool:
	var called := PackedStringArray()
	for name in inputs:
		var declared := _file.inputs[name]
		if declared.shape.is_empty() or declared.shape[0] >= 0 or declared.shape.slice(1).has(-1):
			return false
		called.append(declared.sides[0])
	return not called.is_empty() and called.count(called[0]) == called.size()


func _is_by_row(plan: SandlotOnnx, rows: int) -> bool:
	for name in outputs:
		var one := outputs[name]
		var many := plan.outputs[name]
		var is_by_row := not many.is_empty() and many.size() == one.size() and many[0] == rows and one[0] == 1
		if not (is_by_row and many.slice(1) == one.slice(1)) and not (plan._constants.has(name) and many == one):
			return false
	return true


## What is the same for every input stands once in a plan: here once for every row.
func _stretched(
	made: Dictionary[String, PackedFloat32Array], plan: SandlotOnnx, rows: int
) -> Dictionary[String, PackedFloat32Array]:
	for name in made:
		if plan._constants.has(name):
			var one := made[name]
			made[name] = PackedFloat32Array()
			for row in rows:
				made[name].append_array(one)
	return made


func _run_each(given: Dictionary, rows: int) -> Dictionary[String, PackedFloat32Array]:
	var made: Dictionary[String, PackedFloat32Array] = {}
	for row in rows:
		var own := {}
		for name in inputs:
			var size := SandlotTensor.count_of(inputs[name])
			var all: PackedFloat32Array = given.get(name, PackedFloat32Array())
			if all.size() != size * rows:
				push_error("The input %s takes %d numbers a row; it was given %d for %d rows." % [name, size, all.size(), rows])
				return {}
			own[name] = all.slice(row * size, (row + 1) * size)
		var answer := run(own)
		for name in answer:
			var together: PackedFloat32Array = made.get(name, PackedFloat32Array())
			together.append_array(answer[name])
			made[name] = together
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
			return "%s (%s): %s" % [node.op, "".join(node.outputs.slice(0, 1)), made[0].problem]
		for i in mini(made.size(), node.outputs.size()):
			if node.outputs[i]:
				values[node.outputs[i]] = made[i]
	return ""


# ---------------------------------------------------------------- when it is opened


func _prepare(file: SandlotOnnxFile, wanted: PackedStringArray, rows: int) -> void:
	if file.operator_set < SandlotOperators.OLDEST_SET or file.operator_set > SandlotOperators.NEWEST_SET:
		problem = "it uses operator set %d; known are %d to %d" % [
			file.operator_set, SandlotOperators.OLDEST_SET, SandlotOperators.NEWEST_SET
		]
	elif file.nodes.size() > MOST_NODES:
		problem = "it has %d nodes; at most %d" % [file.nodes.size(), MOST_NODES]
	else:
		_constants = file.tensors.duplicate()
		_take_inputs(file, rows)
		_take_nodes(file, wanted)


func _take_inputs(file: SandlotOnnxFile, rows: int) -> void:
	var kinds := {
		SandlotOnnxFile.FLOAT: SandlotTensor.Kind.FLOAT, SandlotOnnxFile.INT32: SandlotTensor.Kind.INT,
		SandlotOnnxFile.INT64: SandlotTensor.Kind.INT, SandlotOnnxFile.BOOL: SandlotTensor.Kind.BOOL,
	}
	for name: String in file.inputs:
		if _constants.has(name):
			continue  # older files list constants among the inputs
		var declared := file.inputs[name]
		var shape: PackedInt32Array = declared.shape.duplicate()
		for i in shape.size():
			shape[i] = (rows if i == 0 else 1) if shape[i] < 0 else shape[i]
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
			problem = _take_node(node.duplicate(), values)
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
		if name and i in SandlotOperators.WEIGHTS.get(node.op, []) and not _constants.has(name):
			return "%s has the input %s, which is no constant" % [node.op, name]
		if name and not shaping and _constants.has(name) and not _constants[name].is_exact():
			return "%s has whole numbers beyond 2^24" % node.op
	for name: String in node.outputs:
		if name and (values.has(name) or _constants.has(name)):
			return "two nodes make %s" % name
	fault = _run_nodes([node] as Array[Dictionary], values)
	if fault:
		return fault
	if fixed:
		for name: String in node.outputs:
			if name:
				_constants[name] = values[name]
				values.erase(name)
		return ""
	if node.op in ["Gemm", "MatMul"] and _constants.has(node.inputs[1]) and _constants[node.inputs[1]].rank() == 2:
		node.packed = _pack(_constants[node.inputs[1]], node.attributes.get("transB", 0) != 0)
	_nodes.append(node)
	return ""


func _pack(matrix: SandlotTensor, is_transposed: bool) -> PackedVector4Array:
	var key := [matrix, is_transposed]
	if not _packed.has(key):
		_packed[key] = SandlotMatrix.pack(matrix, is_transposed)
	return _packed[key]


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
