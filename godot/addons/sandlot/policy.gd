class_name SandlotPolicy
extends RefCounted
## A trained policy in a stock Godot: an exported ONNX file, no .NET and no plugin. One observation at a time.
##
## [codeblock]
## var policy := SandlotPolicy.open("res://seeker.onnx")
## if policy.problem: push_error(policy.problem)
## var action := policy.act(observation)
## [/codeblock]
## A policy with memory remembers by itself; call [method forget] when an episode begins.

const NEEDED: Array[String] = ["logits", "mean", "log_std", "button_logits", "next_state"]

var problem := ""  ## why it cannot play
var facts := {}  ## what the file says of itself: game, role, head, observation_size, …
## Draw actions with these random numbers; null: take the likeliest.
var random: SandlotRandom

var _nodes: Array[Dictionary] = []
var _values := {}  # name -> numbers: constants, and those of the last observation
var _shapes := {}  # name -> shape, of constants
var _weights := {}  # name -> weights of a Gemm, four numbers at a time
var _state := PackedFloat32Array()


static func open(path: String) -> SandlotPolicy:
	var made := SandlotPolicy.new()
	var file := SandlotPolicyFile.read(path)
	made.problem = file.problem
	made.facts = file.facts
	if not made.problem:
		made._prepare(file)
	return made


func observation_size() -> int:
	return int(facts.get("observation_size", 0))


## Forget what was seen: a new episode begins.
func forget() -> void:
	_state.resize(int(facts.get("memory", 0)))
	_state.fill(0.0)


## What to do: numbers from -1 to 1, or for a game with one discrete choice its index as the only number.
func act(observation: PackedFloat32Array, mask := PackedFloat32Array()) -> PackedFloat32Array:
	var seen := outputs(observation, mask)
	if seen.is_empty():
		return PackedFloat32Array()
	var head: Dictionary = facts.head
	match head.kind:
		"categorical":
			return PackedFloat32Array([_choose(seen.logits)])
		"table":
			return PackedFloat32Array(head.table[_choose(seen.logits)])
		"gaussian":
			return _numbers(seen)
	var made := _numbers(seen)
	for logit: float in seen.button_logits:
		var pressed := logit > 0.0 if random == null else random.uniform() < 1.0 / (1.0 + exp(-logit))
		made.append(1.0 if pressed else -1.0)
	return made


## What the network says, by name: logits, mean, log_std, button_logits.
func outputs(observation: PackedFloat32Array, mask := PackedFloat32Array()) -> Dictionary:
	if observation.size() != observation_size():
		push_error("The policy sees %d numbers, it was given %d." % [observation_size(), observation.size()])
		return {}
	_values["observations"] = observation
	_values["masks"] = mask
	_values["state"] = _state
	for node in _nodes:
		_values[node.outputs[0]] = _run(node)
	if _values.has("next_state"):
		_state = _values.next_state
	var made := {}
	for name in NEEDED:
		if _values.has(name):
			made[name] = _values[name]
	return made


# ---------------------------------------------------------------- before the first observation


func _prepare(file: SandlotPolicyFile) -> void:
	for name: String in file.tensors:
		_values[name] = file.tensors[name].data
		_shapes[name] = file.tensors[name].shape
	for node in _wanted(file.nodes):
		if _all_constant(node):
			_shapes[node.outputs[0]] = _shapes[node.inputs[0]]
			_values[node.outputs[0]] = _run(node)
		else:
			_nodes.append(node)
			if node.op == "Gemm":
				_pack(node.inputs[1])
	forget()


## Only what an action depends on: the value, for one, is of no use here.
func _wanted(nodes: Array[Dictionary]) -> Array[Dictionary]:
	var needed := {}
	for name in NEEDED:
		needed[name] = true
	var made: Array[Dictionary] = []
	for i in range(nodes.size() - 1, -1, -1):
		if needed.has(nodes[i].outputs[0]):
			made.push_front(nodes[i])
			for input: String in nodes[i].inputs:
				needed[input] = true
	return made


func _all_constant(node: Dictionary) -> bool:
	for input: String in node.inputs:
		if not _shapes.has(input):
			return false
	return true


