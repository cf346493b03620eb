class_name VrComfort
extends RefCounted
## How comfortable a motion was for who wears the headset: a proxy made of speeds, accelerations and turns. It asks
## nobody, and no number here is a measured sickness.
##
## Tell it every physics tick where the head was. Formulas and thresholds are those of the native game navigation
## (docs/games/navigation.md, "Comfort"); tests/godot/test_vr.py holds both to the same recorded walk.

const VIGNETTE_LOW := 5.0  ## m/s², where the vignette starts
const VIGNETTE_HIGH := 20.0  ## m/s², where it is full; also what counts as hard acceleration
const VIGNETTE_MOST := 0.7  ## its intensity then
const VIGNETTE_RATE := 5.0  ## per second toward its target
const VISIBLE := 0.01  ## intensity that can be seen
const JERK := 100.0  ## m/s³ beyond which a tick counts as a jolt
const FAST_SHARE := 0.8  ## of the top speed, beyond which the score falls
const TURNING := 0.7  ## turn command beyond which the score falls
const ROLL := 0.3  ## rad of roll beyond which the score falls
const FAST_TURN := 20.0  ## degrees per second, as the vignettes of VR toolkits use
const FAST_WALK := 3.0  ## m/s, from where nausea is known to rise
const ACCELERATING := 0.5  ## m/s², what counts as a change of speed at all
const SWAY_HZ: Array[float] = [0.2, 0.25, 0.3, 0.35, 0.4]  ## fore-aft swaying is worst there
const SWAY_SAMPLES_HZ := 10.0
## What an agent that uses [method measures] declares in its reports.
const REPORTS := {
	"comfort_score": "higher", "vignette_share": "lower", "vignette_mean": "lower", "vignette_peak": "lower",
	"vignette_count": "lower", "hard_acceleration_share": "lower", "jerk_share": "lower", "snap_turns": "none",
	"snaps_per_minute": "lower", "fast_turn_share": "lower", "fast_walk_share": "lower",
	"accelerating_share": "lower", "sway": "lower",
}

var ticks := 0
var speed := 0.0  ## of the last tick, m/s
var acceleration := 0.0  ## m/s²
var jerk := 0.0  ## m/s³
var vignette := 0.0  ## intensity now, 0 to 0.7
var vignette_began := false  ## in the last tick it became visible
var vignette_count := 0  ## how often it became visible
var vignette_peak := 0.0
var snap_turns := 0
var score := 1.0  ## of the last tick

var _rate := 90.0
var _top_speed := 2.0
var _place := Vector2.ZERO
var _velocity := Vector2.ZERO
var _change := Vector2.ZERO
var _score_sum := 0.0
var _vignette_sum := 0.0
var _vignette_ticks := 0
var _hard_ticks := 0
var _jolt_ticks := 0
var _fast_turn_ticks := 0
var _fast_walk_ticks := 0
var _accelerating_ticks := 0
var _ahead := PackedFloat64Array()  # m/s along the heading, a tenth of a second apart
var _ahead_sum := 0.0
var _ahead_ticks := 0


## An episode begins with the head at `place`, at rest.
func begin(place: Vector3, tick_rate: float, top_speed: float) -> void:
	ticks = 0
	speed = 0.0
	acceleration = 0.0
	jerk = 0.0
	vignette = 0.0
	vignette_began = false
	vignette_count = 0
	vignette_peak = 0.0
	snap_turns = 0
	score = 1.0
	_rate = tick_rate
	_top_speed = top_speed
	_place = Vector2(place.x, place.z)
	_velocity = Vector2.ZERO
	_change = Vector2.ZERO
	_score_sum = 0.0
	_vignette_sum = 0.0
	_vignette_ticks = 0
	_hard_ticks = 0
	_jolt_ticks = 0
	_fast_turn_ticks = 0
	_fast_walk_ticks = 0
	_accelerating_ticks = 0
	_ahead.clear()
	_ahead_sum = 0.0
	_ahead_ticks = 0


