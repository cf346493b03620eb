class_name TagShow
extends Node3D
## A match to look at: court, surroundings, cubes, camera, text and the end. Fed with frames, whoever makes them.
##
## A frame has the names of the spec's render block, as TagFrame and TagRecording make it.

const CHEER_S := 2.5  ## how long the crowd jumps after the end
const PANE := Vector2(330, 250)

var camera: TagCamera
var hud := TagHud.new()
var stage := TagStage.new()
var surroundings := TagSurroundings.new()
var moment := WinMoment.new()
var cubes: Array[TagCube] = []

var _config := {}
var _cones: Array[TagCone] = []
var _panes: Array[VisionPane] = []
var _pane_layer := CanvasLayer.new()
var _names: Array = []
var _boxes: Array = []
var shows_sight := true  ## the seekers' views on the floor
var _ended_s := -1.0  # simulated seconds since the end; negative before it
var _closer := -1


func _init(used: TagCamera = null) -> void:
	camera = used if used else TagCamera.new()
	camera.physics_interpolation_mode = Node.PHYSICS_INTERPOLATION_MODE_OFF  # it moves with the picture
	_pane_layer.visible = false
	hud.layer = 2
	for part: Node in [surroundings, camera, stage, moment, _pane_layer, hud, SandlotFrameRecorder.new()]:
		add_child(part)


## `config` holds the settings of the game by name. With a recording the camera follows the agents through it;
## otherwise it shows the whole arena.
func build(config: Dictionary, agents: int, names: Array = [], followed: TagRecording = null) -> void:
	var size := Vector2(1920, 1080)
	if is_inside_tree():
		size = get_viewport().get_visible_rect().size
	if followed:
		var yaw := ShotYaw.choose(followed, TagCamera.PAIR_PITCH_DEGREES, followed.start_s(), followed.end_s())
		camera.begin_pair(followed, yaw, size.x / size.y, config.arena_half)
	else:
		camera.fit(config.arena_half, config.wall_height, size.x / size.y)
	set_up(config, agents, names, camera.side())


## The set and the agents, for a camera that stands already, on this side of the arena.
func set_up(config: Dictionary, agents: int, names: Array, camera_side: Vector2) -> void:
	_config = config
	_names = names
	if camera.is_inside_tree():
		camera.make_current()
	stage.build(config.arena_half, config.wall_height, camera_side)
	surroundings.build(config.arena_half, camera_side, camera.distance, camera.shadow_reach)
	for _agent in agents:
		_add_agent()


## The camera near the next agent, and after the last one from afar again.
func look_closer() -> void:
	_closer = (_closer + 2) % (cubes.size() + 1) - 1
	camera.follow(cubes[_closer] if _closer >= 0 else null)


## The rays of the first two agents in the lower corners, or no longer.
func toggle_rays() -> void:
	_pane_layer.visible = not _pane_layer.visible


## A new match: other boxes, no trails.
func begin(boxes: Array) -> void:
	_boxes = boxes
	stage.show_boxes(boxes)
	hud.hide_banner()
	surroundings.cheer(0.0)
	_ended_s = -1.0
	for cube in cubes:
		cube.forget()
		cube.reset_physics_interpolation.call_deferred()  # a jump to the next match is no motion


## Show one moment; `dt` is the simulated time since the last one.
func show_frame(frame: Dictionary, dt: float) -> void:
	hud.show_time(frame.time_left, _config.get("time_limit", 10.0))
	for i in cubes.size():
		cubes[i].pose(frame, i, dt)
		var out: bool = float(frame.out[i]) > 0.5
		var seeker: bool = float(frame.seeker[i]) > 0.5
		_show_sight(i, frame, seeker, out)
		var tint := TagPalette.OUT if out else (TagPalette.SEEKER_TAG if seeker else TagPalette.HIDER_TAG)
		hud.show_name(i, role_name(seeker, out), tint, camera.bounds_of(cubes[i].global_position, float(_config.body_edge)))
	if _ended_s >= 0.0:
		_ended_s += dt
		surroundings.cheer(clampf(1.0 - _ended_s / CHEER_S, 0.0, 1.0))


static func role_name(seeker: bool, out: bool) -> String:
	return "OUT" if out else ("SEEKER" if seeker else "HIDER")


## The end of a match, once: where it was decided and who won ("seeker", "hider" or "nobody").
func celebrate(winner: String, frame: Dictionary) -> void:
	if _ended_s >= 0.0:
		return
	_ended_s = 0.0
	match winner:
		"seeker":
			hud.show_banner("TAG!", TagPalette.EXCLAMATION)
		"hider":
			hud.show_banner("Escaped!", TagPalette.EXCLAMATION)
		_:
			hud.show_banner("Time is up", TagPalette.PAPER)
			return
	var hero := _hero(winner, frame)
	var place: Array = frame.position[hero]
	moment.celebrate(Vector3(place[0], place[1], place[2]), cubes[hero].colour)


func _add_agent() -> void:
	var cube := TagCube.new()
	add_child(cube)
	cube.build(_config.body_edge)
	cubes.append(cube)
	var cone := TagCone.new()
	cone.view_degrees = _config.field_of_view
	cone.vision_range = _config.vision_range
	cone.arena_half = _config.arena_half
	add_child(cone)
	_cones.append(cone)
	if _panes.size() < 2:
		_panes.append(_make_pane(_panes.is_empty()))


func _make_pane(left: bool) -> VisionPane:
	var pane := VisionPane.new()
	pane.set_anchors_preset(Control.PRESET_BOTTOM_LEFT if left else Control.PRESET_BOTTOM_RIGHT)
	pane.size = PANE
	pane.position += Vector2(36.0 if left else -36.0 - PANE.x, -36.0 - PANE.y)
	pane.reach = _config.vision_range
	pane.view_degrees = _config.field_of_view
	_pane_layer.add_child(pane)
	return pane


func _hero(winner: String, frame: Dictionary) -> int:
	for i in cubes.size():
		if (float(frame.seeker[i]) > 0.5) == (winner == "seeker") and float(frame.out[i]) < 0.5:
			return i
	return 0


## Seekers' views lie on the floor: who is hunted is told by where the hunters look. Pupils follow whom they see.
func _show_sight(i: int, frame: Dictionary, seeker: bool, out: bool) -> void:
	if out or not seeker or not shows_sight:
		_cones[i].hide_view()
	else:
		_cones[i].show_view(cubes[i].position, cubes[i].facing, TagPalette.SEEKER_CONE, _boxes)
	var types := PackedFloat32Array(frame.ray_type[i])
	var sees := false
	for type in types:
		sees = sees or type > 1.5
	cubes[i].glance_at(_nearest_other(i), sees)
	if _pane_layer.visible and i < _panes.size():
		var title: String = _names[i] if i < _names.size() else ("SEEKER" if seeker else "HIDER")
		_panes[i].show_sight(title, cubes[i].colour, PackedFloat32Array(frame.ray_distance[i]), types)


func _nearest_other(i: int) -> Vector3:
	var nearest := cubes[i].position
	var least := INF
	for other in cubes:
		var away := other.position.distance_to(cubes[i].position)
		if other != cubes[i] and away < least:
			least = away
			nearest = other.position
	return nearest
