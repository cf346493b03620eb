class_name VrMockHeadset
extends Node
## A headset and two hands that nobody wears: it drives the camera and the controllers that OpenXR would drive.
##
## The head is 1.6 m above the floor and leans into a smooth turn as far as balance asks for; the hands hang before the
## body and swing with the way that was walked. Scripts may point a hand somewhere, press its buttons, and spoil the
## tracking: jumps, drift, lost hands. With [member publish] the poses go through trackers of the XRServer, by the names that
## OpenXR uses, so that XR nodes follow them by themselves; else they are set directly, since arenas side by side cannot
## share one head.

const HEAD_HEIGHT := 1.6  ## metres above the floor
const GRAVITY := 9.8
const LEAN_RATE := 8.0  ## per second, how fast a head follows its lean
const HAND_SIDE := 0.25  ## metres from the middle
const HAND_DOWN := 0.55  ## below the head
const HAND_AHEAD := 0.35
const SWING := 0.12  ## metres a hand swings forth and back
const STRIDE := 1.4  ## metres of one swing
const HANDS: Array[StringName] = [&"left_hand", &"right_hand"]

## Let the XRServer's trackers carry the poses, as a runtime would. For one player in a process.
@export var publish := false

var pitch := 0.0  ## of the head, radians; up is positive
var yaw := 0.0  ## of the head against the body, radians
var roll := 0.0
var drift := Vector3.ZERO  ## metres that the tracking is off
var lost: Array[bool] = [false, false]  ## hands that the tracking does not see
var pointed: Array[Variant] = [null, null]  ## where a hand was put, as a Transform3D in the play space; null: it hangs

var _trackers: Array[XRPositionalTracker] = []
var _pressed := {}


## Everything back to a person who stands upright.
func begin() -> void:
	pitch = 0.0
	yaw = 0.0
	roll = 0.0
	drift = Vector3.ZERO
	lost = [false, false]
	pointed = [null, null]
	_pressed.clear()


## A tick of somebody who is turned (rad/s) and walks ahead (m/s): the head leans as far as balance asks for.
func lean(yaw_rate: float, ahead: float, delta: float) -> void:
	roll += (yaw_rate * ahead / GRAVITY - roll) * minf(LEAN_RATE * delta, 1.0)


## Put the nodes where head and hands are now; walked: metres since the episode began.
func pose(camera: XRCamera3D, hands: Array[XRController3D], walked: float) -> void:
	_set_pose(camera, 0, Transform3D(Basis.from_euler(Vector3(pitch, yaw, roll)), Vector3.UP * HEAD_HEIGHT + drift), true)
	var swing := SWING * sin(TAU * walked / STRIDE)
	for i in hands.size():
		var side := -1.0 if i == 0 else 1.0
		var place := Vector3(side * HAND_SIDE, HEAD_HEIGHT - HAND_DOWN, -(HAND_AHEAD - side * swing))
		var hand: Transform3D = pointed[i] if pointed[i] != null else Transform3D(Basis.IDENTITY, place)
		hand.origin += drift
		_set_pose(hands[i], i + 1, hand, not lost[i])


## Whether the hand's position is known: of a published hand by its tracker, as with OpenXR.
func is_tracked(hand: XRController3D, index: int) -> bool:
	return hand.get_has_tracking_data() if publish else not lost[index]


## Hold a button or put an axis ("trigger", "grip", "primary") of a hand.
func press(index: int, input: StringName, value: Variant) -> void:
	_pressed[[index, input]] = value
	if publish and _trackers.size() > index + 1:
		_trackers[index + 1].set_input(input, value)


func pressed(index: int, input: StringName, fallback: Variant = 0.0) -> Variant:
	return _pressed.get([index, input], fallback)


func _set_pose(node: Node3D, index: int, pose: Transform3D, tracked: bool) -> void:
	if not publish:
		if tracked:
			node.transform = pose  # else it stays where it was last seen
		return
	if _trackers.is_empty():
		_add_trackers()
	var confidence := XRPose.XR_TRACKING_CONFIDENCE_HIGH if tracked else XRPose.XR_TRACKING_CONFIDENCE_NONE
	if tracked:
		_trackers[index].set_pose(&"default", pose, Vector3.ZERO, Vector3.ZERO, confidence)
	else:
		_trackers[index].invalidate_pose(&"default")


func _add_trackers() -> void:
	for name: StringName in [&"head"] + HANDS:
		var made: XRPositionalTracker = XRPositionalTracker.new() if name == &"head" else XRControllerTracker.new()
		made.type = XRServer.TRACKER_HEAD if name == &"head" else XRServer.TRACKER_CONTROLLER
		made.name = name
		XRServer.add_tracker(made)
		_trackers.append(made)


func _exit_tree() -> void:
	for tracker in _trackers:
		XRServer.remove_tracker(tracker)
	_trackers.clear()
