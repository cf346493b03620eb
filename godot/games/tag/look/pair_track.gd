class_name PairTrack
extends RefCounted
## Where a camera looks that follows the agents of a recording, and how much it has to see, at every moment.
##
## A film knows what comes: both are smoothed over past and future, so the camera never lags and never jerks.
## Hops do not move it.

const RATE := 20.0  ## samples per second
const SIGMA_S := 0.5  ## of the Gaussian over the aim
const HEIGHT_SIGMA_S := 0.9  ## over the height: a long lens turns a change of it into a long way
const AHEAD_S := 0.9  ## before and after a moment at which much has to be seen, as much is seen
const SIDE_ROOM := 2.6  ## metres beside the agents
const HEIGHT_ROOM := 3.2
const WIDTH_SHARE := 0.80  ## of the picture that the agents may take up
const HEIGHT_SHARE := 0.62
const UPRIGHT_WIDTH_SHARE := 0.60
const UPRIGHT_HEIGHT_SHARE := 0.56  ## chip above, caption below

var _start_s := 0.0
var _aims := PackedVector3Array()
var _heights := PackedFloat32Array()


## `basis` and `aspect` are those of the camera; `limits`: least and greatest height of the picture in metres.
func _init(recording: TagRecording, basis: Basis, aspect: float, limits: Vector2, upright := false) -> void:
	var width_share := UPRIGHT_WIDTH_SHARE if upright else WIDTH_SHARE
	var height_share := UPRIGHT_HEIGHT_SHARE if upright else HEIGHT_SHARE
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
		var need := maxf((span.x + SIDE_ROOM) / (aspect * width_share), (span.y + HEIGHT_ROOM) / height_share)
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
	_heights = _least_nearby(_heights)
	var aims := _aims.duplicate()
	for i in aims.size():
		_aims[i] = Vector3.ZERO
		var total := 0.0
		for offset in range(-int(3.0 * SIGMA_S * RATE), int(3.0 * SIGMA_S * RATE) + 1):
			var weight := exp(-0.5 * pow(offset / (SIGMA_S * RATE), 2.0))
			_aims[i] += aims[clampi(i + offset, 0, aims.size() - 1)] * weight
			total += weight
		_aims[i] /= total
	var heights := _heights.duplicate()
	for i in heights.size():
		var sum := 0.0
		var total := 0.0
		for offset in range(-int(3.0 * HEIGHT_SIGMA_S * RATE), int(3.0 * HEIGHT_SIGMA_S * RATE) + 1):
			var weight := exp(-0.5 * pow(offset / (HEIGHT_SIGMA_S * RATE), 2.0))
			sum += heights[clampi(i + offset, 0, heights.size() - 1)] * weight
			total += weight
		_heights[i] = sum / total


## What has to be seen around a moment: smoothed later, it still holds everybody.
static func _least_nearby(heights: PackedFloat32Array) -> PackedFloat32Array:
	var made := heights.duplicate()
	var reach := int(AHEAD_S * RATE)
	for i in heights.size():
		for offset in range(-reach, reach + 1):
			made[i] = maxf(made[i], heights[clampi(i + offset, 0, heights.size() - 1)])
	return made
