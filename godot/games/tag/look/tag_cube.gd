class_name TagCube
extends Node3D
## How one agent looks: a cube with eyes that turn, the fan of what it sees, a trail, and a light of its own.
##
## The cube is exactly the body that collides; only the eyes turn. Nothing here has any effect on play.

const SEEKER_COLOUR := Color(1.0, 0.25, 0.22)
const HIDER_COLOUR := Color(0.22, 0.50, 1.0)
const OUT_COLOUR := Color(0.42, 0.44, 0.48)
const EYE_ANGLE := 0.42  ## radians from the facing to either eye
const EYE_HEIGHT := 0.74  ## share of the edge
const TRAIL_S := 1.1  ## how long a trail lasts
const COLOUR_RATE := 9.0  ## 1/s; how fast a cube takes on the colour of a new role
const STRETCH := 0.10  ## of the height, at full speed of a jump

var colour := HIDER_COLOUR
var facing := Vector2.UP  ## where the eyes look, x and z

var _edge := 1.0
var _half := 0.5
var _material: StandardMaterial3D
var _body: MeshInstance3D
var _eyes: Array[Node3D] = []
var _lamp := OmniLight3D.new()
var _halo := MeshInstance3D.new()
var _fan := MeshInstance3D.new()
var _fan_mesh := ImmediateMesh.new()
var _trail := MeshInstance3D.new()
var _trail_mesh := ImmediateMesh.new()
var _past := PackedVector3Array()
var _past_age := PackedFloat32Array()


func build(edge: float) -> void:
	_edge = edge
	_half = edge * 0.5
	_material = TagStage.paint(colour, 0.38)
	_body = TagStage.block(Vector3.ONE * edge, _material)
	_body.position.y = _half
	add_child(_body)
	for _side in 2:
		_eyes.append(_make_eye())
	_build_lamp()
	_build_halo()
	_fan.mesh = _fan_mesh
	_trail.mesh = _trail_mesh
	for flat: MeshInstance3D in [_fan, _trail]:
		flat.top_level = true
		flat.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
		flat.material_override = _make_glaze()
		add_child(flat)


## Show agent `i` of a frame; `dt` is the simulated time since the last one.
func pose(frame: Dictionary, i: int, dt: float) -> void:
	var out: bool = float(frame.out[i]) > 0.5
	var seeker: bool = float(frame.seeker[i]) > 0.5
	facing = Vector2(frame.facing[i][0], frame.facing[i][1])
	position = Vector3(frame.position[i][0], frame.position[i][1], frame.position[i][2])
	var wanted := OUT_COLOUR if out else (SEEKER_COLOUR if seeker else HIDER_COLOUR)
	colour = colour.lerp(wanted, 1.0 - exp(-COLOUR_RATE * dt)) if dt > 0.0 else wanted
	_material.albedo_color = colour
	_material.emission = colour
	_lamp.light_color = colour
	_lamp.visible = not out
	_halo.visible = float(frame.immunity[i]) > 0.0
	_stretch(frame.velocity[i][1])
	_turn_eyes()
	_leave_trail(dt, out)


## Draw what the agent sees: distances in metres and types (2 an agent) from the right edge to the left.
func show_sight(distances: PackedFloat32Array, types: PackedFloat32Array, view_degrees: float) -> void:
	_fan_mesh.clear_surfaces()
	if distances.size() < 2 or facing == Vector2.ZERO:
		return
	_fan_mesh.surface_begin(Mesh.PRIMITIVE_TRIANGLES)
	var eye := Vector3(position.x, 0.03, position.z)  # on the floor, even in a jump
	for i in distances.size() - 1:
		var sees := types[i] > 1.5 or types[i + 1] > 1.5
		var tint := Color(colour.lightened(0.2), 0.34 if sees else 0.085)
		for corner: Vector3 in [eye, _ray_end(i, distances, view_degrees), _ray_end(i + 1, distances, view_degrees)]:
			var far := corner.distance_to(eye) / 15.0
			_fan_mesh.surface_set_color(Color(tint, tint.a * (1.0 - 0.75 * far)))
			_fan_mesh.surface_add_vertex(Vector3(corner.x, eye.y, corner.z))
	_fan_mesh.surface_end()


## Forget the trail: a new match begins elsewhere.
func forget() -> void:
	_past.clear()
	_past_age.clear()
	_trail_mesh.clear_surfaces()
	_fan_mesh.clear_surfaces()


## Where a name would hang, above the cube.
func crown() -> Vector3:
	return global_position + Vector3.UP * (_edge + 0.45)