## A tick has passed. turn_command: -1 to 1 of the top turn rate; roll of the head and yaw_rate in radians (per second);
## heading: radians, 0 looks along -Z.
func tick(place: Vector3, turn_command: float, roll: float, yaw_rate := 0.0, heading := 0.0) -> void:
	var now := Vector2(place.x, place.z)
	var velocity := (now - _place) * _rate
	var change := (velocity - _velocity) * _rate
	jerk = ((change - _change) * _rate).length()
	speed = velocity.length()
	acceleration = change.length()
	_place = now
	_velocity = velocity
	_change = change
	ticks += 1
	_hard_ticks += int(acceleration > VIGNETTE_HIGH)
	_jolt_ticks += int(jerk > JERK)
	_fast_turn_ticks += int(rad_to_deg(absf(yaw_rate)) > FAST_TURN)
	_fast_walk_ticks += int(speed > FAST_WALK)
	_accelerating_ticks += int(acceleration > ACCELERATING)
	_shade()
	_judge(turn_command, roll)
	_sample(velocity.dot(Vector2(-sin(heading), -cos(heading))))


## The wearer was turned at once, between two ticks.
func snapped() -> void:
	snap_turns += 1


## The wearer was moved at once behind a faded picture: that is no motion that is seen.
func jumped(place: Vector3) -> void:
	_place = Vector2(place.x, place.z)


## Everything about the episode so far, by the names of [constant REPORTS]. sway: share of the fore-aft motion's
## energy that lies at 0.2 to 0.4 Hz.
func measures() -> Dictionary:
	var n := maxf(1.0, ticks)
	return {
		"comfort_score": _score_sum / n if ticks else 1.0,
		"vignette_share": _vignette_ticks / n,
		"vignette_mean": _vignette_sum / n,
		"vignette_peak": vignette_peak,
		"vignette_count": vignette_count,
		"hard_acceleration_share": _hard_ticks / n,
		"jerk_share": _jolt_ticks / n,
		"snap_turns": snap_turns,
		"snaps_per_minute": snap_turns * 60.0 * _rate / n,
		"fast_turn_share": _fast_turn_ticks / n,
		"fast_walk_share": _fast_walk_ticks / n,
		"accelerating_share": _accelerating_ticks / n,
		"sway": _sway(),
	}


func _shade() -> void:
	var target := clampf((acceleration - VIGNETTE_LOW) / (VIGNETTE_HIGH - VIGNETTE_LOW), 0.0, 1.0) * VIGNETTE_MOST
	var was := vignette > VISIBLE
	vignette += (target - vignette) * minf(VIGNETTE_RATE / _rate, 1.0)
	vignette_began = vignette > VISIBLE and not was
	vignette_count += int(vignette_began)
	_vignette_ticks += int(vignette > VISIBLE)
	_vignette_sum += vignette
	vignette_peak = maxf(vignette_peak, vignette)


func _judge(turn_command: float, roll: float) -> void:
	score = 1.0
	if absf(turn_command) > TURNING:
		score -= 0.3
	if speed > FAST_SHARE * _top_speed:
		score -= 0.2
	if absf(roll) > ROLL:
		score -= 0.2
	_score_sum += score


func _sample(ahead: float) -> void:
	_ahead_sum += ahead
	_ahead_ticks += 1
	if _ahead_ticks >= roundi(_rate / SWAY_SAMPLES_HZ):
		_ahead.append(_ahead_sum / _ahead_ticks)
		_ahead_sum = 0.0
		_ahead_ticks = 0


## Discrete Fourier sums at the frequencies of SWAY_HZ over the energy of all that changes. 0 for less than a period.
func _sway() -> float:
	var n := _ahead.size()
	if n < SWAY_SAMPLES_HZ / SWAY_HZ[0]:
		return 0.0
	var mean := 0.0
	for value in _ahead:
		mean += value / n
	var energy := 0.0
	for value in _ahead:
		energy += (value - mean) ** 2
	var found := 0.0
	for hz in SWAY_HZ:
		var sum := Vector2.ZERO
		for i in n:
			sum += Vector2.from_angle(TAU * hz * i / SWAY_SAMPLES_HZ) * (_ahead[i] - mean)
		found = maxf(found, 2.0 * sum.length_squared() / n)
	return clampf(found / energy, 0.0, 1.0) if energy > 1e-9 else 0.0
