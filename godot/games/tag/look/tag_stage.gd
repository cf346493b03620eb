class_name TagStage
extends Node3D
## How an arena looks: floor, walls, boxes, light. Knows no rules: it shows what it is given.

const WALL_THICKNESS := 0.4
const LOW_BOX := 1.5  ## metres; up to here a box can be jumped on, and is painted so
const WALL_COLOUR := Color(0.56, 0.59, 0.66)
const GLASS_COLOUR := Color(0.75, 0.85, 1.0, 0.10)
const RIM_COLOUR := Color(0.74, 0.78, 0.86)
const LOW_COLOUR := Color(0.80, 0.52, 0.22)
const TALL_COLOUR := Color(0.20, 0.32, 0.36)

var _boxes := Node3D.new()


func _init() -> void:
	add_child(_boxes)


## Build floor, walls and light. `camera_side` points from the middle to the camera: walls on that side are
## glass, so that nobody disappears behind them. `reach` is how far the camera sees, in metres.
func build(arena_half: float, wall_height: float, camera_side: Vector2, reach: float) -> void:
	_build_floor(arena_half)
	for way: Vector2 in [Vector2.RIGHT, Vector2.LEFT, Vector2.UP, Vector2.DOWN]:
		_build_wall(way, arena_half, wall_height, way.dot(camera_side) > 0.2)
	_build_light(reach)
	_build_surroundings(arena_half)


## Show these boxes: six numbers each, min x y z and max x y z.
func show_boxes(boxes: Array) -> void:
	for child in _boxes.get_children():
		child.queue_free()
	for box: Variant in boxes:
		var low := Vector3(box[0], box[1], box[2])
		var high := Vector3(box[3], box[4], box[5])
		if high.y > low.y:
			_boxes.add_child(_make_box(low, high))


static func block(size: Vector3, material: Material) -> MeshInstance3D:
	var mesh := BoxMesh.new()
	mesh.size = size
	mesh.material = material
	var made := MeshInstance3D.new()
	made.mesh = mesh
	return made


static func paint(colour: Color, roughness := 0.7) -> StandardMaterial3D:
	var material := StandardMaterial3D.new()
	material.albedo_color = colour
	material.roughness = roughness
	if colour.a < 1.0:
		material.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	return material


func _build_floor(arena_half: float) -> void:
	var plane := PlaneMesh.new()
	plane.size = Vector2.ONE * 2.0 * (arena_half + WALL_THICKNESS)
	var material := ShaderMaterial.new()
	material.shader = preload("res://games/tag/look/floor.gdshader")
	plane.material = material
	var made := MeshInstance3D.new()
	made.mesh = plane
	add_child(made)
	var edge := 2.0 * (arena_half + WALL_THICKNESS)
	var plinth := block(Vector3(edge, 1.0, edge), paint(Color(0.20, 0.22, 0.27)))
	plinth.position.y = -0.51
	add_child(plinth)


func _build_wall(way: Vector2, arena_half: float, height: float, glass: bool) -> void:
	var long := 2.0 * arena_half + (2.0 * WALL_THICKNESS if way.y != 0.0 else 0.0)
	var size := Vector3(long, height, WALL_THICKNESS) if way.y != 0.0 else Vector3(WALL_THICKNESS, height, long)
	var middle := way * (arena_half + WALL_THICKNESS * 0.5)
	var wall := block(size, paint(GLASS_COLOUR if glass else WALL_COLOUR, 0.25 if glass else 0.8))
	wall.position = Vector3(middle.x, height * 0.5, middle.y)
	wall.cast_shadow = (
		GeometryInstance3D.SHADOW_CASTING_SETTING_OFF if glass else GeometryInstance3D.SHADOW_CASTING_SETTING_ON
	)
	add_child(wall)
	var thin := 0.08 if glass else 0.12
	var rim_size := Vector3(size.x + 0.02, thin, size.z + 0.02)
	var rim := block(rim_size, paint(RIM_COLOUR, 0.4))
	rim.position = Vector3(wall.position.x, thin * 0.5 if glass else height, wall.position.z)
	add_child(rim)


func _make_box(low: Vector3, high: Vector3) -> MeshInstance3D:
	var size := high - low
	var jumpable := size.y < LOW_BOX
	var colour := LOW_COLOUR if jumpable else TALL_COLOUR
	var made := block(size, paint(colour, 0.75))
	made.position = (low + high) * 0.5
	var cap := block(Vector3(size.x + 0.03, 0.07, size.z + 0.03), paint(colour.lightened(0.14), 0.6))
	cap.position.y = size.y * 0.5 - 0.02
	made.add_child(cap)
	return made


func _build_light(reach: float) -> void:
	var sun := DirectionalLight3D.new()
	sun.rotation_degrees = Vector3(-56.0, -38.0, 0.0)
	sun.light_color = Color(1.0, 0.95, 0.86)
	sun.light_energy = 1.3
	sun.light_angular_distance = 0.5  # a sun of some size: shadows soften with distance
	sun.shadow_enabled = true
	sun.shadow_blur = 1.4
	sun.directional_shadow_mode = DirectionalLight3D.SHADOW_ORTHOGONAL
	sun.directional_shadow_max_distance = reach
	add_child(sun)
	var fill := DirectionalLight3D.new()
	fill.rotation_degrees = Vector3(-35.0, 140.0, 0.0)
	fill.light_color = Color(0.62, 0.74, 1.0)
	fill.light_energy = 0.28
	add_child(fill)


func _build_surroundings(arena_half: float) -> void:
	var surroundings := WorldEnvironment.new()
	surroundings.environment = _make_environment()
	add_child(surroundings)
	var ground := PlaneMesh.new()
	ground.size = Vector2.ONE * arena_half * 40.0
	var dark := paint(Color(0.075, 0.082, 0.105))
	dark.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED  # no lamp of a cube draws circles out there
	ground.material = dark
	var around := MeshInstance3D.new()
	around.mesh = ground
	around.position.y = -1.02
	add_child(around)


func _make_environment() -> Environment:
	var made := Environment.new()
	made.background_mode = Environment.BG_COLOR
	made.background_color = Color(0.075, 0.082, 0.105)
	made.ambient_light_source = Environment.AMBIENT_SOURCE_COLOR
	made.ambient_light_color = Color(0.72, 0.78, 0.92)
	made.ambient_light_energy = 0.40
	made.tonemap_mode = Environment.TONE_MAPPER_FILMIC
	made.tonemap_white = 1.6
	made.ssao_enabled = true
	made.ssao_radius = 1.4
	made.ssao_intensity = 2.2
	made.glow_enabled = true
	made.glow_intensity = 0.55
	made.glow_bloom = 0.04
	made.glow_hdr_threshold = 1.05
	made.adjustment_enabled = true
	made.adjustment_contrast = 1.10
	made.adjustment_saturation = 1.12
	return made
