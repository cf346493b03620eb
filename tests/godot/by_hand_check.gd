extends SceneTree
## The main scene with a window: plays by keys, lets the client connect, waits for the server, and for its end.

const MOST_S := 100.0

var _scene: Node


func _initialize() -> void:
	_scene = (load("res://scenes/Main.tscn") as PackedScene).instantiate()
	_scene.get_node("RLClient").connect_on_ready = false
	root.add_child(_scene)
	create_timer(MOST_S, true, false, true).timeout.connect(func() -> void: quit(3))
	_check.call_deferred()


func _check() -> void:
	var game: TagGame = _by_hand().game
	for _frame in 3:
		await physics_frame
	var before := Vector2(game.state.x[1], game.state.z[1])
	_press(KEY_W, true)
	for _frame in 40:
		await physics_frame
	_press(KEY_W, false)
	if before.distance_to(Vector2(game.state.x[1], game.state.z[1])) > 0.5:
		print("KEYS MOVE THE CUBE")
	var view := root.get_camera_3d().global_transform
	_press(KEY_TAB, true)
	for _frame in 20:
		await process_frame
	if not root.get_camera_3d().global_transform.is_equal_approx(view):
		print("TAB MOVES THE CAMERA")
	_scene.get_node("RLClient").start()
	while _by_hand() != null or _scene.get_node("RLEnv")._step < 5:
		await process_frame
	print("SERVER PLAYS")
	while _by_hand() == null:
		await process_frame
	print("BY HAND AGAIN")
	quit(0)


func _by_hand() -> Node:
	return _scene.get("_by_hand")


func _press(key: Key, down: bool) -> void:
	var event := InputEventKey.new()
	event.physical_keycode = key
	event.keycode = key
	event.pressed = down
	Input.parse_input_event(event)
