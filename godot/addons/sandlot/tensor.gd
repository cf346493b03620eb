class_name SandlotTensor
extends RefCounted
## Numbers with a shape, as they flow through an ONNX graph; or a `problem`, where an operator could not make any.
##
## All numbers are 32-bit floats. Whole numbers are exact in them up to 2^24; larger ones are refused, except
## where a constant of the file says "to the end" ([method to_int64]).

enum Kind { FLOAT, INT, BOOL }

const MOST_NUMBERS := 1 << 24  ## of one tensor: no policy needs more, and a damaged file must not fill memory
const LARGEST_INT := 1 << 24

var kind := Kind.FLOAT
var shape := PackedInt32Array()
var data := PackedFloat32Array()
var problem := ""

var _exact := PackedInt64Array()  # of a constant: its whole numbers, as the file has them


static func of(numbers: PackedFloat32Array, sides: PackedInt32Array, of_kind := Kind.FLOAT) -> SandlotTensor:
	var made := SandlotTensor.new()
	made.kind = of_kind
	made.shape = sides
	made.data = numbers
	return made


## Whole numbers of a file, whatever their size.
static func of_int64(numbers: PackedInt64Array, sides: PackedInt32Array) -> SandlotTensor:
	var floats := PackedFloat32Array()
	floats.resize(numbers.size())
	for i in numbers.size():
		floats[i] = numbers[i]
	var made := of(floats, sides, Kind.INT)
	made._exact = numbers
	return made


## Zeros; a problem where there would be too many.
static func zeros(sides: PackedInt32Array, of_kind := Kind.FLOAT) -> SandlotTensor:
	var count := count_of(sides)
	if count < 0:
		return invalid("a tensor of shape %s is too large" % [sides])
	var made := of(PackedFloat32Array(), sides, of_kind)
	made.data.resize(count)
	return made


static func invalid(reason: String) -> SandlotTensor:
	var made := SandlotTensor.new()
	made.problem = reason
	return made


## How many numbers a shape holds; -1 where that is no shape, or too large.
static func count_of(sides: PackedInt32Array) -> int:
	var count := 1
	for side in sides:
		if side < 0 or side > MOST_NUMBERS:
			return -1
		count *= side
		if count > MOST_NUMBERS:
			return -1
	return count


func size() -> int:
	return data.size()


func rank() -> int:
	return shape.size()


## Whether every number is exactly what the file or the arithmetic gives: whole numbers beyond 2^24 are not.
func is_exact() -> bool:
	if kind != Kind.INT:
		return true
	for number in data:
		if absf(number) > LARGEST_INT:
			return false
	return true


func to_int64() -> PackedInt64Array:
	if not _exact.is_empty() or data.is_empty():
		return _exact
	var made := PackedInt64Array()
	made.resize(data.size())
	for i in data.size():
		made[i] = int(data[i])
	return made


## The same numbers in another shape of as many.
func reshaped(sides: PackedInt32Array) -> SandlotTensor:
	var made := of(data, sides, kind)
	made._exact = _exact
	return made


## An axis counted from the front; -1 where there is none such.
func axis(number: int, beyond := 0) -> int:
	var sides := rank() + beyond
	if number < -sides or number >= sides:
		return -1
	return number + sides if number < 0 else number


## How many numbers lie between two neighbours along an axis.
func stride(along: int) -> int:
	var made := 1
	for i in range(along + 1, rank()):
		made *= shape[i]
	return made


# ---------------------------------------------------------------- broadcasting


## The shape that two shapes have together: sides of one stretch. [-1] where they do not fit.
static func together(a: PackedInt32Array, b: PackedInt32Array) -> PackedInt32Array:
	var longest := maxi(a.size(), b.size())
	var made := PackedInt32Array()
	made.resize(longest)
	for i in longest:
		var one := a[i - longest + a.size()] if i >= longest - a.size() else 1
		var other := b[i - longest + b.size()] if i >= longest - b.size() else 1
		if one != other and one != 1 and other != 1:
			return PackedInt32Array([-1])
		made[i] = other if one == 1 else one
	return made


## The numbers stretched to a shape that [method together] made.
func spread(sides: PackedInt32Array) -> PackedFloat32Array:
	var count := count_of(sides)
	if data.size() == count:  # only sides of 1 are added, which moves nothing
		return data
	if data.size() == 1:
		var out := PackedFloat32Array()
		out.resize(count)
		out.fill(data[0])
		return out
	return strided(sides, _steps(sides))


## The numbers met by walking through a shape with a step along each of its sides, from one place on.
func strided(sides: PackedInt32Array, steps: PackedInt32Array, from := 0) -> PackedFloat32Array:
	var out := PackedFloat32Array()
	out.resize(count_of(sides))
	var place := PackedInt32Array()
	place.resize(sides.size())
	var at := from
	for i in out.size():
		out[i] = data[at]
		for side in range(sides.size() - 1, -1, -1):
			place[side] += 1
			at += steps[side]
			if place[side] < sides[side]:
				break
			at -= steps[side] * sides[side]
			place[side] = 0
	return out


## How far one step along each side of a larger shape goes in our numbers: 0 where we stretch.
func _steps(sides: PackedInt32Array) -> PackedInt32Array:
	var steps := PackedInt32Array()
	steps.resize(sides.size())
	var far := 1
	for i in range(rank() - 1, -1, -1):
		steps[i + sides.size() - rank()] = 0 if shape[i] == 1 else far
		far *= shape[i]
	return steps
