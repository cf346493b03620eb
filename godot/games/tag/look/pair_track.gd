class_name PairTrack
extends RefCounted
## Where a camera looks that follows the agents of a recording, and how much it has to see, at every moment.
##
## A film knows what comes: both are smoothed over past and future, so the camera never lags and never jerks.
## Hops do not move it.

const RATE := 20.0  ## samples per second
const SIGMA_S := 0.5  ## of the Gaussian
const SIDE_ROOM := 2.6  ## metres beside the agents
const HEIGHT_ROOM := 3.2
const WIDTH_SHARE := 0.80  ## of the picture that the agents may take up
const HEIGHT_SHARE := 0.62

var _start_s := 0.0
var _aims := PackedVector3Array()
var _heights := PackedFloat32Array()


## `basis` and `aspect` are those of the camera; `limits`: least and greatest height of the picture in metres.
func _init(recording: TagRecording, basis: Basis, aspect: float, limits: Vector2) -> void:
	_start_s = recording.start_s()
	var count := int(ceil((recording.end_s() - _start_s) * RATE)) + 1
	for i in count:
		var frame := recording.at(_start_s + i / RATE)
		var low := Vector2.INF
		var high := -Vector2.INF
		var middle := Vector3.ZERO
		var playing := 0
		for agent in frame.position.size():
			if float(frame.out[agent]) > 0.5:
				continue
			var place := Vector3(frame.position[agent][0], 0.5, frame.position[agent][2])
			var seen := Vector2(place.dot(basis.x), place.dot(basis.y))
			low = low.min(seen)
			high = high.max(seen)
			middle += place
			playing += 1
		var span := high - low if playing else Vector2.ZERO
		var need := maxf((span.x + SIDE_ROOM) / (aspect * WIDTH_SHARE), (span.y + HEIGHT_ROOM) / HEIGHT_SHARE)
		_aims.append(middle / maxi(playing, 1))
		_heights.append(clampf(need, limits.x, limits.y))
	_smooth()


func aim(seconds: float) -> Vector3:
	var at := _place(seconds)
	return _aims[int(at)].lerp(_aims[mini(int(at) + 1, _aims.size() - 1)], at - int(at))


func height(seconds: float) -> float:
	var at := _place(seconds)
	return lerpf(_heights[int(at)], _heights[mini(int(at) + 1, _heights.size() - 1)], at - int(at))


func _place(seconds: float) -> float:
	return clampf((seconds - _start_s) * RATE, 0.0, _aims.size() - 1)


func _smooth() -> void:
	var reach := int(3.0 * SIGMA_S * RATE)
	var aims := _aims.duplicate()
	var heights := _heights.duplicate()
	for i in aims.size():
		var aim_sum := Vector3.ZERO
		var height_sum := 0.0
		var total := 0.0
		for offset in range(-reach, reach + 1):
			var j := clampi(i + offset, 0, aims.size() - 1)
			var weight := exp(-0.5 * pow(offset / (SIGMA_S * RATE), 2.0))
			aim_sum += aims[j] * weight
			height_sum += heights[j] * weight
			total += weight
		_aims[i] = aim_sum / total
		_heights[i] = height_sum / total