## Rows padded to whole vectors of four: one dot product then does the work of four multiplications.
func _pack(name: String) -> void:
	var wide: int = _shapes[name][1]
	var vectors := PackedVector4Array()
	var numbers: PackedFloat32Array = _values[name]
	for row: int in _shapes[name][0]:
		vectors.append_array(_fours(numbers.slice(row * wide, (row + 1) * wide)))
	_weights[name] = vectors


static func _fours(numbers: PackedFloat32Array) -> PackedVector4Array:
	var made := PackedVector4Array()
	made.resize(ceili(numbers.size() / 4.0))
	numbers.resize(made.size() * 4)
	for i in made.size():
		made[i] = Vector4(numbers[i * 4], numbers[i * 4 + 1], numbers[i * 4 + 2], numbers[i * 4 + 3])
	return made


# ---------------------------------------------------------------- operators


func _run(node: Dictionary) -> PackedFloat32Array:
	var a: PackedFloat32Array = _values[node.inputs[0]]
	match node.op:
		"Gemm":
			return _gemm(a, _weights[node.inputs[1]], _values[node.inputs[2]])
		"Add", "Mul", "Sub":
			return _pairwise(node.op, a, _values[node.inputs[1]])
		"Clip":
			return _clip(a, _values[node.inputs[1]][0], _values[node.inputs[2]][0])
		"Relu":
			return _clip(a, 0.0, INF)
		"Tanh", "Sigmoid":
			return _squash(node.op, a)
	return a  # Cast and Identity: numbers are floats already


func _gemm(x: PackedFloat32Array, weights: PackedVector4Array, bias: PackedFloat32Array) -> PackedFloat32Array:
	var inputs := _fours(x.duplicate())
	var wide := inputs.size()
	var out := PackedFloat32Array()
	out.resize(bias.size())
	var at := 0
	for row in bias.size():
		var sum := bias[row]
		for i in wide:
			sum += inputs[i].dot(weights[at])
			at += 1
		out[row] = sum
	return out


## The second side has as many numbers, one, or one for each row of the first.
func _pairwise(op: String, a: PackedFloat32Array, b: PackedFloat32Array) -> PackedFloat32Array:
	var out := PackedFloat32Array()
	out.resize(a.size())
	@warning_ignore("integer_division")
	var each := maxi(a.size() / maxi(b.size(), 1), 1)
	for i in a.size():
		@warning_ignore("integer_division")
		var other := b[i / each]
		match op:
			"Add":
				out[i] = a[i] + other
			"Mul":
				out[i] = a[i] * other
			_:
				out[i] = a[i] - other
	return out


func _clip(a: PackedFloat32Array, low: float, high: float) -> PackedFloat32Array:
	var out := a.duplicate()
	for i in out.size():
		out[i] = clampf(out[i], low, high)
	return out


func _squash(op: String, a: PackedFloat32Array) -> PackedFloat32Array:
	var out := a.duplicate()
	for i in out.size():
		out[i] = tanh(out[i]) if op == "Tanh" else 1.0 / (1.0 + exp(-out[i]))
	return out


# ---------------------------------------------------------------- from outputs to an action


func _numbers(seen: Dictionary) -> PackedFloat32Array:
	var made: PackedFloat32Array = seen.mean.duplicate()
	for i in made.size():
		if random:
			made[i] += exp(seen.log_std[i]) * _normal()
		made[i] = clampf(made[i], -1.0, 1.0)
	return made


## The likeliest index, the first of equals; or one drawn by its probability.
func _choose(logits: PackedFloat32Array) -> int:
	var best := 0
	for i in logits.size():
		if logits[i] > logits[best]:
			best = i
	if random == null:
		return best
	var weights := PackedFloat32Array()
	var total := 0.0
	for logit in logits:
		weights.append(exp(logit - logits[best]))
		total += weights[-1]
	var left := random.uniform() * total
	for i in weights.size():
		left -= weights[i]
		if left <= 0.0 and weights[i] > 0.0:
			return i
	return best


func _normal() -> float:
	return sqrt(-2.0 * log(maxf(random.uniform(), 1e-8))) * cos(TAU * random.uniform())
