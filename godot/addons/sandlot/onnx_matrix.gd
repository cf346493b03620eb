class_name SandlotMatrix
extends RefCounted
## Products of matrices: Gemm with all its attributes, and MatMul of any rank.

const MOST_PRODUCTS := 1 << 27  # multiplications of one node: a damaged file must not take hours


static func gemm(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var a := inputs[0]
	var b := inputs[1]
	var bias: SandlotTensor = inputs[2] if inputs.size() > 2 else null
	if a.rank() != 2 or b.rank() != 2 or not _are_floats(inputs):
		return SandlotTensor.invalid("it takes floats of two sides, not %s and %s" % [a.shape, b.shape])
	var flags: Dictionary = node.attributes
	if flags.transA:
		a = transposed(a)
	var wide := b.shape[1] if flags.transB else b.shape[0]
	var high := b.shape[0] if flags.transB else b.shape[1]
	if a.shape[1] != wide:
		return SandlotTensor.invalid("shapes %s and %s do not fit" % [a.shape, b.shape])
	var out := SandlotTensor.zeros(PackedInt32Array([a.shape[0], high]))
	if out.problem or a.size() * high > MOST_PRODUCTS:
		return SandlotTensor.invalid("shapes %s and %s are too large" % [a.shape, b.shape])
	if bias != null and SandlotTensor.together(bias.shape, out.shape) != out.shape:
		return SandlotTensor.invalid("its third input has shape %s, for %s" % [bias.shape, out.shape])
	var rows: PackedVector4Array = node.packed if node.has("packed") else pack(b, flags.transB != 0)
	multiply(a.data, 0, a.shape[0], wide, rows, out.data, 0, high)
	var alpha: float = flags.alpha
	var beta: float = flags.beta
	var made := out.data  # the same numbers, not a copy
	if alpha != 1.0:
		for i in made.size():
			made[i] *= alpha
	if bias != null:
		var more := bias.spread(out.shape)
		for i in made.size():
			made[i] += beta * more[i]
	return out


static func matmul(node: Dictionary, inputs: Array[SandlotTensor]) -> SandlotTensor:
	var a := inputs[0]
	var b := inputs[1]
	if a.rank() == 0 or b.rank() == 0 or not _are_floats(inputs):
		return SandlotTensor.invalid("it takes floats of one side or more, not %s and %s" % [a.shape, b.shape])
	var row := a.rank() == 1  # a row, or a column, that is no matrix yet
	var column := b.rank() == 1
	a = a.reshaped(PackedInt32Array([1, a.size()])) if row else a
	b = b.reshaped(PackedInt32Array([b.size(), 1])) if column else b
	var high := a.shape[-2]
	var wide := a.shape[-1]
	var across := b.shape[-1]
	var batch := SandlotTensor.together(a.shape.slice(0, -2), b.shape.slice(0, -2))
	if wide != b.shape[-2] or batch == PackedInt32Array([-1]):
		return SandlotTensor.invalid("shapes %s and %s do not fit" % [inputs[0].shape, inputs[1].shape])
	var shape := batch + PackedInt32Array([high, across])
	var out := SandlotTensor.zeros(shape)
	var both := SandlotTensor.count_of(batch + PackedInt32Array([wide, across]))
	var ours := SandlotTensor.count_of(batch + PackedInt32Array([high, wide]))
	if out.problem or both < 0 or ours < 0 or ours * across > MOST_PRODUCTS:
		return SandlotTensor.invalid("shapes %s and %s are too large" % [inputs[0].shape, inputs[1].shape])
	var x := a.spread(batch + PackedInt32Array([high, wide]))
	if node.has("packed") and b.rank() == 2:  # one matrix for the whole batch
		@warning_ignore("integer_division")
		multiply(x, 0, out.size() / maxi(across, 1), wide, node.packed, out.data, 0, across)
	else:
		_multiply_each(x, b.spread(batch + PackedInt32Array([wide, across])), out, high, wide, across)
	if row:
		shape.remove_at(shape.size() - 2)
	if column:
		shape.remove_at(shape.size() - 1)
	return out.reshaped(shape)


static func _multiply_each(
	x: PackedFloat32Array, y: PackedFloat32Array, out: SandlotTensor, high: int, wide: int, across: int
) -> void:
	if out.size() == 0 or wide == 0:
		return
	@warning_ignore("integer_division")
	for i in out.size() / (high * across):
		var one := SandlotTensor.of(
			y.slice(i * wide * across, (i + 1) * wide * across), PackedInt32Array([wide, across])
		)
		multiply(x, i * high * wide, high, wide, pack(one, false), out.data, i * high * across, across)


## Rows of x times packed columns, written from a place on.
static func multiply(
	x: PackedFloat32Array, from: int, high: int, wide: int, columns: PackedVector4Array,
	out: PackedFloat32Array, to: int, across: int
) -> void:
	for row in high:
		var fours := _fours(x.slice(from + row * wide, from + (row + 1) * wide))
		var length := fours.size()
		var at := 0
		for column in across:
			var sum := 0.0
			for i in length:
				sum += fours[i].dot(columns[at])
				at += 1
			out[to + row * across + column] = sum


## A matrix as its columns (its rows where it is transposed), each padded to whole vectors of four: one dot product
## then does the work of four multiplications.
static func pack(matrix: SandlotTensor, is_transposed: bool) -> PackedVector4Array:
	var rows := matrix if is_transposed else transposed(matrix)
	var wide := rows.shape[1]
	var made := PackedVector4Array()
	for row in rows.shape[0]:
		made.append_array(_fours(rows.data.slice(row * wide, (row + 1) * wide)))
	return made


static func transposed(matrix: SandlotTensor) -> SandlotTensor:
	var high := matrix.shape[0]
	var wide := matrix.shape[1]
	var out := SandlotTensor.zeros(PackedInt32Array([wide, high]))
	for i in high:
		for j in wide:
			out.data[j * high + i] = matrix.data[i * wide + j]
	return out


static func _fours(numbers: PackedFloat32Array) -> PackedVector4Array:
	var made := PackedVector4Array()
	made.resize(ceili(numbers.size() / 4.0))
	numbers.resize(made.size() * 4)
	for i in made.size():
		made[i] = Vector4(numbers[i * 4], numbers[i * 4 + 1], numbers[i * 4 + 2], numbers[i * 4 + 3])
	return made


static func _are_floats(inputs: Array[SandlotTensor]) -> bool:
	return inputs.all(func(one: SandlotTensor) -> bool: return one == null or one.kind == SandlotTensor.Kind.FLOAT)
