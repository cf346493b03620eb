class_name FilmShot
extends RefCounted
## One shot of a film: which moment of a recording every picture shows, and from where.
##
## A shot is data, `shot` of a recording: camera (a kind of FilmCamera), begin_s and end_s of the match, speed
## (seconds of the match per second of the film), seconds, fps, size, sight and names (whether they are shown);
## optional yaw and heights.
##
## Until its end the match is shown as it was recorded. What follows is acted: bodies turn to the camera, the winner
## hops. The same on the title, before the first moment, and on the last card, where nobody plays.

const TURN_S := 0.35
const HOP_M := 0.45
const HOP_S := 0.5
const PAIR_GAP := 1.5  ## metres between the two on the last card
const POSED: Array[String] = ["title", "end"]  ## cameras of shots in which nobody plays

var recording: TagRecording
var camera: FilmCamera
var how := {}


func _init(from: TagRecording, used: FilmCamera, arena_half: float) -> void:
	recording = from
	camera = used
	how = from.shot
	camera.begin_shot(how, recording, arena_half)


func is_posed() -> bool:
	return camera.kind in POSED


## The moment of the match that is shown so long after the beginning of the shot.
func match_s(seconds: float) -> float:
	return float(how.begin_s) + minf(seconds * float(how.speed), float(how.end_s) - float(how.begin_s))


## Seconds of the film since the match ended; negative before, and in a shot that does not reach the end.
func after_s(seconds: float) -> float:
	if is_posed() or float(how.end_s) < recording.end_s() - 1e-3:
		return -1.0
	return seconds - (recording.end_s() - float(how.begin_s)) / maxf(float(how.speed), 1e-6)


## Move the camera to a moment of the shot and return what is to be seen then.
func show(seconds: float) -> Dictionary:
	var now := match_s(seconds)
	camera.show_shot(seconds, now)
	var frame := recording.at(now)
	if is_posed():
		return _posed(frame, seconds)
	var after := after_s(seconds)
	return _acted(frame, after) if after >= 0.0 else frame


## After the end: everybody turns to the camera, the winner hops.
func _acted(frame: Dictionary, after: float) -> Dictionary:
	var made := frame.duplicate(true)
	for i in recording.agents():
		_turn(made, i, clampf(after / TURN_S, 0.0, 1.0))
		made.velocity[i] = [0.0, 0.0, 0.0]
		made.out[i] = 0.0  # whoever was touched keeps the colour to the end
		if (float(frame.seeker[i]) > 0.5) == (recording.winner == "seeker"):
			made.position[i][1] = float(frame.position[i][1]) + HOP_M * absf(sin(PI * after / HOP_S))
	return made


func _posed(frame: Dictionary, seconds: float) -> Dictionary:
	var made := frame.duplicate(true)
	var right := camera.transform.basis.x
	for i in recording.agents():
		if camera.kind == "end":
			var aside := PAIR_GAP * (i - (recording.agents() - 1) * 0.5)
			made.position[i] = [right.x * aside, 0.0, right.z * aside]
		_turn(made, i, 1.0)
		made.velocity[i] = [0.0, 0.0, 0.0]
		var hop := seconds - 0.9 - 0.6 * i
		if hop > 0.0 and hop < HOP_S:
			made.position[i][1] = float(made.position[i][1]) + HOP_M * sin(PI * hop / HOP_S)
	return made


func _turn(frame: Dictionary, i: int, share: float) -> void:
	var from := Vector2(frame.facing[i][0], frame.facing[i][1])
	var angle := lerp_angle(from.angle(), camera.side().angle(), ease(share, -2.0))
	frame.facing[i] = [cos(angle), sin(angle)]
