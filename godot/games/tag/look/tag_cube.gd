class_name TagCube
extends Node3D
## How one agent looks: a rounded cube with a face, a ring on the floor and a trail. Nothing here affects play.
##
## A role is never told by its colour alone: a seeker has slanted brows, smaller eyes and a whole ring, a hider
## round eyes and a dashed one.

const EDGE_RADIUS := 0.17  ## of the cube's edges, as a share of its size
const EYE_HEIGHT := 0.80  ## eyes stick out over the front and the top, so that they are seen from behind too
const EYE_FORWARD := 0.36
const EYE_ASIDE := 0.215
const SEEKER_EYE := 0.225  ## radius
const HIDER_EYE := 0.265
const PUPIL := 0.55  ## of the eye
const GLANCE := deg_to_rad(43.0)  ## how far pupils turn to somebody who is seen
const XRAY := 2  ## BaseMaterial3D.STENCIL_MODE_XRAY, which Godot 4.4 does not have
const XRAY_ALPHA := 0.55
const COLOUR_RATE := 9.0  ## 1/s; how fast a cube takes on the colour of a new role
const STRETCH := 0.035  ## of the height, per m/s of rising or falling
const SQUASH_S := 0.16  ## how long a landing flattens
const LEAN := 0.022  ## radians per m/s
const LEAN_MOST := 0.17
const LANDED := 0.15  ## m/s; slower than this up and down, a cube stands on something

var colour := TagPalette.HIDER
var facing := Vector2.UP  ## where it looks, x and z

var _edge := 1.0
var _materials: Array[StandardMaterial3D] = []  # the body's first
var _pivot := Node3D.new()  # turns, leans and stretches, around the feet
var _face := Node3D.new()
var _eyes: Array[MeshInstance3D] = []
var _pupils: Array[Node3D] = []
var _brows: Array[MeshInstance3D] = []
var _ring := TagRing.new()
var _halo := MeshInstance3D.new()
var _trail := TagTrail.new()
var _ground := 0.0  # the height of what it stood on last
var _since_landing := 99.0


func build(edge: float) -> void:
	_edge = edge
	add_child(_pivot)
	_pivot.scale = Vector3.ONE * edge
	var skin := _paint(colour, 0.5)
	skin.rim_enabled = true
	skin.rim = 0.18
	skin.emission_enabled = true
	skin.emission_energy_multiplier = 0.06
	var body := RoundedBox.instance(Vector3.ONE, EDGE_RADIUS, skin)
	body.position.y = 0.5
	_pivot.add_child(body)
	_pivot.add_child(_face)
	for side: float in [-1.0, 1.0]:
		_build_eye(side)
	_build_halo()
	for flat: Node3D in [_ring, _trail]:
		flat.top_level = true
		add_child(flat)
	_ring.build(edge)


## Show agent `i` of a frame; `dt` is the simulated time since the last one.
func pose(frame: Dictionary, i: int, dt: float) -> void:
	var out: bool = float(frame.out[i]) > 0.5
	var seeker: bool = float(frame.seeker[i]) > 0.5
	facing = Vector2(frame.facing[i][0], frame.facing[i][1])
	position = Vector3(frame.position[i][0], frame.position[i][1], frame.position[i][2])
	var velocity := Vector3(frame.velocity[i][0], frame.velocity[i][1], frame.velocity[i][2])
	var wanted := TagPalette.of_role(seeker, out)
	colour = colour.lerp(wanted, 1.0 - exp(-COLOUR_RATE * dt)) if dt > 0.0 else wanted
	_materials[0].albedo_color = colour
	_materials[0].emission = colour
	_set_xray(colour)
	_show_face(seeker)
	_halo.visible = float(frame.immunity[i]) > 0.0
	_move(velocity, dt)
	_ring.show_role(seeker, colour, Vector3(position.x, _ground + 0.03, position.z))
	_ring.visible = not out
	_trail.follow(position + Vector3(0.0, 0.05, 0.0), colour, dt, not out)


## Turn the pupils to a place, or straight ahead.
func glance_at(place: Vector3, seen: bool) -> void:
	var aside := 0.0
	if seen and facing != Vector2.ZERO:
		var way := Vector2(place.x - position.x, place.z - position.z)
		aside = clampf(-facing.angle_to(way), -GLANCE, GLANCE)
	for pupil in _pupils:
		pupil.rotation.y = aside


