class_name SandlotShapes
extends RefCounted
## Operators of ONNX that move numbers and leave them as they are.


static func identity(_node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	return inputs[0]


static func constant(node: Dictionary, _inputs: Array[SandlotTensor]) -> SandlotTensor:
	var given: Dictionary = node.given
	if given.size() != 1:
		return SandlotTensor.invalid("it has one value")
	var value: Variant = given.values()[0]
	match given.keys()[0]:
		"value_float":
			return SandlotTensor.of(PackedFloat32Array([value]), PackedInt32Array())
		"value_floats":
			return SandlotTensor.of(value, PackedInt32Array([value.size()]))
		"value_int":
			return SandlotTensor.of_int64(PackedInt64Array([value]), PackedInt32Array())
		"value_ints":
			return SandlotTensor.of_int64(value, PackedInt32Array([value.size()]))
	return value


static func constant_of_shape(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var value: SandlotTensor = node.attributes.value
	var out := SandlotTensor.zeros(_sides(inputs[0]), SandlotTensor.Kind.FLOAT if value == null else value.kind)
	if value != null and value.size() != 1:
		return SandlotTensor.invalid("its value is one number")
	if value != null:
		out.data.fill(value.data[0])
	return out


static func reshape(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	var sides := _sides(inputs[1])
	var open := -1
	var known := 1
	for i in sides.size():
		if sides[i] == 0 and not node.attributes.allowzero:
			if i >= x.rank():
				return SandlotTensor.invalid("shape %s copies a side that %s does not have" % [sides, x.shape])
			sides[i] = x.shape[i]
		if sides[i] == -1 and open < 0:
			open = i
		elif sides[i] < 0 or known * sides[i] > SandlotTensor.MOST_NUMBERS:
			return SandlotTensor.invalid("shape %s is none" % [sides])
		else:
			known *= sides[i]
	if open >= 0:
		@warning_ignore("integer_division")
		sides[open] = x.size() / known if known else 0
	if SandlotTensor.count_of(sides) != x.size():
		return SandlotTensor.invalid("%s cannot become %s" % [x.shape, sides])
	return x.reshaped(sides)


static func flatten(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	var at: int = x.rank() if node.attributes.axis == x.rank() else x.axis(node.attributes.axis)
	if at < 0:
		return _no_axis(node, x)
	var high := SandlotTensor.count_of(x.shape.slice(0, at))
	return x.reshaped(PackedInt32Array([high, SandlotTensor.count_of(x.shape.slice(at))]))


static func squeeze(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	var gone := {}
	for i in x.rank():
		if x.shape[i] == 1 and inputs.size() < 2:
			gone[i] = true
	for number in inputs[1].to_int64() if inputs.size() > 1 else PackedInt64Array():
		var at := x.axis(number)
		if at < 0 or x.shape[at] != 1:
			return SandlotTensor.invalid("axis %d of %s cannot be left out" % [number, x.shape])
		gone[at] = true
	var sides := PackedInt32Array()
	for i in x.rank():
		if not gone.has(i):
			sides.append(x.shape[i])
	return x.reshaped(sides)


static func unsqueeze(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	var axes := inputs[1].to_int64()
	var made := {}
	for number in axes:
		var at := x.axis(number, axes.size())
		if at < 0 or made.has(at):
			return SandlotTensor.invalid("axes %s of %s" % [axes, x.shape])
		made[at] = true
	var sides := PackedInt32Array()
	var from := 0
	for i in x.rank() + axes.size():
		sides.append(1 if made.has(i) else x.shape[from])
		from += 0 if made.has(i) else 1
	return x.reshaped(sides)


static func expand(_node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var sides := SandlotTensor.together(inputs[0].shape, _sides(inputs[1]))
	if SandlotTensor.count_of(sides) < 0:
		return SandlotTensor.invalid("%s cannot become %s" % [inputs[0].shape, inputs[1].to_int64()])
	return SandlotTensor.of(inputs[0].spread(sides), sides, inputs[0].kind)


static func shape(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var sides := inputs[0].shape
	var start := _bound(node.attributes.start, sides.size())
	var end: int = sides.size() if node.attributes.end == null else _bound(node.attributes.end, sides.size())
	var chosen := PackedInt64Array(Array(sides.slice(start, maxi(start, end))))
	return SandlotTensor.of_int64(chosen, PackedInt32Array([chosen.size()]))


static func transpose(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	var order: PackedInt64Array = PackedInt64Array()
	if node.attributes.perm == null:
		for i in range(x.rank() - 1, -1, -1):
			order.append(i)
	else:
		order = node.attributes.perm
	var sorted := order.duplicate()
	sorted.sort()
	if sorted != PackedInt64Array(range(x.rank())):
		return SandlotTensor.invalid("perm %s of %s" % [order, x.shape])
	var sides := PackedInt32Array()
	var steps := PackedInt32Array()
	for from in order:
		sides.append(x.shape[from])
		steps.append(x.stride(from))
	return SandlotTensor.of(x.strided(sides, steps), sides, x.kind)


static func concat(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var first := inputs[0]
	var at := first.axis(node.attributes.axis)
	if at < 0:
		return _no_axis(node, first)
	var sides := first.shape.duplicate()
	sides[at] = 0
	for input in inputs:
		var alike := input.rank() == first.rank() and input.kind == first.kind
		for i in first.rank() if alike else 0:
			alike = alike and (i == at or input.shape[i] == first.shape[i])
		if not alike:
			return SandlotTensor.invalid("shapes %s and %s do not fit" % [first.shape, input.shape])
		sides[at] += input.shape[at]
	if SandlotTensor.count_of(sides) < 0:
		return SandlotTensor.invalid("shape %s is too large" % [sides])
	var made := PackedFloat32Array()
	for before in SandlotTensor.count_of(sides.slice(0, at)):
		for input in inputs:
			var block := input.shape[at] * input.stride(at)
			made.append_array(input.data.slice(before * block, (before + 1) * block))
	return SandlotTensor.of(made, sides, first.kind)


static func slice(_node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	var starts := inputs[1].to_int64()
	var ends := inputs[2].to_int64()
	var axes := PackedInt64Array(range(starts.size()))
	if inputs.size() > 3 and inputs[3] != null:
		axes = inputs[3].to_int64()
	var steps := PackedInt64Array()
	steps.resize(starts.size())
	steps.fill(1)
	if inputs.size() > 4 and inputs[4] != null:
		steps = inputs[4].to_int64()
	if ends.size() != starts.size() or axes.size() != starts.size() or steps.size() != starts.size():
		return SandlotTensor.invalid("starts, ends, axes and steps are of different lengths")
	var out := x
	for i in starts.size():
		var at := x.axis(axes[i]) if absi(axes[i]) <= x.rank() else -1
		if at < 0 or steps[i] == 0:
			return SandlotTensor.invalid("axis %d, step %d of %s" % [axes[i], steps[i], x.shape])
		out = _sliced(out, at, starts[i], ends[i], steps[i])
	return out


static func _sliced(x: SandlotTensor, at: int, start: int, end: int, step: int) -> SandlotTensor:
	var side := x.shape[at]
	var low := 0 if step > 0 else -1  # counting down ends before the first
	var high := side if step > 0 else side - 1
	var from := clampi(start + side if start < 0 else start, low if step > 0 else 0, high)
	var to := clampi(end + side if end < 0 else end, low, high)
	var sides := x.shape.duplicate()
	sides[at] = maxi(0, ceili(float(to - from) / step)) if side else 0
	var steps := PackedInt32Array()
	for i in x.rank():
		steps.append(x.stride(i))
	steps[at] *= clampi(step, -side, side) if side else 1
	return SandlotTensor.of(x.strided(sides, steps, from * x.stride(at)), sides, x.kind)


static func split(node: Dictionary, inputs: Array[SandlotTensor], outputs: int) -> Array[SandlotTensor]:
	var x := inputs[0]
	var at := x.axis(node.attributes.axis)
	if at < 0:
		return [_no_axis(node, x)]
	var parts := PackedInt64Array()
	if inputs.size() > 1 and inputs[1] != null:
		parts = inputs[1].to_int64()
	else:
		var count: int = outputs if node.attributes.num_outputs == null else node.attributes.num_outputs
		if count < 1 or count > maxi(outputs, 1):
			return [SandlotTensor.invalid("num_outputs = %d of %d outputs" % [count, outputs])]
		if x.shape[at] % count and node.attributes.num_outputs == null:
			return [SandlotTensor.invalid("%d cannot be split into %d equal parts" % [x.shape[at], count])]
		for i in count:
			@warning_ignore("integer_division")
			var each := (x.shape[at] + count - 1) / count
			parts.append(clampi(x.shape[at] - i * each, 0, each))
	var sum := 0
	for part in parts:
		if part < 0 or part > x.shape[at]:
			return [SandlotTensor.invalid("parts %s of %d" % [parts, x.shape[at]])]
		sum += part
	if sum != x.shape[at] or parts.size() != outputs:
		return [SandlotTensor.invalid("parts %s of %d, for %d outputs" % [parts, x.shape[at], outputs])]
	var made: Array[SandlotTensor] = []
	var from := 0
	for part in parts:
		made.append(_sliced(x, at, from, from + part, 1))
		from += part
	return made


static func gather(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	var at := x.axis(node.attributes.axis)
	if at < 0 or inputs[1].kind != SandlotTensor.Kind.INT:
		return _no_axis(node, x)
	var sides := x.shape.slice(0, at) + inputs[1].shape + x.shape.slice(at + 1)
	if SandlotTensor.count_of(sides) < 0:
		return SandlotTensor.invalid("shape %s is too large" % [sides])
	var block := x.stride(at)
	var made := PackedFloat32Array()
	for before in SandlotTensor.count_of(x.shape.slice(0, at)):
		for number in inputs[1].to_int64():
			var index := number + x.shape[at] if number < 0 else number
			if index < 0 or index >= x.shape[at]:
				return SandlotTensor.invalid("index %d of %d" % [number, x.shape[at]])
			var from := (before * x.shape[at] + index) * block
			made.append_array(x.data.slice(from, from + block))
	return SandlotTensor.of(made, sides, x.kind)


## The index names, for each place of the output, where to look along one axis.
static func gather_elements(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	var index := inputs[1]
	var at := x.axis(node.attributes.axis)
	if at < 0 or index.kind != SandlotTensor.Kind.INT or index.rank() != x.rank():
		return _no_axis(node, x)
	for i in x.rank():
		if i != at and index.shape[i] > x.shape[i]:
			return SandlotTensor.invalid("shapes %s and %s do not fit" % [x.shape, index.shape])
	var out := SandlotTensor.zeros(index.shape, x.kind)
	for place in out.size():
		var from := 0
		for i in x.rank():
			@warning_ignore("integer_division")
			var along := place / index.stride(i) % index.shape[i]
			if i == at:
				along = int(index.data[place])
				along += x.shape[at] if along < 0 else 0
				if along < 0 or along >= x.shape[at]:
					return SandlotTensor.invalid("index %d of %d" % [index.data[place], x.shape[at]])
			from += along * x.stride(i)
		out.data[place] = x.data[from]
	return out


static func _sides(of: SandlotTensor) -> PackedInt32Array:
	var made := PackedInt32Array()
	for number in of.to_int64():
		made.append(clampi(number, -2, SandlotTensor.MOST_NUMBERS + 1))
	return made


static func _bound(number: int, most: int) -> int:
	return clampi(number + most if number < 0 else number, 0, most)


static func _no_axis(node: Dictionary, x: SandlotTensor) -> SandlotTensor:
	return SandlotTensor.invalid("axis = %s of shape %s" % [node.attributes.get("axis"), x.shape])
