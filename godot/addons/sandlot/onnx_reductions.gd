class_name SandlotReductions
extends RefCounted
## Operators of ONNX that look at many numbers at once: sums, softmax, normalisation, the largest.


static func reduce(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	if x.kind != SandlotTensor.Kind.FLOAT:
		return SandlotTensor.invalid("it takes floats")
	var axes := PackedInt64Array()
	if inputs.size() > 1 and inputs[1] != null:
		axes = inputs[1].to_int64()
	elif node.attributes.axes != null:
		axes = node.attributes.axes
	if axes.is_empty() and node.attributes.noop_with_empty_axes:
		return x
	if axes.is_empty():
		axes = PackedInt64Array(range(x.rank()))
	var sides := x.shape.duplicate()
	for number in axes:
		var at := x.axis(number)
		if at < 0:
			return SandlotTensor.invalid("axes = %s of shape %s" % [axes, x.shape])
		sides[at] = 1
	if x.size() == 0:
		return SandlotTensor.invalid("shape %s has no numbers" % [x.shape])
	if node.op == "ReduceLogSumExp":
		return _kept(node, x, _log_sum_exp(x, sides), axes)
	return _kept(node, x, _reduced(node.op, x, sides), axes)


static func _reduced(op: String, x: SandlotTensor, sides: PackedInt32Array) -> SandlotTensor:
	var places := SandlotTensor.zeros(sides)
	for i in places.size():
		places.data[i] = i
	var homes := places.spread(x.shape)  # where each number goes to; exact, since there are at most 2^24
	var sums := PackedFloat64Array()
	sums.resize(places.size())
	sums.fill({"ReduceMax": -INF, "ReduceMin": INF, "ReduceProd": 1.0}.get(op, 0.0))
	for i in x.size():
		var home := int(homes[i])
		match op:
			"ReduceMax":
				sums[home] = maxf(sums[home], x.data[i])
			"ReduceMin":
				sums[home] = minf(sums[home], x.data[i])
			"ReduceProd":
				sums[home] *= x.data[i]
			"ReduceL1":
				sums[home] += absf(x.data[i])
			"ReduceL2", "ReduceSumSquare":
				sums[home] += x.data[i] * x.data[i]
			_:
				sums[home] += x.data[i]
	var out := SandlotTensor.zeros(sides)
	var each := float(x.size()) / places.size()
	for i in out.size():
		match op:
			"ReduceMean":
				out.data[i] = sums[i] / each
			"ReduceL2":
				out.data[i] = sqrt(sums[i])
			"ReduceLogSum":
				out.data[i] = log(sums[i])
			_:
				out.data[i] = sums[i]
	return out


## By the largest number of each sum, so that nothing overflows.
static func _log_sum_exp(x: SandlotTensor, sides: PackedInt32Array) -> SandlotTensor:
	var most := _reduced("ReduceMax", x, sides)
	var bases := most.spread(x.shape)
	var less := SandlotTensor.of(x.data.duplicate(), x.shape)
	for i in less.size():
		less.data[i] = exp(x.data[i] - bases[i])
	var out := _reduced("ReduceSum", less, sides)
	for i in out.size():
		out.data[i] = log(out.data[i]) + most.data[i]
	return out


static func _kept(node: Dictionary, x: SandlotTensor, out: SandlotTensor, axes: PackedInt64Array) -> SandlotTensor:
	if node.attributes.keepdims:
		return out
	var gone := {}
	for number in axes:
		gone[x.axis(number)] = true
	var sides := PackedInt32Array()
	for i in x.rank():
		if not gone.has(i):
			sides.append(x.shape[i])
	return out.reshaped(sides)


static func softmax(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	var at := x.axis(node.attributes.axis)
	if at < 0 or x.kind != SandlotTensor.Kind.FLOAT:
		return SandlotTensor.invalid("axis = %d of shape %s; it takes floats" % [node.attributes.axis, x.shape])
	var out := SandlotTensor.of(x.data.duplicate(), x.shape)
	var stride := x.stride(at)
	var side := x.shape[at]
	for start in _starts(x, at):
		var most := -INF
		for i in side:
			most = maxf(most, x.data[start + i * stride])
		var sum := 0.0
		for i in side:
			sum += exp(x.data[start + i * stride] - most)
		for i in side:
			var less := x.data[start + i * stride] - most
			out.data[start + i * stride] = exp(less) / sum if node.op == "Softmax" else less - log(sum)
	return out


static func arg_most(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	var at := x.axis(node.attributes.axis)
	if at < 0 or x.kind == SandlotTensor.Kind.BOOL or x.size() == 0:
		return SandlotTensor.invalid("axis = %d of shape %s; it takes numbers" % [node.attributes.axis, x.shape])
	var sides := x.shape.duplicate()
	sides[at] = 1
	var out := SandlotTensor.zeros(sides, SandlotTensor.Kind.INT)
	var stride := x.stride(at)
	var largest: bool = node.op == "ArgMax"
	var last: bool = node.attributes.select_last_index != 0
	var starts := _starts(x, at)
	for place in starts.size():
		var best := 0
		for i in range(1, x.shape[at]):
			var here := x.data[starts[place] + i * stride]
			var there := x.data[starts[place] + best * stride]
			if (here > there if largest else here < there) or (last and here == there):
				best = i
		out.data[place] = best
	return _kept(node, x, out, PackedInt64Array([at]))


static func layer_normalization(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	var at := x.axis(node.attributes.axis)
	if at < 0 or x.kind != SandlotTensor.Kind.FLOAT or node.attributes.stash_type != SandlotOnnxFile.FLOAT:
		return SandlotTensor.invalid("axis = %d of shape %s; it takes floats" % [node.attributes.axis, x.shape])
	var out := SandlotTensor.zeros(x.shape)
	var wide := SandlotTensor.count_of(x.shape.slice(at))
	var scale := _stretched(inputs, 1, x.shape, at, 1.0)
	var bias := _stretched(inputs, 2, x.shape, at, 0.0)
	if scale.size() != wide or bias.size() != wide:
		return SandlotTensor.invalid("its scale or bias does not fit the shape %s" % [x.shape.slice(at)])
	for start in range(0, x.size(), maxi(wide, 1)):
		var mean := 0.0
		for i in wide:
			mean += x.data[start + i]
		mean /= wide
		var spread := 0.0
		for i in wide:
			spread += (x.data[start + i] - mean) * (x.data[start + i] - mean)
		var by := 1.0 / sqrt(spread / wide + node.attributes.epsilon)
		for i in wide:
			out.data[start + i] = (x.data[start + i] - mean) * by * scale[i] + bias[i]
	return out


## By what was measured in training: one mean and one variance for each channel.
static func batch_normalization(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	if x.rank() < 2 or x.kind != SandlotTensor.Kind.FLOAT or node.attributes.training_mode != 0:
		return SandlotTensor.invalid("training_mode = %d of shape %s" % [node.attributes.training_mode, x.shape])
	for input in inputs.slice(1):
		if input.shape != PackedInt32Array([x.shape[1]]) or input.kind != SandlotTensor.Kind.FLOAT:
			return SandlotTensor.invalid("shapes %s and %s do not fit" % [x.shape, input.shape])
	var out := SandlotTensor.zeros(x.shape)
	var area := x.stride(1)
	for channel in x.shape[1]:
		var by := inputs[1].data[channel] / sqrt(inputs[4].data[channel] + node.attributes.epsilon)
		var mean := inputs[3].data[channel]
		var bias := inputs[2].data[channel]
		for row in x.shape[0]:
			var from := (row * x.shape[1] + channel) * area
			for i in range(from, from + area):
				out.data[i] = (x.data[i] - mean) * by + bias
	return out


## An input over the sides that are normalised, or one number where it is not given. Empty where it does not fit.
static func _stretched(
	inputs: Array[SandlotTensor], place: int, sides: PackedInt32Array, at: int, usual: float
) -> PackedFloat32Array:
	var inner := sides.slice(at)
	if place >= inputs.size() or inputs[place] == null:
		var made := PackedFloat32Array()
		made.resize(SandlotTensor.count_of(inner))
		made.fill(usual)
		return made
	var given := inputs[place]
	if SandlotTensor.together(given.shape, inner) != inner:
		return PackedFloat32Array()
	return given.spread(inner)


## The place of the first number of every line along an axis.
static func _starts(x: SandlotTensor, at: int) -> PackedInt32Array:
	var made := PackedInt32Array()
	var stride := x.stride(at)
	var block := stride * x.shape[at]
	for outer in range(0, x.size(), maxi(block, 1)):
		for inner in stride:
			made.append(outer + inner)
	return made
