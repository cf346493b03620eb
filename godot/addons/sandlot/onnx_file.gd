class_name SandlotOnnxFile
extends RefCounted
## Reads an ONNX file: its nodes with all their attributes, constants, inputs, outputs and metadata.
##
## Nothing is run here, and nothing is left out in silence: what cannot be read is a `problem`.

const LARGEST_BYTES := 256 << 20
const FLOAT := 1  # TensorProto.DataType
const INT8 := 3
const INT32 := 6
const INT64 := 7
const BOOL := 9
const TYPES := {FLOAT: "float", INT8: "int8", INT32: "int32", INT64: "int64", BOOL: "bool"}

var problem := ""  ## why the file cannot be used
var facts := {}  ## the file's metadata; JSON where it is JSON
var operator_set := 0  ## version of the ONNX operators
var nodes: Array[Dictionary] = []  ## {op, inputs, outputs, given: attributes by name}, in the file's order
var tensors: Dictionary[String, SandlotTensor] = {}  ## constants by name
var inputs: Dictionary[String, Dictionary] = {}  ## name -> {type, shape}; a side that is free is -1
var outputs := PackedStringArray()

var _reader: SandlotProtobuf


static func read(path: String) -> SandlotOnnxFile:
	var made := SandlotOnnxFile.new()
	var file := FileAccess.open(path, FileAccess.READ)
	if file == null:
		made.problem = "%s cannot be read: %s." % [path, error_string(FileAccess.get_open_error())]
	elif file.get_length() > LARGEST_BYTES:
		made.problem = "%s is larger than %d MB." % [path, LARGEST_BYTES >> 20]
	else:
		made._read(file.get_buffer(file.get_length()))
		if made.problem:
			made.problem = "%s is damaged, or no ONNX file that can be read here: %s." % [path, made.problem]
	return made


func _read(bytes: PackedByteArray) -> void:
	_reader = SandlotProtobuf.new(bytes)
	for field in _reader.all():
		match field.number:
			7:
				_read_graph(field)
			8:
				_read_operator_set(field)
			14:
				_read_fact(field)
			25:
				_fail("it defines functions of its own")
	problem = problem if problem else _reader.problem
	if not problem and nodes.is_empty() and outputs.is_empty():
		problem = "it has no graph"
	_reader = null


func _fail(why: String) -> void:
	problem = problem if problem else why


func _read_operator_set(message: SandlotProtobuf.Field) -> void:
	var domain := ""
	var version := 0
	for field in _reader.fields(message):
		match field.number:
			1:
				domain = _reader.text(field)
			2:
				version = _reader.integer(field)
	if domain in ["", "ai.onnx"]:
		operator_set = version


func _read_fact(message: SandlotProtobuf.Field) -> void:
	var key := ""
	var value := ""
	for field in _reader.fields(message):
		match field.number:
			1:
				key = _reader.text(field)
			2:
				value = _reader.text(field)
	var reader := JSON.new()
	facts[key] = reader.data if reader.parse(value) == OK else value


func _read_graph(message: SandlotProtobuf.Field) -> void:
	for field in _reader.fields(message):
		match field.number:
			1:
				_read_node(field)
			5:
				var named := _read_tensor(field)
				tensors[named.name] = named.tensor
			11:
				_read_input(field)
			12:
				for part in _reader.fields(field):
					if part.number == 1:
						outputs.append(_reader.text(part))
			15:
				_fail("it has sparse constants")


func _read_node(message: SandlotProtobuf.Field) -> void:
	var node := {"op": "", "domain": "", "inputs": PackedStringArray(), "outputs": PackedStringArray(), "given": {}}
	for field in _reader.fields(message):
		match field.number:
			1:
				node.inputs.append(_reader.text(field))
			2:
				node.outputs.append(_reader.text(field))
			4:
				node.op = _reader.text(field)
			5:
				var attribute := _read_attribute(field)
				node.given[attribute.name] = attribute.value
			7:
				node.domain = _reader.text(field)
	nodes.append(node)


