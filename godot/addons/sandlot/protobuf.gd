class_name SandlotProtobuf
extends RefCounted
## Reads protocol buffers: fields by number. Everything is measured before it is believed, so damaged bytes end in a
## sentence in `problem` and not in a crash.

const NUMBER := 0  # kinds of fields: a whole number, eight bytes, a piece of so many bytes, four bytes
const EIGHT := 1
const PIECE := 2
const FOUR := 5

var problem := ""

var _bytes: PackedByteArray
var _at := 0


func _init(bytes: PackedByteArray) -> void:
	_bytes = bytes


## A field: its number, its kind, and its value or the bytes from `from` to before `to`.
class Field:
	var number: int
	var kind: int
	var value: int
	var from: int
	var to: int


func all() -> Array[Field]:
	return _between(0, _bytes.size())


## The fields of a piece, which is a message itself.
func fields(piece: Field) -> Array[Field]:
	return _between(piece.from, piece.to) if _is(piece, PIECE) else ([] as Array[Field])


func text(field: Field) -> String:
	return bytes(field).get_string_from_utf8()


func bytes(field: Field) -> PackedByteArray:
	return _bytes.slice(field.from, field.to) if _is(field, PIECE) else PackedByteArray()


func integer(field: Field) -> int:
	return field.value if _is(field, NUMBER) else 0


func real(field: Field) -> float:
	return _bytes.decode_float(field.from) if _is(field, FOUR) else 0.0


## A repeated whole number, written one by one or as one piece.
func wholes(field: Field) -> PackedInt64Array:
	if field.kind == NUMBER:
		return PackedInt64Array([field.value])
	var made := PackedInt64Array()
	if _is(field, PIECE):
		_at = field.from
		while _at < field.to and not problem:
			made.append(_varint(field.to))
	return made


## A repeated 32-bit float, written one by one or as one piece.
func reals(field: Field) -> PackedFloat32Array:
	if field.kind == FOUR:
		return PackedFloat32Array([real(field)])
	var piece := bytes(field)
	if piece.size() % 4:
		problem = "floats that are cut off"
		return PackedFloat32Array()
	return piece.to_float32_array()


func _is(field: Field, kind: int) -> bool:
	if field.kind != kind and not problem:
		problem = "field %d is of the wrong kind" % field.number
	return field.kind == kind


func _between(from: int, to: int) -> Array[Field]:
	var found: Array[Field] = []
	_at = from
	while _at < to and not problem:
		var head := _varint(to)
		var field := Field.new()
		field.number = head >> 3
		field.kind = head & 7
		field.from = _at
		match field.kind:
			NUMBER:
				field.value = _varint(to)
			EIGHT:
				_at += 8
			PIECE:
				var length := _varint(to)
				field.from = _at
				if length < 0 or length > to - _at:
					problem = "a piece is longer than what is left"
				else:
					_at += length
			FOUR:
				_at += 4
			_:
				problem = "a field of unknown kind"
		field.to = _at
		if _at > to and not problem:
			problem = "it ends in the middle of a number"
		if not problem:
			found.append(field)
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
