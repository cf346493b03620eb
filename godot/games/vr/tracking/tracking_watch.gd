class_name TrackingWatch
extends RefCounted
## Notices what goes wrong with the tracking of a head and two hands: poses that jump, a head that drifts away, hands
## that are not seen.
##
## It knows only what a runtime says, poses in the play space and whether they are tracked, and where the body stands.

const JUMP := 0.05  ## metres in one tick: 4.5 m/s, faster than a head
const HAND_JUMP := 0.15  ## metres in one tick: 13.5 m/s, faster than a hand
const WINDOW_S := 1.0  ## over which the head's place is averaged, so that leaning and swaying are no drift
const DRIFT := 0.10  ## metres that the mean place is off before it counts
const LOST_S := 0.1  ## a shorter gap is filled by prediction

var jumps := 0
var drift := 0.0  ## metres that the mean place of the head is off now
var most_drift := 0.0
var drifts := 0  ## times that the mean place went off by more than DRIFT
var losses := 0  ## hands that were not seen for longer than LOST_S
var lost_s := 0.0  ## seconds of both hands

var _rate := 90.0
var _start := Vector3.ZERO
var _jumped := Vector3.ZERO  # by how much jumps have moved the head; that is no drift
var _places := PackedVector3Array()  # of the head, one window
var _sum := Vector3.ZERO
var _at := 0
var _last: Array[Vector3] = []  # head, left, right
var _unseen := [0, 0]  # ticks


## The episode begins with these places in the play space.
func begin(head: Vector3, hands: Array[Vector3], tick_rate: float) -> void:
	jumps = 0
	drifts = 0
	most_drift = 0.0
	losses = 0
	lost_s = 0.0
	_rate = tick_rate
	_unseen = [0, 0]
	recentre(head, hands)


## The wearer has put the play space right: from here on drift is counted anew.
func recentre(head: Vector3, hands: Array[Vector3]) -> void:
	drift = 0.0
	_start = head
	_jumped = Vector3.ZERO
	_places.resize(roundi(WINDOW_S * _rate))
	_places.fill(head)
	_sum = head * _places.size()
	_at = 0
	_last = [head]
	_last.append_array(hands)


func tick(head: Vector3, hands: Array[Vector3], tracked: Array[bool]) -> void:
	_look_for_jumps(head, hands, tracked)
	var place := head - _jumped
	_sum += place - _places[_at]
	_places[_at] = place
	_at = (_at + 1) % _places.size()
	var was := drift
	drift = (_sum / _places.size()).distance_to(_start)
	most_drift = maxf(most_drift, drift)
	drifts += int(drift > DRIFT and was <= DRIFT)
	for i in 2:
		_look_for_loss(i, tracked[i])


func measures() -> Dictionary:
	return {"pose_jumps": jumps, "drifts": drifts, "drift_m": most_drift, "hand_losses": losses, "lost_hand_s": lost_s}


## A tick in which anything jumps is one jump.
func _look_for_jumps(head: Vector3, hands: Array[Vector3], tracked: Array[bool]) -> void:
	var jumped := head.distance_to(_last[0]) > JUMP
	if jumped:
		_jumped += head - _last[0]
	_last[0] = head
	for i in 2:
		if tracked[i] and _unseen[i] == 0:  # a hand that comes back is somewhere else
			jumped = jumped or hands[i].distance_to(_last[i + 1]) > HAND_JUMP
		_last[i + 1] = hands[i]
	jumps += int(jumped)


func _look_for_loss(index: int, tracked: bool) -> void:
	if tracked:
		_unseen[index] = 0
		return
	_unseen[index] += 1
	lost_s += 1.0 / _rate
	losses += int(_unseen[index] == roundi(LOST_S * _rate))
