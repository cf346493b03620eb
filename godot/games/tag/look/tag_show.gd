class_name TagShow
extends Node3D
## A match to look at: stage, cubes, camera, clock and the end. Fed with frames, whoever makes them.
##
## A frame has the names of the spec's render block, as TagFrame and TagRecording make it.

var camera := TagCamera.new()
var hud := TagHud.new()
var stage := TagStage.new()
var moment := WinMoment.new()
var cubes: Array[TagCube] = []

var _view_degrees := 120.0
var _edge := 1.0
var _names: Array = []
var _celebrated := false
var _closer := -1


func _init() -> void:
	camera.physics_interpolation_mode = Node.PHYSICS_INTERPOLATION_MODE_OFF  # it moves with the picture
	for part: Node in [camera, stage, moment, hud, SandlotFrameRecorder.new()]:
		add_child(part)


## `config` holds the settings of the game by name.
func build(config: Dictionary, agents: int, names: Array = []) -> void:
	_view_degrees = config.field_of_view
	_edge = config.body_edge
	_names = names
	var size := Vector2(1920, 1080)
	if is_inside_tree():
		size = get_viewport().get_visible_rect().size
	camera.fit(config.arena_half, config.wall_height, size.x / size.y)
	camera.make_current()
	stage.build(config.arena_half, config.wall_height, camera.side(), camera.far)
	for _agent in agents:
		var cube := TagCube.new()
		add_child(cube)
		cube.build(_edge)
		cubes.append(cube)
	hud.set_range(config.vision_range, _view_degrees)


## The camera near the next agent, and after the last one from afar again.
func look_closer() -> void:
	_closer = (_closer + 2) % (cubes.size() + 1) - 1
	camera.follow(cubes[_closer] if _closer >= 0 else null)


## A new match: other boxes, no trails.
func begin(boxes: Array) -> void:
	stage.show_boxes(boxes)
	hud.hide_banner()
	_celebrated = false
	for cube in cubes:
		cube.forget()
		cube.reset_physics_interpolation.call_deferred()  # a jump to the next match is no motion


## Show one moment; `dt` is the simulated time since the last one.
func show_frame(frame: Dictionary, dt: float) -> void:
	hud.show_time(frame.time_left)
	for i in cubes.size():
		cubes[i].pose(frame, i, dt)
		var out: bool = float(frame.out[i]) > 0.5
		var role := "SEEKER" if float(frame.seeker[i]) > 0.5 else "HIDER"
		_show_sight(i, frame, role, out)
		var name := "OUT" if out else role
		hud.show_name(i, name, cubes[i].colour, camera.unproject_position(cubes[i].crown()))


## The end of a match, once: where it was decided and who won ("seeker", "hider" or "nobody").
func celebrate(winner: String, frame: Dictionary) -> void:
	if _celebrated:
		return
	_celebrated = true
	match winner:
		"seeker":
			hud.show_banner("SEEKER WINS", TagCube.SEEKER_COLOUR)
		"hider":
			hud.show_banner("HIDER ESCAPES", TagCube.HIDER_COLOUR)
		_:
			hud.show_banner("TIME", Color(0.9, 0.9, 0.95))
			return
	var hero := _hero(winner, frame)
	moment.celebrate(cubes[hero].position, cubes[hero].colour)


func _hero(winner: String, frame: Dictionary) -> int:
	for i in cubes.size():
		if (float(frame.seeker[i]) > 0.5) == (winner == "seeker") and float(frame.out[i]) < 0.5:
			return i
	return 0


func _show_sight(i: int, frame: Dictionary, role: String, out: bool) -> void:
	if not frame.has("ray_distance"):
		return
	var distances := PackedFloat32Array(frame.ray_distance[i])
	var types := PackedFloat32Array(frame.ray_type[i])
	cubes[i].show_sight(PackedFloat32Array() if out else distances, types, _view_degrees)
	var title := "%s · %s" % [role, _names[i]] if i < _names.size() else role
	hud.show_pane(i, title, cubes[i].colour, distances, types)
