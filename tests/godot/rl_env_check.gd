extends SceneTree
## Opens the main scene once for each line of a JSON file, with those settings on its RLEnv node, plays one match with the
## server, and goes on to the next. test_main_scene.py reads what the server heard.

const MOST_S := 60.0  # of real time for one match

var _asked: Array = []
var _scene: Node
var _began_msec := 0


func _initialize() -> void:
	_asked = JSON.parse_string(FileAccess.get_file_as_string(OS.get_cmdline_user_args()[0]))
	_open_next()


func _process(_delta: float) -> bool:
	if Time.get_ticks_msec() - _began_msec > MOST_S * 1000.0:
		print("TOO LATE, %d left" % _asked.size())
		quit(3)
	elif _scene != null and _scene.get_node("RLEnv")._matches >= 1:
		_scene.get_node("RLClient").disconnected.connect(_open_next, CONNECT_DEFERRED)
		_scene.get_node("RLClient").stop()
		_scene = null
	return false


func _open_next() -> void:
	for old in root.get_children():
		old.queue_free()
	if _asked.is_empty():
		quit(0)
		return
	_scene = (load(ProjectSettings.get_setting("application/run/main_scene")) as PackedScene).instantiate()
	var settings: Dictionary = _asked.pop_front()
	for name: String in settings:
		assert(name in _scene.get_node("RLEnv"))
		_scene.get_node("RLEnv").set(name, settings[name])
	_began_msec = Time.get_ticks_msec()
	root.add_child(_scene)
