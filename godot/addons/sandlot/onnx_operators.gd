class_name SandlotOperators
extends RefCounted
## Which operators of ONNX are known: their inputs, their attributes with the values they usually have, and what runs
## them. Whatever is not in this table is refused by its name.

const OLDEST_SET := 13  ## operator sets: before 13 Softmax, Split and Squeeze meant something else
const NEWEST_SET := 26
const MANY := 1000

## Inputs, counted from 0, that have to be constants, since shapes depend on them.
const CONSTANT_INPUTS := {
	"Reshape": [1], "Slice": [1, 2, 3, 4], "Split": [1], "Squeeze": [1], "Unsqueeze": [1], "Expand": [1],
	"ConstantOfShape": [0], "ReduceSum": [1], "ReduceMean": [1], "ReduceMax": [1], "ReduceMin": [1],
	"ReduceProd": [1], "ReduceL1": [1], "ReduceL2": [1], "ReduceSumSquare": [1],
	"ReduceLogSum": [1], "ReduceLogSumExp": [1],
}
## Inputs that have to be constants, since they are packed once: filters, and weights of recurrent operators.
const WEIGHTS := {"Conv": [1], "GRU": [1, 2, 3], "LSTM": [1, 2, 3], "RNN": [1, 2, 3]}
## How many outputs an operator may have, where it may have more than one.
const MOST_OUTPUTS := {"Split": MANY, "GRU": 2, "LSTM": 3, "RNN": 2}
## Attributes without which an operator means nothing.
const REQUIRED := {"Concat": "axis", "Cast": "to", "MaxPool": "kernel_shape", "AveragePool": "kernel_shape"}

## op -> [fewest inputs, most inputs, attributes with their usual values, function]
static var table: Dictionary[String, Array] = _table()


static func _table() -> Dictionary[String, Array]:
	var window := {"auto_pad": "NOTSET", "dilations": null, "pads": null, "strides": null}
	var pooled := {"kernel_shape": null, "ceil_mode": 0}
	pooled.merge(window)
	var made: Dictionary[String, Array] = {
		"AveragePool": [1, 1, pooled.merged({"count_include_pad": 0}), SandlotConvolution.pool],
		"BatchNormalization": [
			5, 5, {"epsilon": 1e-5, "momentum": 0.9, "training_mode": 0}, SandlotReductions.batch_normalization
		],
		"Cast": [1, 1, {"to": 0, "saturate": 1, "round_mode": "up"}, SandlotElementwise.cast],
		"Clip": [1, 3, {}, SandlotElementwise.clip],
		"Concat": [1, MANY, {"axis": 0}, SandlotShapes.concat],
		"Constant": [0, 0, {}, SandlotShapes.constant],
		"Conv": [2, 3, window.merged({"group": 1, "kernel_shape": null}), SandlotConvolution.conv],
		"ConstantOfShape": [1, 1, {"value": null}, SandlotShapes.constant_of_shape],
		"Expand": [2, 2, {}, SandlotShapes.expand],
		"Flatten": [1, 1, {"axis": 1}, SandlotShapes.flatten],
		"Gather": [2, 2, {"axis": 0}, SandlotShapes.gather],
		"GatherElements": [2, 2, {"axis": 0}, SandlotShapes.gather_elements],
		"Gemm": [2, 3, {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0}, SandlotMatrix.gemm],
		"GlobalAveragePool": [1, 1, {}, SandlotConvolution.global_pool],
		"GlobalMaxPool": [1, 1, {}, SandlotConvolution.global_pool],
		"Identity": [1, 1, {}, SandlotShapes.identity],
		"LayerNormalization": [
			2, 3, {"axis": -1, "epsilon": 1e-5, "stash_type": 1}, SandlotReductions.layer_normalization
		],
		"MatMul": [2, 2, {}, SandlotMatrix.matmul],
		"MaxPool": [1, 1, pooled.merged({"storage_order": 0}), SandlotConvolution.pool],
		"Not": [1, 1, {}, SandlotElementwise.logic],
		"PRelu": [2, 2, {}, SandlotElementwise.parametric_relu],
		"Pow": [2, 2, {}, SandlotElementwise.power],
		"Reshape": [2, 2, {"allowzero": 0}, SandlotShapes.reshape],
		"Shape": [1, 1, {"start": 0, "end": null}, SandlotShapes.shape],
		"Slice": [3, 5, {}, SandlotShapes.slice],
		"Split": [1, 2, {"axis": 0, "num_outputs": null}, SandlotShapes.split],
		"Squeeze": [1, 2, {}, SandlotShapes.squeeze],
		"Transpose": [1, 1, {"perm": null}, SandlotShapes.transpose],
		"Unsqueeze": [2, 2, {}, SandlotShapes.unsqueeze],
		"Where": [3, 3, {}, SandlotElementwise.where],
	}
	for op: String in SandlotRecurrent.GATES:
		var flags := {
			"activations": null, "activation_alpha": null, "activation_beta": null, "clip": null,
			"direction": "forward", "hidden_size": null, "layout": 0,
		}
		if op == "GRU":
			flags.linear_before_reset = 0
		elif op == "LSTM":
			flags.input_forget = 0
		made[op] = [3, 8 if op == "LSTM" else 6, flags, SandlotRecurrent.run]
	for op: String in ["Add", "Sub", "Mul", "Div"]:
		made[op] = [2, 2, {}, SandlotElementwise.arithmetic]
	for op: String in ["Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"]:
		made[op] = [2, 2, {}, SandlotElementwise.compare]
	for op: String in ["And", "Or", "Xor"]:
		made[op] = [2, 2, {}, SandlotElementwise.logic]
	for op: String in ["Min", "Max"]:
		made[op] = [1, MANY, {}, SandlotElementwise.extreme]
	for op: String in ["Softmax", "LogSoftmax"]:
		made[op] = [1, 1, {"axis": -1}, SandlotReductions.softmax]
	for op: String in ["ArgMax", "ArgMin"]:
		made[op] = [1, 1, {"axis": 0, "keepdims": 1, "select_last_index": 0}, SandlotReductions.arg_most]
	for op: String in CONSTANT_INPUTS:
		if op.begins_with("Reduce"):
			var usual := {"axes": null, "keepdims": 1, "noop_with_empty_axes": 0}
			made[op] = [1, 2, usual, SandlotReductions.reduce]
	var unary := {
		"Celu": {"alpha": 1.0}, "Elu": {"alpha": 1.0}, "Gelu": {"approximate": "none"},
		"HardSigmoid": {"alpha": 0.2, "beta": 0.5}, "LeakyRelu": {"alpha": 0.01},
		"Selu": {"alpha": 1.67326319217681884765625, "gamma": 1.05070102214813232421875},
		"Swish": {"alpha": 1.0}, "ThresholdedRelu": {"alpha": 1.0},
	}
	for op: String in [
		"Abs", "Ceil", "Cos", "Erf", "Exp", "Floor", "HardSwish", "Log", "Mish", "Neg", "Reciprocal", "Relu", "Round",
		"Sigmoid", "Sign", "Sin", "Softplus", "Softsign", "Sqrt", "Tanh",
	]:
		unary[op] = {}
	for op: String in unary:
		made[op] = [1, 1, unary[op], SandlotElementwise.unary]
	return made


