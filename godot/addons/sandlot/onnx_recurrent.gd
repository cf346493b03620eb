class_name SandlotRecurrent
extends RefCounted
## Recurrent operators of ONNX: GRU, LSTM and RNN, forward, reverse and in both directions.
##
## Inputs: X [steps, rows, numbers], W [ways, gates * units, numbers], R [ways, gates * units, units],
## B [ways, 2 * gates * units], sequence_lens (not known here), initial_h, and of LSTM initial_c, both [ways, rows, units].

const GATES: Dictionary[String, int] = {"RNN": 1, "GRU": 3, "LSTM": 4}
const WAYS: Dictionary[String, int] = {"forward": 1, "reverse": 1, "bidirectional": 2}
const USUAL := {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
const MOST_STEPS := 100_000


## The outputs Y, Y_h and, of LSTM, Y_c; or one tensor with a problem.
static func run(node: Dictionary, inputs: Array[SandlotTensor]) -> Array[SandlotTensor]:
	var fault := _check(node, inputs)
	if fault:
		return [SandlotTensor.invalid(fault)]
	var x := inputs[0]
	var ways: int = WAYS[node.attributes.direction]
	var units: int = inputs[2].shape[2]
	var states := PackedInt32Array([ways, x.shape[1], units])
	var y := SandlotTensor.zeros(PackedInt32Array([x.shape[0], ways, x.shape[1], units]))
	var h := SandlotTensor.of(_given(inputs, 5, states), states)
	var c := SandlotTensor.of(_given(inputs, 6, states), states)
	if y.problem:
		return [y]
	for way in ways:
		var back: bool = node.attributes.direction == "reverse" or way == 1
		_run_way(node, inputs, way, back, y, h, c)
	var made: Array[SandlotTensor] = [y, h]
	if node.op == "LSTM":
		made.append(c)
	return made


static func _check(node: Dictionary, inputs: Array[SandlotTensor]) -> String:
	var flags: Dictionary = node.attributes
	var gates: int = GATES[node.op]
	if flags.direction not in WAYS:
		return "direction = %s; known are %s" % [flags.direction, ", ".join(PackedStringArray(WAYS.keys()))]
	var ways: int = WAYS[flags.direction]
	var usual: Array = []
	for way in ways:
		usual.append_array(USUAL[node.op])
	if flags.activations != null and Array(flags.activations) != usual:
		return "activations = %s; known are %s" % [", ".join(flags.activations), ", ".join(PackedStringArray(usual))]
	for name: String in ["clip", "activation_alpha", "activation_beta"]:
		if flags[name] != null:
			return "it has the attribute %s, which is not known here" % name
	if flags.layout != 0 or flags.get("input_forget", 0) != 0:
		return "layout = %d, input_forget = %d; known is 0" % [flags.layout, flags.get("input_forget", 0)]
	if inputs.size() > 4 and inputs[4] != null:
		return "it has sequence_lens, which are not known here"
	if inputs.size() > 7 and inputs[7] != null:
		return "it has peepholes, which are not known here"
	for one in inputs:
		if one != null and one.kind != SandlotTensor.Kind.FLOAT:
			return "it takes floats"
	var x := inputs[0]
	var r := inputs[2]
	if x.rank() != 3 or inputs[1].rank() != 3 or r.rank() != 3 or x.shape[0] > MOST_STEPS:
		return "shapes %s, %s and %s do not fit" % [x.shape, inputs[1].shape, r.shape]
	var units := r.shape[2]
	var rows := x.shape[1]
	if flags.hidden_size != null and flags.hidden_size != units:
		return "hidden_size = %d, its weights have %d" % [flags.hidden_size, units]
	var expected := {
		1: [ways, gates * units, x.shape[2]], 2: [ways, gates * units, units], 3: [ways, 2 * gates * units],
		5: [ways, rows, units], 6: [ways, rows, units],
	}
	for place: int in expected:
		var given: SandlotTensor = inputs[place] if place < inputs.size() else null
		if given != null and given.shape != PackedInt32Array(expected[place]):
			return "its input %d has shape %s, expected %s" % [place, given.shape, expected[place]]
	if x.shape[0] * rows * r.size() + x.size() * gates * units > SandlotMatrix.MOST_PRODUCTS:
		return "shapes %s and %s are too large" % [x.shape, r.shape]
	return ""


static func _given(inputs: Array[SandlotTensor], place: int, sides: PackedInt32Array) -> PackedFloat32Array:
	if place < inputs.size() and inputs[place] != null:
		return inputs[place].data.duplicate()
	return SandlotTensor.zeros(sides).data


## One direction, step by step; h and c hold the last state afterwards.
static func _run_way(
	node: Dictionary, inputs: Array[SandlotTensor], way: int, back: bool, y: SandlotTensor, h: SandlotTensor,
	c: SandlotTensor
) -> void:
	var x := inputs[0]
	var units := y.shape[3]
	var rows := x.shape[1]
	var numbers := x.shape[2]
	var high: int = GATES[node.op] * units
	var weights: Array = _weights(node, inputs, way, high)
	var biases: PackedFloat32Array = weights[2]
	var seen := PackedFloat32Array()
	seen.resize(high)
	var kept := seen.duplicate()
	for step in x.shape[0]:
		var at := x.shape[0] - 1 - step if back else step
		for row in rows:
			var place := (way * rows + row) * units
			SandlotMatrix.multiply(x.data, (at * rows + row) * numbers, 1, numbers, weights[0], seen, 0, high)
			SandlotMatrix.multiply(h.data, place, 1, units, weights[1], kept, 0, high)
			match node.op:
				"GRU":
					_gru(node, seen, kept, biases, h.data, place, units, weights[1])
				"LSTM":
					_lstm(seen, kept, biases, h.data, c.data, place, units)
				_:
					for i in units:
						h.data[place + i] = tanh(seen[i] + kept[i] + biases[i] + biases[units + i])
			var to := ((at * y.shape[1] + way) * rows + row) * units
			for i in units:
				y.data[to + i] = h.data[place + i]


## Packed W, packed R and the biases of one direction; made once where they are constants.
static func _weights(node: Dictionary, inputs: Array[SandlotTensor], way: int, high: int) -> Array:
	var packed: Array = node.get_or_add("recurrent", [])
	while packed.size() <= way:
		var own := packed.size()
		var pair: Array = []
		for place in [1, 2]:
			var wide := inputs[place].shape[2]
			var numbers := inputs[place].data.slice(own * high * wide, (own + 1) * high * wide)
			pair.append(SandlotMatrix.pack(SandlotTensor.of(numbers, PackedInt32Array([high, wide])), true))
		var biases := PackedFloat32Array()
		biases.resize(2 * high)
		if inputs.size() > 3 and inputs[3] != null:
			biases = inputs[3].data.slice(own * 2 * high, (own + 1) * 2 * high)
		pair.append(biases)
		packed.append(pair)
	return packed[way]


## Gates in the order update, reset, new.
static func _gru(
	node: Dictionary, seen: PackedFloat32Array, kept: PackedFloat32Array, b: PackedFloat32Array,
	h: PackedFloat32Array, place: int, units: int, packed: PackedVector4Array
) -> void:
	var wide := 3 * units
	var update := PackedFloat32Array()
	var reset := PackedFloat32Array()
	for i in units:
		update.append(SandlotElementwise.sigmoid(seen[i] + kept[i] + b[i] + b[wide + i]))
		var j := units + i
		reset.append(SandlotElementwise.sigmoid(seen[j] + kept[j] + b[j] + b[wide + j]))
	var inner := kept
	if not node.attributes.linear_before_reset:  # the reset state goes through the weights
		var faded := PackedFloat32Array()
		for i in units:
			faded.append(reset[i] * h[place + i])
		inner = kept.duplicate()
		SandlotMatrix.multiply(faded, 0, 1, units, packed, inner, 0, wide)
	for i in units:
		var j := 2 * units + i
		var through := inner[j] + b[wide + j]
		if node.attributes.linear_before_reset:
			through *= reset[i]
		var new := tanh(seen[j] + b[j] + through)
		h[place + i] = (1.0 - update[i]) * new + update[i] * h[place + i]


## Gates in the order input, output, forget, cell.
static func _lstm(
	seen: PackedFloat32Array, kept: PackedFloat32Array, b: PackedFloat32Array, h: PackedFloat32Array,
	c: PackedFloat32Array, place: int, units: int
) -> void:
	var wide := 4 * units
	for i in units:
		var gates: Array[float] = []
		for gate in 4:
			var j := gate * units + i
			gates.append(seen[j] + kept[j] + b[j] + b[wide + j])
		var cell := SandlotElementwise.sigmoid(gates[2]) * c[place + i]
		cell += SandlotElementwise.sigmoid(gates[0]) * tanh(gates[3])
		c[place + i] = cell
		h[place + i] = SandlotElementwise.sigmoid(gates[1]) * tanh(cell)
