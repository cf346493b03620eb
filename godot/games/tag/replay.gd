extends Node3D
## Plays a recorded match at true speed, whoever recorded it, and leaves when it is over.
##
## Words: FILE [--speed=1] [--names=a,b]; without FILE the variable AI_REPLAY_PATH.
## FILE is what `sandlot godot run tag/Replay -- REPLAY` makes of a replay (JSON), or a trajectory log (JSON lines).
## Exit code 0 at the end of the match, 2 when there is nothing to play.

const HOLD_S := 2.5  ## seconds that the end stays on the screen

var _show := TagShow.new()
var _tape: TagTape
var _now_s := 0.0
var _words := SandlotWords.given()


func _ready() -> void:
	_show.physics_interpolation_mode = Node.PHYSICS_INTERPOLATION_MODE_OFF  # the tape knows every moment
	add_child(_show)
	var path := _words.plain[0] if _words.plain else OS.get_environment("AI_REPLAY_PATH")
	_tape = TagTape.open(path)
	var spec := _spec()
	for problem: String in [_tape.problem, spec.problem]:
		if problem:
			_refuse(problem)
			return
	_show.build(spec.config, _tape.agents(), _tape.names)
	_show.hud.show_title(_words.text("title", _tape.title))
	_show.begin(_tape.boxes)
	_now_s = _tape.start_s()
	_show.show_frame(_tape.at(_now_s), 0.0)


## The settings of the recorded match; those that this version does not know do not matter to the picture.
func _spec() -> SandlotSpec:
	var usual := SandlotSpec.from_file(TagGame.SPEC_FILE)
	var known := {}
	for name: String in _tape.config:
		if usual.config.has(name):
			known[name] = _tape.config[name]
	return SandlotSpec.from_file(TagGame.SPEC_FILE, known)


func _refuse(problem: String) -> void:
	printerr("sandlot: ", problem)
	_tape = null
	get_tree().quit(2)


func _process(delta: float) -> void:
	if _tape == null:
		return
	var dt := delta * _words.number("speed", 1.0)
	_now_s += dt
	var frame := _tape.at(_now_s)
	_show.show_frame(frame, dt)
	if _now_s >= _tape.end_s():
		_show.celebrate(_tape.winner, frame)
	if _now_s >= _tape.end_s() + HOLD_S:
		get_tree().quit(0)
