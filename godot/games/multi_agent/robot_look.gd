extends Node3D
## A robot turns where it goes, has a colour of its own, and its lamp is red while it touches somebody.

const CALM := Color(1.0, 0.824, 0.29)
const HIT := Color(0.851, 0.18, 0.102)

var _lamp := StandardMaterial3D.new()
var _mind: SandlotAgent


func _ready() -> void:
	_mind = get_parent().get_node("Agent")
	var paint := StandardMaterial3D.new()
	paint.albedo_color = Color.from_hsv(fmod(0.56 + 0.125 * get_parent().get_index(), 1.0), 0.62, 0.86)
	paint.roughness = 0.45
	($Hull as MeshInstance3D).material_override = paint
	_lamp.emission_enabled = true
	($Lamp as MeshInstance3D).material_override = _lamp


func _process(delta: float) -> void:
	var room: MultiAgentRoom = _mind.room
	var way := room.velocities[_mind.index]
	if way.length() > 0.2:
		rotation.y = lerp_angle(rotation.y, atan2(-way.x, -way.z), minf(8.0 * delta, 1.0))
	var shade := HIT if room.is_touching(_mind.index) else CALM
	_lamp.albedo_color = shade
	_lamp.emission = shade
