class_name WinMoment
extends Node3D
## A ring, a flash and confetti where a match was decided.

const RING_S := 0.9
const RING_METRES := 5.0

var _age := 99.0
var _ring := MeshInstance3D.new()
var _material := StandardMaterial3D.new()
var _flash := OmniLight3D.new()
var _confetti := CPUParticles3D.new()


func _ready() -> void:
	var torus := TorusMesh.new()
	torus.inner_radius = 0.9
	torus.outer_radius = 1.0
	torus.rings = 64
	_material.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	_material.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	torus.material = _material
	_ring.mesh = torus
	_ring.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	_ring.visible = false
	add_child(_ring)
	_flash.omni_range = 9.0
	_flash.light_energy = 0.0
	_flash.position.y = 1.5
	add_child(_flash)
	_build_confetti()


func _process(delta: float) -> void:
	_age += delta
	var share := clampf(_age / RING_S, 0.0, 1.0)
	_ring.visible = share < 1.0
	_ring.scale = Vector3.ONE * (0.5 + RING_METRES * ease(share, 0.35))
	_material.albedo_color.a = (1.0 - share) * 0.9
	_flash.light_energy = 7.0 * maxf(0.0, 1.0 - _age / 0.45)


func celebrate(place: Vector3, colour: Color) -> void:
	position = place + Vector3(0.0, 0.15, 0.0)
	_age = 0.0
	_material.albedo_color = colour.lightened(0.3)
	_flash.light_color = colour.lightened(0.2)
	var ramp := Gradient.new()
	ramp.colors = PackedColorArray(TagPalette.CROWD + [colour])
	ramp.offsets = PackedFloat32Array(range(ramp.colors.size()).map(func(i: int) -> float: return i / 6.0))
	_confetti.color_initial_ramp = ramp
	_confetti.restart()
	_confetti.emitting = true


func _build_confetti() -> void:
	var flake := BoxMesh.new()
	flake.size = Vector3(0.16, 0.03, 0.16)
	var material := TagStage.paint(Color.WHITE, 0.6)
	material.vertex_color_use_as_albedo = true
	flake.material = material
	_confetti.mesh = flake
	_confetti.amount = 110
	_confetti.lifetime = 1.9
	_confetti.one_shot = true
	_confetti.explosiveness = 0.95
	_confetti.emitting = false
	_confetti.direction = Vector3.UP
	_confetti.spread = 65.0
	_confetti.initial_velocity_min = 3.5
	_confetti.initial_velocity_max = 8.5
	_confetti.gravity = Vector3(0.0, -9.8, 0.0)
	_confetti.angular_velocity_min = -400.0
	_confetti.angular_velocity_max = 400.0
	_confetti.angle_max = 360.0
	_confetti.particle_flag_rotate_y = true
	_confetti.fixed_fps = 60
	_confetti.use_fixed_seed = true  # the same film twice
	_confetti.seed = 7
	add_child(_confetti)
