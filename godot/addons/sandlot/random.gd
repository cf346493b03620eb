class_name SandlotRandom
extends RefCounted
## The native engine's random numbers (PCG32): one seed gives the same draws here and there.
##
## Draws are numbers that the native engine holds as 32-bit floats; they are rounded the same way.

const MULTIPLIER := 6364136223846793005
const INCREMENT := 109
const GOLDEN := -7046029254386353131  # 0x9e3779b97f4a7c15 as a signed number
const MIX_1 := -4658895280553007687  # 0xbf58476d1ce4e5b9
const MIX_2 := -7723592293110705685  # 0x94d049bb133111eb

var seed_value := 0  ## what it was made of

var _state := 0


func _init(from_seed := 0) -> void:
	seed_value = from_seed
	_next()
	_state += seed_value
	_next()


## A whole number from 0 to 2^32 - 1.
func draw() -> int:
	return _next()


## A number from 0 to 1.
func uniform() -> float:
	return SandlotFloat32.of(_next() * 2.3283064365386963e-10)


## A number from low to high, which are 32-bit floats themselves.
func uniform_in(low: float, high: float) -> float:
	var f := SandlotFloat32
	return f.of(low + f.of(f.of(high - low) * uniform()))


## A whole number from low to high, both included.
func integer_in(low: int, high: int) -> int:
	return low + _next() % (high - low + 1)


## Child number `index` of a seed, by splitmix64's finaliser: how a world's episodes get their seeds.
static func split(seed_value: int, index: int) -> int:
	var z := seed_value + (index + 1) * GOLDEN
	z = (z ^ _shifted(z, 30)) * MIX_1
	z = (z ^ _shifted(z, 27)) * MIX_2
	return z ^ _shifted(z, 31)


func _next() -> int:
	var old := _state
	_state = old * MULTIPLIER + INCREMENT
	var mixed := _shifted(_shifted(old, 18) ^ old, 27) & 0xffffffff
	var turn := _shifted(old, 59)
	return ((mixed >> turn) | (mixed << ((32 - turn) & 31))) & 0xffffffff


## Right shift of 64 bits without a sign.
static func _shifted(value: int, places: int) -> int:
	return (value >> places) & ((1 << (64 - places)) - 1)
