extends Node3D
## What is drawn and decides nothing: a camera behind the walker, the leaning head, the vignette's shade and a few numbers.

const BEHIND := Vector3(0, 7.5, 8.5)
const FOLLOW := 4.0  # per second

var _camera: Camera3D
var _text: Label
var _heading := 0.0

@onready var game: NavigationGame = get_parent()


func _ready() -> void:
	if DisplayServer.get_name() == "headless":
		queue_free()
		return
	_camera = Camera3D.new()
	_camera.fov = 60.0
	add_child(_camera)
	var layer := CanvasLayer.new()
	_text = Label.new()
	_text.position = Vector2(36, 36)
	_text.add_theme_font_size_override("font_size", 30)
	var panel := StyleBoxFlat.new()
	panel.bg_color = Color(0.078, 0.125, 0.227, 0.78)
	panel.set_corner_radius_all(14)
	panel.set_content_margin_all(20)
	_text.add_theme_stylebox_override("normal", panel)
	layer.add_child(_text)
	add_child(layer)


func _process(delta: float) -> void:
	if game.rules.is_empty() or _text == null:
		return
	var place := game.body.position
	_heading = lerp_angle(_heading, game.yaw, minf(FOLLOW * delta, 1.0))
	game.body.get_node("Look").rotation = Vector3(0, game.yaw, game.roll)
	_camera.position = place + BEHIND.rotated(Vector3.UP, _heading)
	_camera.look_at(place + Vector3(0, 1.0, -3.0).rotated(Vector3.UP, _heading))
	_text.text = "%.1f m to the goal\n%d collisions\ncomfort (a proxy) %.2f" % [
		game.distance, game.collisions, game.comfort.measures().comfort_score,
	]