func _ray_end(i: int, distances: PackedFloat32Array, view_degrees: float) -> Vector3:
	# the first ray is the right edge; angles grow to the left, seen from above
	var angle := deg_to_rad(view_degrees * (i / float(distances.size() - 1) - 0.5))
	var way := facing.rotated(-angle)
	return position + Vector3(way.x, 0.0, way.y) * distances[i]


func _make_eye() -> Node3D:
	var eye := Node3D.new()
	var white := SphereMesh.new()
	white.radius = 0.215 * _edge
	white.height = white.radius * 2.0
	white.material = TagStage.paint(Color(0.97, 0.97, 1.0), 0.2)
	var ball := MeshInstance3D.new()
	ball.mesh = white
	eye.add_child(ball)
	var black := SphereMesh.new()
	black.radius = 0.125 * _edge
	black.height = black.radius * 2.0
	black.material = TagStage.paint(Color(0.02, 0.02, 0.035), 0.1)
	var pupil := MeshInstance3D.new()
	pupil.mesh = black
	pupil.position = Vector3(0.0, 0.06, -0.125) * _edge
	eye.add_child(pupil)
	add_child(eye)
	return eye


func _build_lamp() -> void:
	_material.emission_enabled = true
	_material.emission_energy_multiplier = 0.22
	_lamp.position.y = _half
	_lamp.omni_range = 3.2
	_lamp.light_energy = 0.9
	_lamp.light_specular = 0.1
	add_child(_lamp)


func _build_halo() -> void:
	var ring := TorusMesh.new()
	ring.inner_radius = _edge * 0.78
	ring.outer_radius = _edge * 0.86
	var material := TagStage.paint(Color(1.0, 0.92, 0.55), 0.4)
	material.emission_enabled = true
	material.emission = Color(1.0, 0.85, 0.4)
	material.emission_energy_multiplier = 1.6
	ring.material = material
	_halo.mesh = ring
	_halo.position.y = 0.08
	_halo.visible = false
	add_child(_halo)


func _make_glaze() -> StandardMaterial3D:
	var material := StandardMaterial3D.new()
	material.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	material.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	material.vertex_color_use_as_albedo = true
	material.vertex_color_is_srgb = true
	material.cull_mode = BaseMaterial3D.CULL_DISABLED
	return material


## A little taller in the air, the same volume; the collider knows nothing of it.
func _stretch(rising: float) -> void:
	var tall := 1.0 + STRETCH * clampf(absf(rising) / 5.5, 0.0, 1.0)
	_body.scale = Vector3(1.0 / sqrt(tall), tall, 1.0 / sqrt(tall))
	_body.position.y = _half * tall


## The eyes slide around the cube, each to where its own direction leaves the cube's side.
func _turn_eyes() -> void:
	for side in 2:
		var way := facing.rotated(EYE_ANGLE * (side * 2 - 1))
		var out := way * (_half / maxf(absf(way.x), absf(way.y)))
		out *= 0.97
		_eyes[side].position = Vector3(out.x, _edge * EYE_HEIGHT, out.y)
		_eyes[side].rotation.y = -facing.angle() - PI * 0.5


func _leave_trail(dt: float, out: bool) -> void:
	for i in _past_age.size():
		_past_age[i] += dt
	while _past_age.size() > 0 and _past_age[0] > TRAIL_S:
		_past_age.remove_at(0)
		_past.remove_at(0)
	if not out and dt > 0.0:
		_past.append(position + Vector3(0.0, 0.05, 0.0))
		_past_age.append(0.0)
	_draw_trail()


func _draw_trail() -> void:
	_trail_mesh.clear_surfaces()
	if _past.size() < 3:
		return
	_trail_mesh.surface_begin(Mesh.PRIMITIVE_TRIANGLE_STRIP)
	for i in _past.size():
		var before := _past[maxi(i - 1, 0)]
		var after := _past[mini(i + 1, _past.size() - 1)]
		var along := Vector3(after.x - before.x, 0.0, after.z - before.z)
		var across := along.cross(Vector3.UP).normalized() if along.length_squared() > 1e-8 else Vector3.RIGHT
		var life := 1.0 - _past_age[i] / TRAIL_S
		var wide := _half * (0.25 + 0.6 * life)
		for side: float in [-1.0, 1.0]:
			_trail_mesh.surface_set_color(Color(colour, 0.5 * life * life))
			_trail_mesh.surface_add_vertex(_past[i] + across * wide * side)
	_trail_mesh.surface_end()