## Forget the trail: a new match begins elsewhere.
func forget() -> void:
	_trail.clear()
	_ground = 0.0
	_since_landing = 99.0


## Where a name would hang, above the cube.
func crown() -> Vector3:
	return global_position + Vector3.UP * (_edge * 1.08)


func _move(velocity: Vector3, dt: float) -> void:
	var flying := absf(velocity.y) > LANDED
	if not flying:
		if _since_landing > 50.0 or position.y < _ground - 0.01 or position.y > _ground + 0.05:
			_since_landing = 0.0
		_ground = position.y
	_since_landing = 99.0 if flying else minf(_since_landing + dt, 50.0)
	var tall := 1.0 + minf(STRETCH * absf(velocity.y), 0.16)
	if not flying and _since_landing < SQUASH_S:
		tall -= 0.20 * sin(PI * _since_landing / SQUASH_S)
	_pivot.scale = Vector3(1.0 / sqrt(tall), tall, 1.0 / sqrt(tall)) * _edge
	var turn := Basis.IDENTITY
	if facing != Vector2.ZERO:
		turn = Basis(Vector3.UP, -facing.angle() - PI * 0.5)
	var level := Vector3(velocity.x, 0.0, velocity.z)
	var lean := minf(level.length() * LEAN, LEAN_MOST)
	if lean > 0.001:
		turn = Basis(level.cross(Vector3.DOWN).normalized(), lean) * turn
	_pivot.basis = turn.scaled_local(_pivot.scale)


func _show_face(seeker: bool) -> void:
	var radius := SEEKER_EYE if seeker else HIDER_EYE
	for eye in _eyes:
		eye.scale = Vector3.ONE * radius
	for brow in _brows:
		brow.visible = seeker


func _build_eye(side: float) -> void:
	var eye := MeshInstance3D.new()
	eye.mesh = _ball()
	eye.material_override = _paint(Color(0.98, 0.98, 1.0), 0.25)
	eye.position = Vector3(side * EYE_ASIDE, EYE_HEIGHT, -EYE_FORWARD)
	_face.add_child(eye)
	_eyes.append(eye)
	var turning := Node3D.new()
	eye.add_child(turning)
	_pupils.append(turning)
	var pupil := MeshInstance3D.new()
	pupil.mesh = _ball()
	pupil.scale = Vector3.ONE * PUPIL
	var black := _paint(Color(0.03, 0.03, 0.05), 0.15)
	black.disable_ambient_light = true
	pupil.material_override = black
	pupil.position = Vector3(0.0, 0.24, -0.60)
	turning.add_child(pupil)
	var brow := RoundedBox.instance(Vector3(0.36, 0.085, 0.20), 0.04, _paint(Color(0.24, 0.03, 0.03), 0.7))
	brow.position = Vector3(side * EYE_ASIDE, EYE_HEIGHT + 0.16, -EYE_FORWARD - 0.07)
	brow.rotation_degrees = Vector3(0.0, 0.0, side * 22.0)
	_face.add_child(brow)
	_brows.append(brow)


static func _ball() -> SphereMesh:
	var ball := SphereMesh.new()
	ball.radius = 1.0
	ball.height = 2.0
	ball.radial_segments = 32
	ball.rings = 16
	return ball


## A material that shows through whatever stands between it and the camera: a cube is never fully hidden.
func _paint(tint: Color, roughness: float) -> StandardMaterial3D:
	var material := TagStage.paint(tint, roughness)
	material.set("stencil_mode", XRAY)
	_materials.append(material)
	return material


func _set_xray(tint: Color) -> void:
	for material in _materials:
		material.set("stencil_color", Color(tint, XRAY_ALPHA))


func _build_halo() -> void:
	var ring := TorusMesh.new()
	ring.inner_radius = _edge * 0.78
	ring.outer_radius = _edge * 0.86
	var material := TagStage.paint(TagPalette.EXCLAMATION, 0.4)
	material.emission_enabled = true
	material.emission = TagPalette.EXCLAMATION
	_halo.mesh = ring
	_halo.material_override = material
	_halo.position.y = 0.5 * _edge
	_halo.visible = false
	add_child(_halo)