## Completes a node with the attributes it leaves out; a sentence where it cannot be run.
static func complete(node: Dictionary) -> String:
	if node.domain not in ["", "ai.onnx"]:
		return "the operator %s of %s is not known here" % [node.op, node.domain]
	if node.op not in table:
		return "the operator %s is not known here" % node.op
	var row := table[node.op]
	while node.inputs.size() > 0 and node.inputs[-1] == "":
		node.inputs.remove_at(node.inputs.size() - 1)  # one that is optional and left out
	if node.inputs.size() < row[0] or node.inputs.size() > row[1]:
		return "%s has %d inputs; %d to %d are known" % [node.op, node.inputs.size(), row[0], row[1]]
	for i in row[0]:
		if not node.inputs[i]:
			return "%s lacks its input %d" % [node.op, i]
	if node.outputs.is_empty() or node.outputs.size() > MOST_OUTPUTS.get(node.op, 1):
		return "%s has %d outputs" % [node.op, node.outputs.size()]
	node.attributes = row[2].duplicate()
	return _take_constant(node) if node.op == "Constant" else _take_attributes(node)


static func _take_attributes(node: Dictionary) -> String:
	for name: String in node.given:
		var value: Variant = node.given[name]
		if name not in node.attributes:
			return "%s has the attribute %s, which is not known here" % [node.op, name]
		var usual: Variant = node.attributes[name]
		if value == null or not _fits(node.op, name, usual, value):
			return "%s has the attribute %s of another type than expected" % [node.op, name]
		node.attributes[name] = value
	if node.op in REQUIRED and not node.given.has(REQUIRED[node.op]):
		return "%s lacks its attribute %s" % [node.op, REQUIRED[node.op]]
	if node.op == "Gelu" and node.attributes.approximate not in ["none", "tanh"]:
		return "Gelu has approximate = %s; known are none and tanh" % node.attributes.approximate
	return ""


static func _fits(op: String, name: String, usual: Variant, value: Variant) -> bool:
	if usual != null:
		return typeof(usual) == typeof(value)
	match name:
		"axes", "perm", "kernel_shape", "dilations", "pads", "strides":
			return value is PackedInt64Array
		"activations":
			return value is PackedStringArray
		"activation_alpha", "activation_beta":
			return value is PackedFloat32Array
		"clip":
			return value is float
		"value":
			return value is SandlotTensor
	return value is int and (op == "Shape" or value > 0)


static func _take_constant(node: Dictionary) -> String:
	const KNOWN := {
		"value": TYPE_OBJECT, "value_float": TYPE_FLOAT, "value_floats": TYPE_PACKED_FLOAT32_ARRAY,
		"value_int": TYPE_INT, "value_ints": TYPE_PACKED_INT64_ARRAY,
	}
	for name: String in node.given:
		if name not in KNOWN or typeof(node.given[name]) != KNOWN[name]:
			return "Constant has the attribute %s, which is not known here" % name
	return "" if node.given.size() == 1 else "Constant has %d values" % node.given.size()


## What a node makes of its inputs, null for one that is left out: its outputs, or one tensor with a problem.
static func run(node: Dictionary, inputs: Array[SandlotTensor]) -> Array[SandlotTensor]:
	if node.op == "Split":
		return SandlotShapes.split(node, inputs, node.outputs.size())
	if node.op in SandlotRecurrent.GATES:
		return SandlotRecurrent.run(node, inputs)
	var function: Callable = table[node.op][3]
	return [function.call(node, inputs)]
