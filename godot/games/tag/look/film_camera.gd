class_name FilmCamera
extends TagCamera
## The camera of one shot of a film: where it stands at every moment of the shot, computed before it begins.
##
## H is the height in metres of the picture at the aim point. One formula for all shots: the lens stands at
## aim + back * H / (2 tan(lens / 2)), lowered or raised by a share of H.

## Degrees, and H as a multiple of the arena's half width ("halves") or in metres ("metres").
## turn: degrees per second that the camera goes around; raised: share of H by which the aim is above the middle.
const KINDS := {
	"title": {"pitch": 10.0, "lens": 16.0, "halves": 1.6, "turn": 3.0, "from": -8.0, "raised": -0.12, "dolly": 0.015},
	"wide": {"pitch": 35.0, "lens": 14.0, "halves": 1.5, "turn": 0.6, "from": -2.0, "raised": 0.015, "aim_z": -0.6},
	"follow": {"pitch": 34.0, "lens": 16.0, "least": 10.5, "most": 20.0, "raised": 0.03},
	"panel": {"pitch": 36.0, "lens": 16.0, "least": 12.0, "most": 21.0, "raised": 0.0},
	"tall": {"pitch": 40.0, "lens": 16.0, "least": 16.0, "most": 35.0, "raised": -0.04},
	"touch": {"pitch": 24.0, "lens": 18.0, "metres": 6.6, "turn": 3.0, "from": -6.0, "raised": -0.13},
	"push": {"pitch": 34.0, "lens": 16.0, "least": 8.0, "most": 20.0, "raised": 0.03},
	"end": {"pitch": 14.0, "lens": 20.0, "metres": 4.3, "turn": 0.7, "from": -2.0, "raised": 0.0},
}
const PORTRAIT := 1.0  ## width / height below which a picture is held upright
const CLOSE_WALL_COST := 2.0  ## of a wall between the camera and the two, where it is near
const STEP_S := 0.05  ## between the moments at which the heights of two panels are compared

var kind := "follow"
var picture := Vector2(1280, 720)  ## its size in pixels

var _how := {}
var _base_yaw := 0.0
var _recording: TagRecording
var _heights := PackedFloat32Array()  # of the picture, given from outside: panels of one split share them


## Prepare a shot of a recording. `shot`: what was planned, see film.gd.
func begin_shot(shot: Dictionary, recording: TagRecording, half: float) -> void:
	picture = Vector2(shot.size[0], shot.size[1])
	var aspect := picture.x / picture.y
	kind = str(shot.get("camera", "follow"))
	_how = KINDS.get(kind, KINDS.follow)
	_recording = recording
	_arena_half = half
	_aspect = aspect
	pitch_degrees = _how.pitch
	fov = _how.lens
	keep_aspect = Camera3D.KEEP_HEIGHT
	_base_yaw = shot.yaw if shot.has("yaw") else _chosen_yaw(shot)
	yaw_degrees = _base_yaw
	_heights = PackedFloat32Array(shot.get("heights", []))
	var most := float(_how.get("most", _fixed_height()))
	if _how.has("least"):
		rotation_degrees = Vector3(-pitch_degrees, yaw_degrees, 0.0)
		_track = PairTrack.new(recording, transform.basis, aspect, Vector2(_how.least, most), aspect < PORTRAIT)
	distance = _away(most)
	shadow_reach = distance + 1.9 * half
	near = 0.35 * _away(minf(float(_how.get("least", most)), most))
	far = distance + 400.0
	set_process(false)
	show_shot(0.0, float(shot.begin_s))


## The picture `seconds` after the beginning of the shot, when the match is at `match_s`.
func show_shot(seconds: float, match_s: float) -> void:
	yaw_degrees = _base_yaw + float(_how.get("from", 0.0)) + float(_how.get("turn", 0.0)) * seconds
	rotation_degrees = Vector3(-pitch_degrees, yaw_degrees, 0.0)
	var tall := height(seconds, match_s)
	var aim := _aim(match_s, tall)
	position = aim + transform.basis.z * _away(tall) - transform.basis.y * float(_how.raised) * tall


