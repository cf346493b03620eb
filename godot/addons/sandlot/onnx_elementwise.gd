class_name SandlotElementwise
extends RefCounted
## Operators of ONNX that work number by number, with broadcasting.
##
## Each takes its node and its inputs, and gives a tensor or a problem. What an operator does not do is refused,
## never done in another way.

const INTEGERS: Array[String] = ["Neg", "Abs", "Sign"]  # that also take whole numbers
const SQRT_HALF := 0.70710678118654752


# ---------------------------------------------------------------- two sides


static func arithmetic(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var a := inputs[0]
	var b := inputs[1]
	if a.kind != b.kind or a.kind == SandlotTensor.Kind.BOOL:
		return SandlotTensor.invalid("it takes two sides of numbers of one type")
	var out := _for_both(a, b, a.kind)
	if out.problem:
		return out
	var x := a.spread(out.shape)
	var y := b.spread(out.shape)
	var made := out.data  # the same numbers, not a copy
	match node.op:
		"Add":
			for i in made.size():
				made[i] = x[i] + y[i]
		"Sub":
			for i in made.size():
				made[i] = x[i] - y[i]
		"Mul":
			for i in made.size():
				made[i] = x[i] * y[i]
		_:
			if a.kind == SandlotTensor.Kind.INT:
				return _divided(out, x, y)
			for i in made.size():
				made[i] = x[i] / y[i]
	return out if out.is_exact() else SandlotTensor.invalid("a whole number is beyond 2^24")


static func _divided(out: SandlotTensor, x: PackedFloat32Array, y: PackedFloat32Array) -> SandlotTensor:
	for i in out.size():
		if y[i] == 0.0:
			return SandlotTensor.invalid("a whole number is divided by 0")
		out.data[i] = int(x[i] / y[i])  # towards 0
	return out


static func power(_node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	if inputs[0].kind != SandlotTensor.Kind.FLOAT or inputs[1].kind == SandlotTensor.Kind.BOOL:
		return SandlotTensor.invalid("it takes floats, raised to numbers")
	var out := _for_both(inputs[0], inputs[1], SandlotTensor.Kind.FLOAT)
	if out.problem:
		return out
	var x := inputs[0].spread(out.shape)
	var y := inputs[1].spread(out.shape)
	for i in out.size():
		out.data[i] = pow(x[i], y[i])
	return out


static func compare(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	if inputs[0].kind != inputs[1].kind:
		return SandlotTensor.invalid("it takes two sides of one type")
	if inputs[0].kind == SandlotTensor.Kind.BOOL and node.op != "Equal":
		return SandlotTensor.invalid("it takes numbers")
	var out := _for_both(inputs[0], inputs[1], SandlotTensor.Kind.BOOL)
	if out.problem:
		return out
	var x := inputs[0].spread(out.shape)
	var y := inputs[1].spread(out.shape)
	for i in out.size():
		var holds := false
		match node.op:
			"Equal":
				holds = x[i] == y[i]
			"Greater":
				holds = x[i] > y[i]
			"GreaterOrEqual":
				holds = x[i] >= y[i]
			"Less":
				holds = x[i] < y[i]
			_:
				holds = x[i] <= y[i]
		out.data[i] = 1.0 if holds else 0.0
	return out


static func logic(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	for input in inputs:
		if input.kind != SandlotTensor.Kind.BOOL:
			return SandlotTensor.invalid("it takes true and false")
	var other := inputs[1] if inputs.size() > 1 else inputs[0]
	var out := _for_both(inputs[0], other, SandlotTensor.Kind.BOOL)
	if out.problem:
		return out
	var x := inputs[0].spread(out.shape)
	var y := other.spread(out.shape)
	for i in out.size():
		match node.op:
			"And":
				out.data[i] = x[i] * y[i]
			"Or":
				out.data[i] = maxf(x[i], y[i])
			"Xor":
				out.data[i] = absf(x[i] - y[i])
			_:
				out.data[i] = 1.0 - x[i]
	return out


## Negative numbers times a slope, which has the shape of the numbers or stretches to it.
static func parametric_relu(_node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	if x.kind != SandlotTensor.Kind.FLOAT or inputs[1].kind != SandlotTensor.Kind.FLOAT:
		return SandlotTensor.invalid("it takes floats")
	if SandlotTensor.together(x.shape, inputs[1].shape) != x.shape:
		return SandlotTensor.invalid("shapes %s and %s do not fit" % [x.shape, inputs[1].shape])
	var slope := inputs[1].spread(x.shape)
	var made := x.data.duplicate()
	for i in made.size():
		if made[i] < 0.0:
			made[i] *= slope[i]
	return SandlotTensor.of(made, x.shape)


static func where(_node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	if inputs[0].kind != SandlotTensor.Kind.BOOL or inputs[1].kind != inputs[2].kind:
		return SandlotTensor.invalid("it takes true and false, then two sides of one type")
	var chosen := _for_both(inputs[1], inputs[2], inputs[1].kind)
	if chosen.problem:
		return chosen
	var out := _for_both(chosen, inputs[0], inputs[1].kind)
	if out.problem:
		return out
	var choice := inputs[0].spread(out.shape)
	var x := inputs[1].spread(out.shape)
	var y := inputs[2].spread(out.shape)
	for i in out.size():
		out.data[i] = x[i] if choice[i] != 0.0 else y[i]
	return out


## Of any number of inputs, the least or the most.
static func extreme(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var out := inputs[0]
	for i in range(1, inputs.size()):
		out = _extreme_of(node.op == "Max", out, inputs[i])
		if out.problem:
			break
	return out


static func _extreme_of(most: bool, a: SandlotTensor, b: SandlotTensor) -> SandlotTensor:
	if a.kind != b.kind or a.kind == SandlotTensor.Kind.BOOL:
		return SandlotTensor.invalid("it takes numbers of one type")
	var out := _for_both(a, b, a.kind)
	if out.problem:
		return out
	var x := a.spread(out.shape)
	var y := b.spread(out.shape)
	for i in out.size():
		var first := x[i] > y[i] if most else x[i] < y[i]
		out.data[i] = x[i] if first or is_nan(x[i]) else y[i]
	return out


static func clip(_node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var out := inputs[0]
	for place in [1, 2]:
		var limit: SandlotTensor = inputs[place] if place < inputs.size() else null
		if limit == null:
			continue
		if limit.size() != 1 or limit.rank() > 1:
			return SandlotTensor.invalid("its limits are single numbers")
		out = _extreme_of(place == 1, out, limit.reshaped(PackedInt32Array()))
		if out.problem:
			return out
	return out


static func _for_both(a: SandlotTensor, b: SandlotTensor, kind: SandlotTensor.Kind) -> SandlotTensor:
	var shape := SandlotTensor.together(a.shape, b.shape)
	if shape == PackedInt32Array([-1]):
		return SandlotTensor.invalid("shapes %s and %s do not fit" % [a.shape, b.shape])
	return SandlotTensor.zeros(shape, kind)


# ---------------------------------------------------------------- one side


static func unary(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var x := inputs[0]
	if x.kind == SandlotTensor.Kind.BOOL or (x.kind == SandlotTensor.Kind.INT and node.op not in INTEGERS):
		return SandlotTensor.invalid("it takes floats")
	var made := x.data.duplicate()
	match node.op:
		"Relu":
			for i in made.size():
				if made[i] < 0.0:
					made[i] = 0.0
		"Tanh":
			for i in made.size():
				made[i] = tanh(made[i])
		"Sigmoid":
			for i in made.size():
				made[i] = sigmoid(made[i])
		_:
			var function := _function(node)
			for i in made.size():
				made[i] = function.call(made[i])
	return SandlotTensor.of(made, x.shape, x.kind)


static func _function(node: Dictionary) -> Callable:
	var alpha: float = node.attributes.get("alpha", 0.0)
	var beta: float = node.attributes.get("beta", 0.0)
	var gamma: float = node.attributes.get("gamma", 0.0)
	match node.op:
		"Abs":
			return func(x: float) -> float: return absf(x)
		"Neg":
			return func(x: float) -> float: return -x
		"Sign":
			return func(x: float) -> float: return signf(x)
		"Exp":
			return func(x: float) -> float: return exp(x)
		"Log":
			return func(x: float) -> float: return log(x)
		"Sqrt":
			return func(x: float) -> float: return sqrt(x)
		"Reciprocal":
			return func(x: float) -> float: return 1.0 / x
		"Floor":
			return func(x: float) -> float: return floorf(x)
		"Ceil":
			return func(x: float) -> float: return ceilf(x)
		"Round":
			return round_to_even
		"Sin":
			return func(x: float) -> float: return sin(x)
		"Cos":
			return func(x: float) -> float: return cos(x)
		"Erf":
			return erf
		"Softplus":
			return func(x: float) -> float: return maxf(x, 0.0) + log(1.0 + exp(-absf(x)))
		"Softsign":
			return func(x: float) -> float: return x / (1.0 + absf(x))
		"LeakyRelu":
			return func(x: float) -> float: return alpha * x if x < 0.0 else x
		"Elu":
			return func(x: float) -> float: return alpha * (exp(x) - 1.0) if x < 0.0 else x
		"Selu":
			return func(x: float) -> float: return gamma * (alpha * (exp(x) - 1.0) if x <= 0.0 else x)
		"Celu":
			return func(x: float) -> float: return maxf(0.0, x) + minf(0.0, alpha * (exp(x / alpha) - 1.0))
		"ThresholdedRelu":
			return func(x: float) -> float: return x if x > alpha else 0.0
		"HardSigmoid":
			return func(x: float) -> float: return maxf(0.0, minf(1.0, alpha * x + beta))
		"HardSwish":
			return func(x: float) -> float: return x * maxf(0.0, minf(1.0, x / 6.0 + 0.5))
		"Swish":
			return func(x: float) -> float: return x * sigmoid(alpha * x)
		"Mish":
			return func(x: float) -> float: return x * tanh(maxf(x, 0.0) + log(1.0 + exp(-absf(x))))
	return func(x: float) -> float: return gelu(x, node.attributes.approximate == "tanh")


static func sigmoid(x: float) -> float:
	if x >= 0.0:
		return 1.0 / (1.0 + exp(-x))
	var small := exp(x)  # of a negative number: it cannot be too large
	return small / (1.0 + small)


static func gelu(x: float, by_tanh: bool) -> float:
	if by_tanh:
		return 0.5 * x * (1.0 + tanh(sqrt(2.0 / PI) * (x + 0.044715 * x * x * x)))
	return 0.5 * x * (1.0 + erf(x * SQRT_HALF))


static func round_to_even(x: float) -> float:
	var down := floorf(x)
	var rest := x - down
	if rest == 0.5:
		return down if fmod(down, 2.0) == 0.0 else down + 1.0
	return down if rest < 0.5 else down + 1.0


## The error function: its series near 0, the continued fraction of its complement beyond.
static func erf(x: float) -> float:
	if is_nan(x):
		return x
	var far := absf(x)
	if far > 6.0:
		return signf(x)
	if far < 2.5:
		var term := x
		var sum := x
		for n in range(1, 60):
			term *= -x * x / n
			sum += term / (2 * n + 1)
		return sum * 2.0 / sqrt(PI)
	var fraction := 0.0
	for n in range(60, 0, -1):
		fraction = n * 0.5 / (far + fraction)
	return signf(x) * (1.0 - exp(-far * far) / (sqrt(PI) * (far + fraction)))


static func cast(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var out := SandlotTensor.of(inputs[0].data.duplicate(), inputs[0].shape)
	match node.attributes.to:
		SandlotOnnxFile.FLOAT:
			return out
		SandlotOnnxFile.INT32, SandlotOnnxFile.INT64:
			out.kind = SandlotTensor.Kind.INT
			for i in out.size():
				if not absf(out.data[i]) <= SandlotTensor.LARGEST_INT:
					return SandlotTensor.invalid("a whole number is beyond 2^24")
				out.data[i] = int(out.data[i])
			return out
		SandlotOnnxFile.BOOL:
			out.kind = SandlotTensor.Kind.BOOL
			for i in out.size():
				out.data[i] = 0.0 if out.data[i] == 0.0 else 1.0
			return out
	return SandlotTensor.invalid("to = %s; known are float, int32, int64 and bool" % node.attributes.to)
