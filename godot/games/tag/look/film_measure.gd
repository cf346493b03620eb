class_name FilmMeasure
extends RefCounted
## Where bodies, names and the camera are in every picture of a shot, computed without drawing.
##
## Places in the picture are left, top, right and bottom as shares of it. Bodies are upright cubes.

const EDGE := 1.0


static func of(shot: FilmShot) -> Dictionary:
	var pictures := []
	var hud := TagHud.new()
	var unit := minf(shot.camera.picture.x, shot.camera.picture.y) / TagHud.BASE
	for number in roundi(float(shot.how.seconds) * float(shot.how.fps)):
		pictures.append(_picture(shot, number / float(shot.how.fps), hud, unit))
	hud.free()
	var heights := []
	var match_start := shot.recording.start_s()
	for i in int(ceil((shot.recording.end_s() - match_start) / FilmCamera.STEP_S)) + 1:
		heights.append(shot.camera.height(0.0, match_start + i * FilmCamera.STEP_S))
	return {"pictures": pictures, "yaw": shot.camera.base_yaw(), "heights": heights}


static func _picture(shot: FilmShot, seconds: float, hud: TagHud, unit: float) -> Dictionary:
	var frame := shot.show(seconds)
	var camera := shot.camera
	var bodies := []
	for i in shot.recording.agents():
		var place: Array = frame.position[i]
		var body := camera.bounds_of(Vector3(place[0], place[1], place[2]), EDGE)
		var seeker: bool = float(frame.seeker[i]) > 0.5
		hud.show_name(i, TagShow.role_name(seeker, false), Color.WHITE, body)
		bodies.append(_corners(body, camera.picture))
	var names := []
	if shot.how.get("names", true):
		for place in hud.name_places(unit, camera.picture):
			names.append(_corners(place, camera.picture))
	var eye := camera.position
	return {
		"match_s": shot.match_s(seconds), "after_s": shot.after_s(seconds), "bodies": bodies, "names": names,
		"places": frame.position, "camera": [eye.x, eye.y, eye.z], "yaw": camera.yaw_degrees,
		"height": camera.height(seconds, shot.match_s(seconds)), "corners": _arena(camera),
	}


## Where the corners of the floor are.
static func _arena(camera: FilmCamera) -> Array:
	var made := []
	for x: float in [-1.0, 1.0]:
		for z: float in [-1.0, 1.0]:
			var at := camera.bounds_of(Vector3(x, 0.0, z) * camera.arena_half(), 0.0).position / camera.picture
			made.append([at.x, at.y])
	return made


static func _corners(rect: Rect2, picture: Vector2) -> Array:
	var low := rect.position / picture
	var high := rect.end / picture
	return [low.x, low.y, high.x, high.y]
