extends Node3D
## Plays a recorded match at true speed, whoever recorded it, and leaves when it is over.
##
## Words: FILE [--speed=1] [--camera=follow|wide] [--title=…] [--caption=…]; without FILE the variable AI_REPLAY_PATH.
## FILE is what `sandlot godot run tag/Replay -- REPLAY` makes of a replay (JSON), or a trajectory log (JSON lines).
## Exit code 0 at the end of the match, 2 when there is nothing to play.

const HOLD_S := 2.5  ## seconds that the end stays on the screen

var _show := TagShow.new()
var _recording: TagRecording
var _now_s := 0.0
var _follows := false
var _arguments := SandlotArguments.parse()


func _ready() -> void:
	_show.physics_interpolation_mode = Node.PHYSICS_INTERPOLATION_MODE_OFF  # the tape knows every moment
	add_child(_show)
	var path := _arguments.positional[0] if _arguments.positional else OS.get_environment("AI_REPLAY_PATH")
	_recording = TagRecording.open(path)
	var spec := _spec()
	for problem: String in [_recording.problem, spec.problem]:
		if problem:
			_refuse(problem)
			return
	_follows = _arguments.text("camera", "follow") == "follow"
	_show.build(spec.config, _recording.agents(), _recording.names, _recording if _follows else null)
	_show.hud.show_title(_arguments.text("title", _recording.title))
	_show.hud.show_caption(_arguments.text("caption"))
	_show.begin(_recording.boxes)
	_now_s = _recording.start_s()
	_show.show_frame(_recording.at(_now_s), 0.0)


## The settings of the recorded match; those that this version does not know do not matter to the picture.
func _spec() -> SandlotSpec:
	var usual := SandlotSpec.from_file(TagGame.SPEC_FILE)
	var known := {}
	for name: String in _recording.config:
		if usual.config.has(name):
			known[name] = _recording.config[name]
	return SandlotSpec.from_file(TagGame.SPEC_FILE, known)


func _refuse(problem: String) -> void:
	printerr("sandlot: ", problem)
	_recording = null
	get_tree().quit(2)


func _process(delta: float) -> void:
	if _recording == null:
		return
	var dt := delta * _arguments.number("speed", 1.0)
	_now_s += dt
	var frame := _recording.at(_now_s)
	if _follows:
		_show.camera.show_pair(_now_s)
	_show.show_frame(frame, dt)
	if _now_s >= _recording.end_s():
		_show.celebrate(_recording.winner, frame)
	if _now_s >= _recording.end_s() + HOLD_S:
		get_tree().quit(0)
