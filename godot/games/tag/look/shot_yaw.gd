class_name ShotYaw
extends RefCounted
## From which side a match is filmed: the one from which one sees most faces, past the fewest boxes.

const SIDES := 8
const SAMPLES := 40
const HIDDEN_COST := 1.0  ## of a cube behind a box, in units of a face turned to the camera
const WALL_COST := 0.5  ## of the agents close behind the wall that is nearest to the camera
const WALL_M := 1.5


## Degrees around the arena, of a camera with this pitch that films these seconds from one of so many sides.
static func choose(recording: TagRecording, pitch_degrees: float, from_s: float, until_s: float, sides := SIDES, wall_cost := WALL_COST) -> float:
	var best := 0.0
	var most := -INF
	for side in sides:
		var yaw := 360.0 * side / sides
		var value := _value(recording, deg_to_rad(yaw), deg_to_rad(pitch_degrees), from_s, until_s, wall_cost)
		if value > most + 1e-6:
			most = value
			best = yaw
	return wrapf(best, -180.0, 180.0)


## The side from which the line from the first agent to the last runs into depth, so that it fits an upright picture.
static func along_pair(recording: TagRecording, seconds: float) -> float:
	var frame := recording.at(seconds)
	var first: Array = frame.position[0]
	var last: Array = frame.position[-1]
	var way := Vector2(last[0] - first[0], last[2] - first[2])
	return rad_to_deg(atan2(way.x, way.y)) if way.length() > 0.1 else 0.0


static func _value(recording: TagRecording, yaw: float, pitch: float, from_s: float, until_s: float, wall_cost: float) -> float:
	var to_camera := Vector3(sin(yaw) * cos(pitch), sin(pitch), cos(yaw) * cos(pitch))
	var level := Vector2(to_camera.x, to_camera.z)
	var half := float(recording.config.get("arena_half", 10.0))
	var total := 0.0
	for sample in SAMPLES:
		var share := sample / float(SAMPLES - 1)
		var frame := recording.at(lerpf(from_s, until_s, share))
		for agent in frame.position.size():
			var at := Vector3(frame.position[agent][0], frame.position[agent][1] + 0.5, frame.position[agent][2])
			total += Vector2(frame.facing[agent][0], frame.facing[agent][1]).dot(level)
			total -= HIDDEN_COST if _hidden(at, to_camera, recording.boxes) else 0.0
			for axis: Vector2 in [Vector2.RIGHT, Vector2.LEFT, Vector2.UP, Vector2.DOWN]:
				if axis.dot(level) > 0.3 and half - axis.dot(Vector2(at.x, at.z)) < WALL_M:
					total -= wall_cost
	return total


static func _hidden(place: Vector3, to_camera: Vector3, boxes: Array) -> bool:
	for box: Array in boxes:
		var low := Vector3(box[0], box[1], box[2])
		if AABB(low, Vector3(box[3], box[4], box[5]) - low).intersects_segment(place, place + to_camera * 60.0):
			return true
	return false
