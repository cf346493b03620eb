class_name TagStage
extends Node3D
## The court: floor, walls, posts and boxes. Knows no rules: it shows what it is given.

const WALL_THICKNESS := 0.6  ## metres; outside the arena
const CAP_HEIGHT := 0.34
const BAND_HEIGHT := 0.28
const POST_RADIUS := 0.52
const KERB_HEIGHT := 0.35  ## of a glass wall
const GLASS_ALPHA := 0.10
const BOX_RADIUS := 0.12
const LOW_BOX := 1.5  ## metres; up to here a box can be jumped on, and is painted so

var _boxes := Node3D.new()


func _init() -> void:
	add_child(_boxes)


## Build floor and walls. `camera_side` points from the middle to the camera: walls on that side are glass,
## so that nobody disappears behind them.
func build(arena_half: float, wall_height: float, camera_side: Vector2) -> void:
	_build_floor(arena_half)
	for way: Vector2 in [Vector2.RIGHT, Vector2.LEFT, Vector2.UP, Vector2.DOWN]:
		if way.dot(camera_side) > 0.3:
			_build_glass(way, arena_half, wall_height)
		else:
			_build_wall(way, arena_half, wall_height)
	for x: float in [-1.0, 1.0]:
		for z: float in [-1.0, 1.0]:
			_build_post(Vector3(x, 0.0, z) * (arena_half + WALL_THICKNESS * 0.5), wall_height)


## Show these boxes: six numbers each, min x y z and max x y z.
func show_boxes(boxes: Array) -> void:
	for child in _boxes.get_children():
		child.queue_free()
	for number in boxes.size():
		var box: Array = boxes[number]
		var low := Vector3(box[0], box[1], box[2])
		var high := Vector3(box[3], box[4], box[5])
		if high.y > low.y:
			_boxes.add_child(_make_box(low, high, number))


static func paint(colour: Color, roughness := 0.7) -> StandardMaterial3D:
	var material := StandardMaterial3D.new()
	material.albedo_color = colour
	material.roughness = roughness
	material.metallic_specular = 0.3
	if colour.a < 1.0:
		material.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	return material


func _build_floor(arena_half: float) -> void:
	var plane := PlaneMesh.new()
	plane.size = Vector2.ONE * 2.0 * (arena_half + WALL_THICKNESS)
	var material := ShaderMaterial.new()
	material.shader = preload("res://games/tag/look/floor.gdshader")
	material.set_shader_parameter("light", TagPalette.FLOOR_LIGHT)
	material.set_shader_parameter("dark", TagPalette.FLOOR_DARK)
	material.set_shader_parameter("line", TagPalette.FLOOR_LINE)
	material.set_shader_parameter("half_width", arena_half)
	material.set_shader_parameter("circle_radius", minf(3.5, arena_half * 0.4))
	plane.material = material
	var made := MeshInstance3D.new()
	made.mesh = plane
	add_child(made)
	var edge := 2.0 * (arena_half + WALL_THICKNESS) + 1.2
	_add(Vector3(edge, 0.5, edge), 0.15, TagPalette.KERB, Vector3(0.0, -0.27, 0.0))


func _build_wall(way: Vector2, arena_half: float, height: float) -> void:
	var middle := _middle(way, arena_half)
	var body := height - CAP_HEIGHT * 0.5
	_add(_span(way, arena_half, body, WALL_THICKNESS), 0.04, TagPalette.WALL, middle + Vector3.UP * body * 0.5)
	_add(
		_span(way, arena_half, BAND_HEIGHT, WALL_THICKNESS + 0.06), 0.03, TagPalette.WALL_BAND,
		middle + Vector3.UP * BAND_HEIGHT * 0.5
	)
	_add(
		_span(way, arena_half, CAP_HEIGHT, WALL_THICKNESS + 0.14), 0.16, TagPalette.WALL_CAP,
		middle + Vector3.UP * (height - CAP_HEIGHT * 0.25)
	)


## A wall that one looks through: a kerb, a thin rail at its height, and a breath of glass between.
func _build_glass(way: Vector2, arena_half: float, height: float) -> void:
	var middle := _middle(way, arena_half)
	_add(
		_span(way, arena_half, KERB_HEIGHT, WALL_THICKNESS), 0.12, TagPalette.WALL_CAP,
		middle + Vector3.UP * KERB_HEIGHT * 0.5
	)
	_add(_span(way, arena_half, 0.07, 0.07), 0.035, TagPalette.WALL_CAP, middle + Vector3.UP * height)
	var pane := _add(
		_span(way, arena_half, height - KERB_HEIGHT, 0.04), 0.01, Color(TagPalette.WALL, GLASS_ALPHA),
		middle + Vector3.UP * (height + KERB_HEIGHT) * 0.5
	)
	pane.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF


func _build_post(place: Vector3, height: float) -> void:
	var column := CylinderMesh.new()
	column.top_radius = POST_RADIUS
	column.bottom_radius = POST_RADIUS
	column.height = height + 0.1
	_add_mesh(column, TagPalette.POST, place + Vector3.UP * column.height * 0.5)
	var ball := SphereMesh.new()
	ball.radius = POST_RADIUS + 0.06
	ball.height = ball.radius * 2.0
	_add_mesh(ball, TagPalette.WALL_CAP, place + Vector3.UP * (height + 0.35))


func _middle(way: Vector2, arena_half: float) -> Vector3:
	var at := way * (arena_half + WALL_THICKNESS * 0.5)
	return Vector3(at.x, 0.0, at.y)


## Width, height and depth of what stands along one side of the arena.
func _span(way: Vector2, arena_half: float, height: float, thickness: float) -> Vector3:
	var long := 2.0 * arena_half + WALL_THICKNESS
	return Vector3(long, height, thickness) if way.y != 0.0 else Vector3(thickness, height, long)


func _make_box(low: Vector3, high: Vector3, number: int) -> MeshInstance3D:
	var size := high - low
	var colours := TagPalette.LOW_BOXES if size.y < LOW_BOX else TagPalette.TALL_BOXES
	var colour := colours[number % colours.size()]
	var made := RoundedBox.instance(size, BOX_RADIUS, paint(colour, 0.65))
	made.position = (low + high) * 0.5
	var inset := 0.34
	if minf(size.x, size.z) > 2.0 * inset:
		var plate := Vector3(size.x - inset, 0.04, size.z - inset)
		var cap := RoundedBox.instance(plate, 0.02, paint(colour.lightened(0.22), 0.6))
		cap.position.y = size.y * 0.5
		made.add_child(cap)
	return made


func _add(size: Vector3, radius: float, colour: Color, place: Vector3) -> MeshInstance3D:
	var made := RoundedBox.instance(size, radius, paint(colour, 0.25 if colour.a < 1.0 else 0.75))
	made.position = place
	add_child(made)
	return made


func _add_mesh(mesh: Mesh, colour: Color, place: Vector3) -> void:
	var made := MeshInstance3D.new()
	made.mesh = mesh
	made.material_override = paint(colour, 0.6)
	made.position = place
	add_child(made)
