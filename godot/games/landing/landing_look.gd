extends Node3D
## What is drawn and decides nothing: legs, flame, camera and the numbers in the corner. Training does without.

const BEHIND := Vector3(9.0, 5.0, 15.0)  # metres from the craft to the camera
const FOLLOW := 3.0  # per second

@export var leg_mesh: Mesh
@export var foot_mesh: Mesh
@export var leg_paint: Material

var _camera: Camera3D
var _text: Label

@onready var game: LandingGame = get_parent()
@onready var flame: Node3D = $"../Craft/Flame"


func _ready() -> void:
	if DisplayServer.get_name() == "headless":
		queue_free()
		return
	_camera = Camera3D.new()
	_text = Label.new()
	await game.ready
	for x: float in [-1.0, 1.0]:
		for z: float in [-1.0, 1.0]:
			_add_leg(Vector3(x, 0, z))
	_camera.fov = 55.0
	_camera.far = 3000.0
	add_child(_camera)
	var layer := CanvasLayer.new()
	_text.position = Vector2(36, 36)
	_text.add_theme_font_size_override("font_size", 30)
	var panel := StyleBoxFlat.new()
	panel.bg_color = Color(0.078, 0.125, 0.227, 0.78)
	panel.set_corner_radius_all(14)
	panel.set_content_margin_all(20)
	_text.add_theme_stylebox_override("normal", panel)
	layer.add_child(_text)
	add_child(layer)
	_camera.position = game.craft.position + BEHIND


func _add_leg(side: Vector3) -> void:
	var foot := MeshInstance3D.new()
	foot.mesh = foot_mesh
	foot.material_override = leg_paint
	foot.position = side * 1.5 + Vector3.DOWN * 1.43
	game.craft.get_node("Legs").add_child(foot)
	var leg := MeshInstance3D.new()
	leg.mesh = leg_mesh
	leg.material_override = leg_paint
	leg.position = side * 1.05 + Vector3.DOWN * 0.75
	leg.basis = Basis(Vector3(side.z, 0, -side.x).normalized(), 0.76).inverse()
	game.craft.get_node("Legs").add_child(leg)


func _process(delta: float) -> void:
	if _text == null or not _text.is_inside_tree():
		return
	var seen: Node3D = game.walker if game.walking else game.craft
	var wanted := seen.position + BEHIND * (0.6 if game.walking else 1.0)
	wanted.y = maxf(wanted.y, game.ground.height_at(wanted.x, wanted.z) + 2.0)
	_camera.position = wanted if _camera.position.distance_to(wanted) > 60.0 else _camera.position.lerp(wanted, minf(FOLLOW * delta, 1.0))
	_camera.look_at(seen.global_position)
	var burning := game.thrust.length() if game.fuel > 0.0 and game.ending == LandingGame.Ending.FLYING else 0.0
	flame.visible = burning > 0.02
	flame.scale = Vector3(0.7 + 0.3 * burning, maxf(burning, 0.05), 0.7 + 0.3 * burning)
	flame.position.y = -1.0 - 1.5 * burning
	_text.text = "%.0f m above the pad, %.1f m aside\n%.1f m/s down\n%.0f kg of fuel%s" % [
		game.craft.position.y, game.pad_distance(), -game.craft.linear_velocity.y, game.fuel,
		"\non foot" if game.walking else "",
	]
