extends Node3D
## Draws one shot of a film, or measures shots without drawing them.
##
## Words: FILE [--from=SECONDS], or FILE… --measure=FILE. A FILE is a recording as Replay.tscn reads it, with a further
## object `shot`, see FilmShot. With --measure every picture of every shot is described as JSON instead of drawn.

const BEHIND_M := 1.1  ## confetti starts behind the pair, as the camera sees it
const VIGNETTE := preload("res://games/tag/look/vignette.gdshader")

var _show: TagShow
var _shot: FilmShot
var _seconds := 0.0  # of the shot
var _arguments := SandlotArguments.parse()


func _ready() -> void:
	var measured := []
	for path in _arguments.positional:
		var recording := TagRecording.open(path)
		if recording.problem or recording.shot.is_empty():
			_refuse(recording.problem if recording.problem else "%s holds no shot." % path)
			return
		if not _arguments.text("measure"):
			_build(recording)
			return
		var camera := FilmCamera.new()
		measured.append(FilmMeasure.of(FilmShot.new(recording, camera, _config(recording).arena_half)))
		camera.free()
	if measured.is_empty():
		_refuse("Give a recording with a shot.")
		return
	FileAccess.open(_arguments.text("measure"), FileAccess.WRITE).store_string(JSON.stringify(measured))
	get_tree().quit(0)


func _refuse(problem: String) -> void:
	printerr("sandlot: ", problem)
	get_tree().quit(2)


## The settings of the recorded match; those that this version does not know do not matter to the picture.
static func _config(recording: TagRecording) -> Dictionary:
	var config: Dictionary = SandlotSpec.from_file(TagGame.SPEC_FILE).config.duplicate()
	for name: String in recording.config:
		if config.has(name):
			config[name] = recording.config[name]
	return config


func _build(recording: TagRecording) -> void:
	var config := _config(recording)
	var camera := FilmCamera.new()
	_show = TagShow.new(camera)
	_show.physics_interpolation_mode = Node.PHYSICS_INTERPOLATION_MODE_OFF  # the tape knows every moment
	add_child(_show)
	_shot = FilmShot.new(recording, camera, config.arena_half)
	_fit_window()
	_show.shows_sight = _shot.how.get("sight", true)
	_show.hud.shows_clock = false
	_show.hud.shows_names = _shot.how.get("names", true)
	_show.hud.shows_banner = false
	_show.set_up(config, recording.agents(), recording.names, camera.stage_side(float(_shot.how.seconds)))
	_show.begin([] if camera.kind == "end" else recording.boxes)
	_add_vignette(0.06 if camera.kind == "title" else 0.16)
	_seconds = _arguments.number("from", 0.0)
	_show.show_frame(_shot.show(_seconds), 0.0)  # everybody in the colour of the role from the first picture on


func _fit_window() -> void:
	var window := get_window()
	window.content_scale_mode = Window.CONTENT_SCALE_MODE_DISABLED
	window.size = Vector2i(_shot.camera.picture)
	window.screen_space_aa = Viewport.SCREEN_SPACE_AA_DISABLED
	if TagSurroundings.is_plain():
		window.msaa_3d = Viewport.MSAA_DISABLED
		RenderingServer.directional_soft_shadow_filter_set_quality(RenderingServer.SHADOW_QUALITY_SOFT_LOW)
		RenderingServer.directional_shadow_atlas_set_size(2048, true)
	else:  # two samples of edges cost nothing beside soft shadows
		window.msaa_3d = Viewport.MSAA_2X


func _process(delta: float) -> void:
	if _shot == null:
		return
	var after := _shot.after_s(_seconds)
	var frame := _shot.show(_seconds)
	_show.show_frame(frame, delta if after >= 0.0 else delta * float(_shot.how.speed))
	if after >= 0.0:
		_show.celebrate(_shot.recording.winner, _behind(frame))
	_seconds += delta


## The same moment farther from the camera.
func _behind(frame: Dictionary) -> Dictionary:
	var made := frame.duplicate(true)
	var side := _shot.camera.side()
	for place: Array in made.position:
		place[0] -= side.x * BEHIND_M
		place[2] -= side.y * BEHIND_M
	return made


func _add_vignette(most: float) -> void:
	var layer := CanvasLayer.new()
	layer.layer = 0
	var over := ColorRect.new()
	over.set_anchors_preset(Control.PRESET_FULL_RECT)
	over.mouse_filter = Control.MOUSE_FILTER_IGNORE
	var material := ShaderMaterial.new()
	material.shader = VIGNETTE
	material.set_shader_parameter("most", most)
	over.material = material
	layer.add_child(over)
	add_child(layer)
