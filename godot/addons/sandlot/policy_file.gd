class_name SandlotPolicyFile
extends RefCounted
## Reads the ONNX files that `sandlot export` writes: ten operators, float32 or int8 weights, facts as metadata.
##
## ONNX is a protocol-buffers message. Only the few fields that matter here are looked at; everything is measured
## before it is believed, so a damaged file ends in a sentence and not in a crash.

const LARGEST_BYTES := 256 << 20
const FORMAT := "sandlot_onnx_v1"
const OPERATORS: Array[String] = [
	"Add", "Cast", "Clip", "Gemm", "Identity", "Mul", "Relu", "Sigmoid", "Sub", "Tanh"
]
const FLOAT := 1  # TensorProto.DataType
const INT8 := 3

var problem := ""  ## why the file cannot be used
var facts := {}  ## the file's metadata; JSON where it is JSON
var nodes: Array[Dictionary] = []  ## {op, inputs, outputs}, in an order in which each one's inputs are known
var tensors := {}  ## name -> {shape: PackedInt32Array, data: PackedFloat32Array}

var _bytes: PackedByteArray
var _at := 0


static func read(path: String) -> SandlotPolicyFile:
	var made := SandlotPolicyFile.new()
	var file := FileAccess.open(path, FileAccess.READ)
	if file == null:
		made.problem = "%s cannot be read: %s." % [path, error_string(FileAccess.get_open_error())]
	elif file.get_length() > LARGEST_BYTES:
		made.problem = "%s is larger than %d MB." % [path, LARGEST_BYTES >> 20]
	else:
		made._bytes = file.get_buffer(file.get_length())
		made._read_model(0, made._bytes.size())
		made._check(path)
	made._bytes = PackedByteArray()
	return made


func _check(path: String) -> void:
	if problem:
		problem = "%s is damaged, or no ONNX file: %s." % [path, problem]
	elif facts.get("format") != FORMAT:
		problem = "%s is no policy of Sandlot (format %s, expected %s)." % [path, facts.get("format"), FORMAT]
	for node in nodes:
		if not problem and node.op not in OPERATORS:
			problem = "%s uses the operator %s; this reader knows %s." % [path, node.op, ", ".join(OPERATORS)]


# ---------------------------------------------------------------- the messages of ONNX


func _read_model(from: int, to: int) -> void:
	for field: Array in _fields(from, to):
		match field[0]:
			7:
				_read_graph(field[1], field[2])
			14:
				_read_fact(field[1], field[2])


func _read_fact(from: int, to: int) -> void:
	var pair := {1: "", 2: ""}
	for field: Array in _fields(from, to):
		pair[field[0]] = _text(field)
	var reader := JSON.new()
	facts[pair[1]] = reader.data if reader.parse(pair[2]) == OK else pair[2]


func _read_graph(from: int, to: int) -> void:
	for field: Array in _fields(from, to):
		match field[0]:
			1:
				_read_node(field[1], field[2])
			5:
				_read_tensor(field[1], field[2])


func _read_node(from: int, to: int) -> void:
	var node := {"op": "", "inputs": PackedStringArray(), "outputs": PackedStringArray()}
	for field: Array in _fields(from, to):
		match field[0]:
			1:
				node.inputs.append(_text(field))
			2:
				node.outputs.append(_text(field))
			4:
				node.op = _text(field)
	nodes.append(node)


func _read_tensor(from: int, to: int) -> void:
	var shape := PackedInt32Array()
	var kind := 0
	var name := ""
	var data := PackedFloat32Array()
	for field: Array in _fields(from, to):
		match field[0]:
			1:
				shape.append_array(_whole_numbers(field))
			2:
				kind = field[1]
			4:
				data = _bytes.slice(field[1], field[2]).to_float32_array()
			5:
				data = PackedFloat32Array(Array(_whole_numbers(field)))
			8:
				name = _text(field)
			9:
				data = _raw(kind, _bytes.slice(field[1], field[2]))
	var size := 1
	for side in shape:
		size *= side
	if size != data.size():
		problem = "the tensor %s has %d numbers, its shape says %d" % [name, data.size(), size]
	tensors[name] = {"shape": shape, "data": data}


func _raw(kind: int, bytes: PackedByteArray) -> PackedFloat32Array:
	if kind == FLOAT:
		return bytes.to_float32_array() if bytes.size() % 4 == 0 else PackedFloat32Array()
	var made := PackedFloat32Array()
	if kind == INT8:
		made.resize(bytes.size())
		for i in bytes.size():
			made[i] = bytes.decode_s8(i)
	return made


# ---------------------------------------------------------------- protocol buffers


## The fields between two places: [number, first byte, byte behind] of a piece, [number, value] of a number.
func _fields(from: int, to: int) -> Array:
	var found := []
	var at := from
	while at < to and not problem:
		_at = at
		var head := _varint(to)
		match head & 7:
			0:
				found.append([head >> 3, _varint(to)])
			1:
				_at += 8
			2:
				var length := _varint(to)
				if length < 0 or _at + length > to:
					problem = "a piece is longer than what is left"
					break
				found.append([head >> 3, _at, _at + length])
				_at += length
			5:
				_at += 4
			_:
				problem = "a field of unknown kind"
		at = _at
	return found


func _varint(to: int) -> int:
	var value := 0
	for shift in range(0, 64, 7):
		if _at >= to:
			problem = "it ends in the middle of a number"
			return 0
		var byte := _bytes[_at]
		_at += 1
		value |= (byte & 127) << shift
		if byte < 128:
			return value
	problem = "a number of more than 64 bits"
	return 0


## A repeated number, written one by one or as one piece.
func _whole_numbers(field: Array) -> PackedInt32Array:
	if field.size() == 2:
		return PackedInt32Array([field[1]])
	var made := PackedInt32Array()
	_at = field[1]
	while _at < field[2] and not problem:
		made.append(_varint(field[2]))
	return made


func _text(field: Array) -> String:
	return _bytes.slice(field[1], field[2]).get_string_from_utf8() if field.size() == 3 else ""