## An attribute of a kind that no operator here has (a graph, say) is its own name for a value: it is refused by it.
func _read_attribute(message: SandlotProtobuf.Field) -> Dictionary:
	var made := {"name": "", "value": null}
	var reals := PackedFloat32Array()
	var wholes := PackedInt64Array()
	var kind := 0
	var value: Variant = null
	for field in _reader.fields(message):
		match field.number:
			1:
				made.name = _reader.text(field)
			2:
				value = _reader.real(field)
			3:
				value = _reader.integer(field)
			4:
				value = _reader.text(field)
			5:
				value = _read_tensor(field).tensor
			7:
				reals.append_array(_reader.reals(field))
			8:
				wholes.append_array(_reader.wholes(field))
			20:
				kind = _reader.integer(field)
	# a value that is 0 may have been left out
	match kind:
		1:
			made.value = value if value is float else 0.0
		2:
			made.value = value if value is int else 0
		3:
			made.value = value if value is String else ""
		4:
			made.value = value if value is SandlotTensor else null
		6:
			made.value = reals
		7:
			made.value = wholes
	return made


func _read_input(message: SandlotProtobuf.Field) -> void:
	var name := ""
	var declared := {"type": 0, "shape": PackedInt32Array()}
	for field in _reader.fields(message):
		match field.number:
			1:
				name = _reader.text(field)
			2:
				for part in _reader.fields(field):
					if part.number == 1:
						_read_tensor_type(part, declared)
	inputs[name] = declared


func _read_tensor_type(message: SandlotProtobuf.Field, declared: Dictionary) -> void:
	for field in _reader.fields(message):
		match field.number:
			1:
				declared.type = _reader.integer(field)
			2:
				for side in _reader.fields(field):
					var length := -1
					for part in _reader.fields(side):
						if part.number == 1:
							length = clampi(_reader.integer(part), -1, SandlotTensor.MOST_NUMBERS)
					declared.shape.append(length)


# ---------------------------------------------------------------- constants


func _read_tensor(message: SandlotProtobuf.Field) -> Dictionary:
	var sides := PackedInt64Array()
	var type := 0
	var name := ""
	var reals := PackedFloat32Array()
	var wholes := PackedInt64Array()
	var raw: Variant = null
	for field in _reader.fields(message):
		match field.number:
			1:
				sides.append_array(_reader.wholes(field))
			2:
				type = _reader.integer(field)
			4:
				reals.append_array(_reader.reals(field))
			5, 7:
				wholes.append_array(_reader.wholes(field))
			8:
				name = _reader.text(field)
			9:
				raw = _reader.bytes(field)
			13, 14:
				if field.number == 13 or _reader.integer(field) != 0:
					_fail("the numbers of %s are in another file" % name)
	if type not in TYPES:
		_fail("the tensor %s has type %d; known are %s" % [name, type, ", ".join(PackedStringArray(TYPES.values()))])
		return {"name": name, "tensor": SandlotTensor.new()}
	if raw != null and type == FLOAT:
		reals = raw.to_float32_array() if raw.size() % 4 == 0 else PackedFloat32Array()
	elif raw != null:
		wholes = _whole_numbers(type, raw)
	return {"name": name, "tensor": _tensor(name, type, sides, reals, wholes)}


func _tensor(
	name: String, type: int, sides: PackedInt64Array, reals: PackedFloat32Array, wholes: PackedInt64Array
) -> SandlotTensor:
	var shape := PackedInt32Array()
	for side in sides:
		shape.append(clampi(side, -1, SandlotTensor.MOST_NUMBERS + 1))
	var found := reals.size() if type == FLOAT else wholes.size()
	if SandlotTensor.count_of(shape) != found:
		_fail("the tensor %s has %d numbers, its shape is %s" % [name, found, sides])
		return SandlotTensor.new()
	if type == FLOAT:
		return SandlotTensor.of(reals, shape)
	var made := SandlotTensor.of_int64(wholes, shape)
	if type == BOOL:
		made = SandlotTensor.of(made.data, shape, SandlotTensor.Kind.BOOL)
	return made


func _whole_numbers(type: int, raw: PackedByteArray) -> PackedInt64Array:
	var wide: int = {INT8: 1, BOOL: 1, INT32: 4, INT64: 8}[type]
	var made := PackedInt64Array()
	if raw.size() % wide:
		return made
	@warning_ignore("integer_division")
	made.resize(raw.size() / wide)
	for i in made.size():
		match type:
			INT8:
				made[i] = raw.decode_s8(i)
			BOOL:
				made[i] = 1 if raw[i] else 0
			INT32:
				made[i] = raw.decode_s32(i * 4)
			INT64:
				made[i] = raw.decode_s64(i * 8)
	return made
