class_name SandlotFloat32
extends RefCounted
## Arithmetic of 32-bit floats, bit for bit as in the native engine.
##
## GDScript computes in 64 bits. One operation on two 32-bit numbers, rounded once, is exactly the 32-bit
## operation; so whoever rounds after each + - * / gets the engine's own bits.

const SINE: Array[float] = [1.50820561e-4, -4.67222789e-3, 7.96884820e-2, -6.45963371e-1, 1.57079625]

static var _cell := PackedFloat32Array([0.0])


## Round to the nearest 32-bit float.
static func of(value: float) -> float:
	_cell[0] = value
	return _cell[0]


## sin(2 pi turns), by the polynomial of engine/common/smath.h.
static func sin_turns(turns: float) -> float:
	var r := of(turns - _rounded(turns))
	var folded := of(0.5 - r) if r > 0.25 else (of(-0.5 - r) if r < -0.25 else r)
	var t := of(folded * 4.0)
	var s := of(t * t)
	var p := of(SINE[0])
	for i in range(1, SINE.size()):
		p = of(of(SINE[i]) + of(s * p))
	return of(t * p)


static func cos_turns(turns: float) -> float:
	return sin_turns(of(0.25 - absf(of(turns - _rounded(turns)))))


## Nearest whole number, ties to even: 1.5 * 2^23 leaves a 32-bit float no room for a fraction.
static func _rounded(value: float) -> float:
	return of(of(value + 12582912.0) - 12582912.0)
