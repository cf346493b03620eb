class_name TagCone
extends MeshInstance3D
## What an agent can see, on the floor: its field of view, cut off by walls and boxes. Computed from the current
## pose, never from rays of the step before, and so never outside the arena or behind a box.

const DIRECTIONS := 240
const RINGS := 10
const ALPHA := 0.55  ## at the agent
const NEAREST := 0.4  ## metres; from here to FADED_IN it fades in
const FADED_IN := 1.1
const EDGE_SHARE := 0.05  ## of the angle on either side, over which it fades out
const EDGE_ALPHA := 0.3
const EYE := 0.5  ## metres above the feet: what is higher hides
const HEIGHT := 0.03  ## metres above the floor

var view_degrees := 120.0
var vision_range := 15.0
var arena_half := 10.0

var _mesh := ImmediateMesh.new()


func _init() -> void:
	mesh = _mesh
	top_level = true
	cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	var material := TagTrail.glaze()
	material.no_depth_test = false
	material.render_priority = -1  # below rings and trails
	material_override = material


## Boxes are six numbers each, min x y z and max x y z.
func show_view(feet: Vector3, facing: Vector2, colour: Color, boxes: Array) -> void:
	_mesh.clear_surfaces()
	if facing == Vector2.ZERO:
		return
	var eye := Vector2(feet.x, feet.z)
	var hiding := boxes.filter(func(box: Array) -> bool: return box[4] > feet.y + EYE)
	var ends: Array[Vector2] = []
	for i in DIRECTIONS + 1:
		var way := facing.rotated(deg_to_rad(view_degrees * (i / float(DIRECTIONS) - 0.5)))
		ends.append(way * reach(eye, way, hiding))
	_mesh.surface_begin(Mesh.PRIMITIVE_TRIANGLES)
	for i in DIRECTIONS:
		for ring in RINGS:
			for corner: Array in [[i, ring], [i + 1, ring], [i + 1, ring + 1], [i, ring], [i + 1, ring + 1], [i, ring + 1]]:
				var off: Vector2 = ends[corner[0]] * (corner[1] / float(RINGS))
				_mesh.surface_set_color(Color(colour, _alpha(off.length(), corner[0] / float(DIRECTIONS))))
				_mesh.surface_add_vertex(Vector3(eye.x + off.x, HEIGHT, eye.y + off.y))
	_mesh.surface_end()


func hide_view() -> void:
	_mesh.clear_surfaces()


## How far one sees from here: to the end of sight, a side of the arena, or the first box in the way.
func reach(eye: Vector2, way: Vector2, boxes: Array) -> float:
	var far := vision_range
	for axis in 2:
		if absf(way[axis]) > 1e-6:
			far = minf(far, maxf(0.0, (arena_half * signf(way[axis]) - eye[axis]) / way[axis]))
	for box: Array in boxes:
		far = minf(far, _to_box(eye, way, Vector2(box[0], box[2]), Vector2(box[3], box[5])))
	return far


## Along a direction to a rectangle on the floor; INF past it, or from within it.
static func _to_box(eye: Vector2, way: Vector2, low: Vector2, high: Vector2) -> float:
	var enter := -INF
	var leave := INF
	for axis in 2:
		if absf(way[axis]) < 1e-6:
			if eye[axis] < low[axis] or eye[axis] > high[axis]:
				return INF
			continue
		var a := (low[axis] - eye[axis]) / way[axis]
		var b := (high[axis] - eye[axis]) / way[axis]
		enter = maxf(enter, minf(a, b))
		leave = minf(leave, maxf(a, b))
	return enter if leave >= enter and enter >= 0.0 else INF


func _alpha(distance: float, share: float) -> float:
	var fade := pow(maxf(0.0, 1.0 - distance / vision_range), 0.9)
	var begin := clampf((distance - NEAREST) / (FADED_IN - NEAREST), 0.0, 1.0)
	var edge := clampf(minf(share, 1.0 - share) / EDGE_SHARE, 0.0, 1.0)
	return ALPHA * fade * begin * lerpf(EDGE_ALPHA, 1.0, edge)