## Metres that the picture is high.
func height(seconds: float, match_s: float) -> float:
	if not _heights.is_empty():
		var at := clampf((match_s - _recording.start_s()) / STEP_S, 0.0, _heights.size() - 1.0)
		return lerpf(_heights[int(at)], _heights[mini(int(at) + 1, _heights.size() - 1)], at - int(at))
	if _track:
		return _track.height(match_s)
	return _fixed_height() * (1.0 - float(_how.get("dolly", 0.0)) * seconds)


## The rectangle of the picture that a body covers, computed without a viewport.
func bounds_of(feet: Vector3, edge: float) -> Rect2:
	var bounds := Rect2()
	for corner in 8:
		var off := Vector3(corner & 1, (corner >> 1) & 1, corner >> 2) - Vector3(0.5, 0.0, 0.5)
		var seen := frame_of(feet + off * edge, _aspect)
		var at := (Vector2(seen.x, -seen.y) * 0.5 + Vector2(0.5, 0.5)) * picture
		bounds = bounds.expand(at) if corner else Rect2(at, Vector2.ZERO)
	return bounds


## Where the walls and the light are built for: the camera's side in the middle of the shot.
func stage_side(seconds: float) -> Vector2:
	var yaw := deg_to_rad(_base_yaw + float(_how.get("from", 0.0)) + 0.5 * float(_how.get("turn", 0.0)) * seconds)
	return Vector2(sin(yaw), cos(yaw))


func arena_half() -> float:
	return _arena_half


## The yaw around which the shot turns.
func base_yaw() -> float:
	return _base_yaw


func _fixed_height() -> float:
	var tall := float(_how.get("metres", float(_how.get("halves", 1.5)) * _arena_half))
	if kind == "touch":
		tall = maxf(tall, (2.0 * _reach_at(float(_recording.shot.begin_s)) + 2.6) / (_aspect * 0.9))
	if _aspect < PORTRAIT:  # upright pictures are narrow: the same width needs more height
		tall *= 1.9 if kind == "end" else (1.3 if _how.has("metres") else 1.15 / _aspect)
	return tall


func _chosen_yaw(shot: Dictionary) -> float:
	var from := float(shot.begin_s)
	var until := minf(float(shot.end_s), _recording.end_s())
	match kind:
		"title", "wide":
			return ShotYaw.choose(_recording, pitch_degrees, from, until, 4)
		"end":
			return 0.0
		"panel":
			return ShotYaw.along_pair(_recording, from)
	var wall_cost := CLOSE_WALL_COST if kind == "touch" else ShotYaw.WALL_COST
	return ShotYaw.choose(_recording, pitch_degrees, from, until, ShotYaw.SIDES, wall_cost)


func _aim(match_s: float, tall: float) -> Vector3:
	var yaw := deg_to_rad(yaw_degrees)
	var back := Vector3(sin(yaw), 0.0, cos(yaw))
	if _track:
		return _kept_over_arena(_track.aim(match_s), tall)
	match kind:
		"touch":
			return _middle(_recording.at(_recording.end_s()))
		"end":
			var right := Vector3(back.z, 0.0, -back.x)
			# the pair stands right of the panel with the result, or below it in an upright picture
			return Vector3.UP * 1.75 if _aspect < PORTRAIT else right * -1.85 + Vector3.UP * 0.75
	return back * float(_how.get("aim_z", 0.0))


## How far from the middle of the end somebody is at a moment.
func _reach_at(match_s: float) -> float:
	var middle := _middle(_recording.at(_recording.end_s()))
	var most := 0.0
	for place: Array in _recording.at(match_s).position:
		most = maxf(most, Vector2(place[0] - middle.x, place[2] - middle.z).length())
	return most


static func _middle(frame: Dictionary) -> Vector3:
	var sum := Vector3.ZERO
	for place: Array in frame.position:
		sum += Vector3(place[0], float(place[1]) + 0.5, place[2])
	return sum / frame.position.size()
