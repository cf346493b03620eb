class_name SandlotOnnxFile
extends RefCounted
## Reads an ONNX file: its nodes with all their attributes, constants, inputs, outputs and metadata.
##
## Nothing is run here, and nothing is left out in silence: what cannot be read is a `problem`. Numbers of constants
## may be in a second file in the same folder, as PyTorch writes them.

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
var inputs: Dictionary[String, Dictionary] = {}  ## name -> {type, shape, sides}; a side that is free is -1
var outputs := PackedStringArray()

var _reader: SandlotProtobuf
var _folder := ""  # of the file
var _beside := {}  # bytes of files beside it, by name


static func read(path: String) -> SandlotOnnxFile:
	var made := SandlotOnnxFile.new()
	var file := FileAccess.open(path, FileAccess.READ)
	if file == null:
		made.problem = "%s cannot be read: %s." % [path, error_string(FileAccess.get_open_error())]
	elif file.get_length() > LARGEST_BYTES:
		made.problem = "%s is larger than %d MB." % [path, LARGEST_BYTES >> 20]
	else:
		made._folder = path.get_base_dir()
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
	_beside.clear()


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
	var entry := _read_entry(message)
	var reader := JSON.new()
	facts[entry[0]] = reader.data if reader.parse(entry[1]) == OK else entry[1]


## A key and its value.
func _read_entry(message: SandlotProtobuf.Field) -> PackedStringArray:
	var made := PackedStringArray(["", ""])
	for field in _reader.fields(message):
		if field.number in [1, 2]:
			made[field.number - 1] = _reader.text(field)
	return made


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
	var texts := PackedStringArray()
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
			9:
				texts.append(_reader.text(field))
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
		8:
			made.value = texts
	return made


func _read_input(message: SandlotProtobuf.Field) -> void:
	var name := ""
	var declared := {"type": 0, "shape": PackedInt32Array(), "sides": PackedStringArray()}
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
					var called := ""
					for part in _reader.fields(side):
						if part.number == 1:
							length = clampi(_reader.integer(part), -1, SandlotTensor.MOST_NUMBERS)
						elif part.number == 2:
							called = _reader.text(part)
					declared.shape.append(length)
					declared.sides.append(called)


# ---------------------------------------------------------------- constants


func _read_tensor(message: SandlotProtobuf.Field) -> Dictionary:
	var sides := PackedInt64Array()
	var type := 0
	var name := ""
	var reals := PackedFloat32Array()
	var wholes := PackedInt64Array()
	var raw: Variant = null
	var elsewhere := {}  # where its numbers are, if not here
	var is_elsewhere := false
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
			13:
				var entry := _read_entry(field)
				elsewhere[entry[0]] = entry[1]
			14:
				is_elsewhere = _reader.integer(field) != 0
	if is_elsewhere or elsewhere:
		raw = _read_beside(name, elsewhere)
	if type not in TYPES:
		_fail("the tensor %s has type %d; known are %s" % [name, type, ", ".join(PackedStringArray(TYPES.values()))])
		return {"name": name, "tensor": SandlotTensor.new()}
	if raw != null and type == FLOAT:
		reals = raw.to_float32_array() if raw.size() % 4 == 0 else PackedFloat32Array()
	elif raw != null:
		wholes = _whole_numbers(type, raw)
	return {"name": name, "tensor": _tensor(name, type, sides, reals, wholes)}


## The bytes of a constant that are in a file of the same folder. Other folders are refused: a downloaded policy
## must not read what else is on the disk.
func _read_beside(name: String, where: Dictionary) -> PackedByteArray:
	var location: String = where.get("location", "")
	if not location or location != location.get_file() or location in [".", ".."] or ":" in location or "\\" in location:
		_fail("the numbers of %s are in %s; expected a file in the same folder" % [name, location.left(80)])
		return PackedByteArray()
	if not _beside.has(location):
		var file := FileAccess.open(_folder.path_join(location), FileAccess.READ)
		if file == null:
			_fail("the numbers of %s are in %s, which cannot be read: keep the two files together" % [name, location])
			return PackedByteArray()
		if file.get_length() > LARGEST_BYTES:
			_fail("%s is larger than %d MB" % [location, LARGEST_BYTES >> 20])
			return PackedByteArray()
		_beside[location] = file.get_buffer(file.get_length())
	var bytes: PackedByteArray = _beside[location]
	var from := int(where.get("offset", "0"))
	var length := int(where.get("length", str(bytes.size() - from)))
	if from < 0 or length < 0 or from > bytes.size() or length > bytes.size() - from:
		_fail("the numbers of %s are beyond the end of %s" % [name, location])
		return PackedByteArray()
	return bytes.slice(from, from + length)


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
