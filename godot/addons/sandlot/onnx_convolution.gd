class_name SandlotConvolution
extends RefCounted
## Operators of ONNX that slide a window over a picture: Conv, MaxPool, AveragePool, over one, two or three sides.
##
## A tensor is [rows, channels, sides…]. A convolution is done as a product of matrices: every window becomes a row.

const PADDINGS: Array[String] = ["NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"]


static func conv(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	var w := inputs[1]
	var bias: SandlotTensor = inputs[2] if inputs.size() > 2 else null
	var fault := _check_filters(node, x, w, bias)
	if fault:
		return SandlotTensor.invalid(fault)
	var window := _window(node, x.shape.slice(2), w.shape.slice(2))
	if window.has("problem"):
		return SandlotTensor.invalid(window.problem)
	var groups: int = node.attributes.group
	var out := SandlotTensor.zeros(PackedInt32Array([x.shape[0], w.shape[0]]) + (window.out as PackedInt32Array))
	if out.problem or out.size() * w.size() / maxi(w.shape[0], 1) > SandlotMatrix.MOST_PRODUCTS:
		return SandlotTensor.invalid("shapes %s and %s are too large" % [x.shape, w.shape])
	if node.get("filters") == null:
		node.filters = _packed(w, groups)
	var places: Array[PackedInt32Array] = _places(x.shape.slice(2), window)
	var across := _count(window.out)
	for row in x.shape[0]:
		for group in groups:
			_convolve(x, row, group, groups, places, node.filters[group], out, across, bias)
	return out


static func _check_filters(
	node: Dictionary, x: SandlotTensor, w: SandlotTensor, bias: SandlotTensor
) -> String:
	var groups: int = node.attributes.group
	if x.rank() < 3 or x.rank() > 5 or w.rank() != x.rank() or groups < 1:
		return "it takes [rows, channels, sides], not %s and %s" % [x.shape, w.shape]
	if x.kind != SandlotTensor.Kind.FLOAT or w.kind != SandlotTensor.Kind.FLOAT:
		return "it takes floats"
	if w.shape[0] % groups or x.shape[1] != w.shape[1] * groups:
		return "shapes %s and %s do not fit in %d groups" % [x.shape, w.shape, groups]
	if bias != null and bias.shape != PackedInt32Array([w.shape[0]]):
		return "its bias has shape %s, for %d channels" % [bias.shape, w.shape[0]]
	var kernel: Variant = node.attributes.kernel_shape
	if kernel != null and PackedInt32Array(Array(kernel)) != w.shape.slice(2):
		return "kernel_shape = %s, its filters have shape %s" % [kernel, w.shape]
	return ""


## Filters of each group, ready for [method SandlotMatrix.multiply].
static func _packed(w: SandlotTensor, groups: int) -> Array[PackedVector4Array]:
	var made: Array[PackedVector4Array] = []
	@warning_ignore("integer_division")
	var count := w.shape[0] / groups
	var wide := w.stride(0)
	for group in groups:
		var own := w.data.slice(group * count * wide, (group + 1) * count * wide)
		made.append(SandlotMatrix.pack(SandlotTensor.of(own, PackedInt32Array([count, wide])), true))
	return made


static func _convolve(
	x: SandlotTensor, row: int, group: int, groups: int, places: Array[PackedInt32Array],
	filters: PackedVector4Array, out: SandlotTensor, across: int, bias: SandlotTensor
) -> void:
	@warning_ignore("integer_division")
	var channels := x.shape[1] / groups
	@warning_ignore("integer_division")
	var count := out.shape[1] / groups
	var area := x.stride(1)
	var from := (row * x.shape[1] + group * channels) * area
	var to := (row * out.shape[1] + group * count) * across
	var numbers := x.data
	var window := PackedFloat32Array()
	window.resize(channels * (places[0].size() if places else 0))
	var answers := PackedFloat32Array()
	answers.resize(count)
	for place in across:
		var at := 0
		for channel in channels:
			var base := from + channel * area
			for offset in places[place]:
				window[at] = numbers[base + offset] if offset >= 0 else 0.0
				at += 1
		SandlotMatrix.multiply(window, 0, 1, window.size(), filters, answers, 0, count)
		for i in count:
			out.data[to + i * across + place] = answers[i]
	if bias != null:
		for i in count:
			var more := bias.data[group * count + i]
			for place in across:
				out.data[to + i * across + place] += more


static func pool(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	var kernel := PackedInt32Array(Array(node.attributes.kernel_shape))
	if x.rank() < 3 or x.rank() > 5 or x.kind != SandlotTensor.Kind.FLOAT or kernel.size() != x.rank() - 2:
		return SandlotTensor.invalid("it takes floats [rows, channels, sides], not %s" % [x.shape])
	if node.attributes.get("storage_order", 0) != 0:
		return SandlotTensor.invalid("storage_order = %s; known is 0" % node.attributes.storage_order)
	var window := _window(node, x.shape.slice(2), kernel)
	if window.has("problem"):
		return SandlotTensor.invalid(window.problem)
	var out := SandlotTensor.zeros(x.shape.slice(0, 2) + (window.out as PackedInt32Array))
	if out.problem or out.size() * _count(kernel) > SandlotMatrix.MOST_PRODUCTS:
		return SandlotTensor.invalid("shape %s is too large" % [x.shape])
	var places: Array[PackedInt32Array] = _places(x.shape.slice(2), window)
	var divisors := _divisors(node, x.shape.slice(2), window, places)
	var area := x.stride(1)
	for channel in x.shape[0] * x.shape[1]:
		for place in places.size():
			out.data[channel * places.size() + place] = (
				_largest(x.data, channel * area, places[place]) if node.op == "MaxPool"
				else _sum(x.data, channel * area, places[place]) / divisors[place]
			)
	return out


static func _largest(numbers: PackedFloat32Array, base: int, offsets: PackedInt32Array) -> float:
	var most := -INF
	for offset in offsets:
		if offset >= 0:
			most = maxf(most, numbers[base + offset])
	return most


static func _sum(numbers: PackedFloat32Array, base: int, offsets: PackedInt32Array) -> float:
	var sum := 0.0
	for offset in offsets:
		if offset >= 0:
			sum += numbers[base + offset]
	return sum


## Numbers that an average is over, by window: those inside the picture, or those inside its padding too.
static func _divisors(
	node: Dictionary, sides: PackedInt32Array, window: Dictionary, places: Array[PackedInt32Array]
) -> PackedFloat32Array:
	var made := PackedFloat32Array()
	if node.op == "MaxPool":
		return made
	var whole := window.duplicate()
	if node.attributes.count_include_pad:  # what lies beyond even the padding is not counted
		var wider := sides.duplicate()
		for i in sides.size():
			wider[i] += window.before[i] + window.after[i]
		whole.before = PackedInt32Array()
		whole.before.resize(sides.size())
		places = _places(wider, whole)
	for offsets in places:
		var inside := 0
		for offset in offsets:
			inside += 1 if offset >= 0 else 0
		made.append(maxf(inside, 1.0))
	return made


## Over all sides of a picture at once.
static func global_pool(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	if x.rank() < 3 or x.kind != SandlotTensor.Kind.FLOAT or x.stride(1) == 0:
		return SandlotTensor.invalid("it takes floats [rows, channels, sides], not %s" % [x.shape])
	var sides := x.shape.duplicate()
	for i in range(2, x.rank()):
		sides[i] = 1
	var out := SandlotTensor.zeros(sides)
	var offsets := PackedInt32Array(range(x.stride(1)))
	for i in out.size():
		var base := i * offsets.size()
		out.data[i] = (
			_largest(x.data, base, offsets) if node.op == "GlobalMaxPool"
			else _sum(x.data, base, offsets) / offsets.size()
		)
	return out


# ---------------------------------------------------------------- windows


## Where windows lie: {kernel, strides, dilations, before, after, out}; {problem} where they cannot.
static func _window(node: Dictionary, sides: PackedInt32Array, kernel: PackedInt32Array) -> Dictionary:
	var flags: Dictionary = node.attributes
	var made := {
		"kernel": kernel,
		"strides": _list(flags.strides, sides.size(), 1),
		"dilations": _list(flags.dilations, sides.size(), 1),
		"before": PackedInt32Array(), "after": PackedInt32Array(), "out": PackedInt32Array(),
	}
	var pads := _list(flags.pads, sides.size() * 2, 0)
	if flags.auto_pad not in PADDINGS:
		return {"problem": "auto_pad = %s; known are %s" % [flags.auto_pad, ", ".join(PADDINGS)]}
	if flags.auto_pad != "NOTSET" and flags.pads != null and Array(pads).any(func(pad: int) -> bool: return pad != 0):
		return {"problem": "it has both auto_pad and pads"}
	for name: String in ["strides", "dilations"]:
		if made[name].size() != sides.size() or Array(made[name]).any(func(one: int) -> bool: return one < 1):
			return {"problem": "%s = %s for %d sides" % [name, flags[name], sides.size()]}
	if pads.size() != sides.size() * 2 or Array(pads).any(func(pad: int) -> bool: return pad < 0):
		return {"problem": "pads = %s for %d sides" % [flags.pads, sides.size()]}
	for i in sides.size():
		var reach: int = (kernel[i] - 1) * made.dilations[i] + 1
		var step: int = made.strides[i]
		if kernel[i] < 1 or reach > SandlotTensor.MOST_NUMBERS or step > SandlotTensor.MOST_NUMBERS:
			return {"problem": "a window of %s" % [kernel]}
		var padding := _padding(flags.auto_pad, sides[i], reach, step, pads[i], pads[i + sides.size()])
		var free := sides[i] + padding.x + padding.y - reach
		if free < 0:
			return {"problem": "a window of %d does not fit into a side of %d" % [reach, sides[i]]}
		var count := floori(float(free) / step) + 1
		if flags.get("ceil_mode", 0):
			count = ceili(float(free) / step) + 1
			if (count - 1) * step >= sides[i] + padding.x:
				count -= 1  # a window that would begin beyond the picture
		made.before.append(padding.x)
		made.after.append(padding.y)
		made.out.append(count)
	return made


static func _padding(how: String, side: int, reach: int, step: int, before: int, after: int) -> Vector2i:
	if how == "NOTSET":
		return Vector2i(before, after)
	if how == "VALID":
		return Vector2i.ZERO
	var missing := (ceili(float(side) / step) - 1) * step + reach - side  # below 0 where windows leave gaps
	@warning_ignore("integer_division")
	var before_it := (missing if how == "SAME_UPPER" else missing + 1) / 2
	return Vector2i(before_it, missing - before_it)


## Of every window the places of its numbers within one channel; -1 for one that lies in the padding.
static func _places(sides: PackedInt32Array, window: Dictionary) -> Array[PackedInt32Array]:
	var made: Array[PackedInt32Array] = []
	var inner := _grid(window.kernel)
	for corner in _grid(window.out):
		var offsets := PackedInt32Array()
		for step in inner:
			var at := 0
			for i in sides.size():
				var along: int = corner[i] * window.strides[i] - window.before[i] + step[i] * window.dilations[i]
				if along < 0 or along >= sides[i]:
					at = -1
					break
				at = at * sides[i] + along
			offsets.append(at)
		made.append(offsets)
	return made


## All places of a grid, in order.
static func _grid(sides: PackedInt32Array) -> Array[PackedInt32Array]:
	var made: Array[PackedInt32Array] = [PackedInt32Array()]
	for side in sides:
		var longer: Array[PackedInt32Array] = []
		for start in made:
			for i in side:
				longer.append(start + PackedInt32Array([i]))
		made = longer
	return made


static func _list(given: Variant, count: int, usual: int) -> PackedInt32Array:
	var made := PackedInt32Array()
	if given != null:
		for number: int in given:
			made.append(clampi(number, -1, SandlotTensor.MOST_NUMBERS + 1))
		return made
	made.resize(count)
	made.fill(usual)
	return made


static func _count(sides: PackedInt32Array) -> int:
	return SandlotTensor.count_of(sides)
