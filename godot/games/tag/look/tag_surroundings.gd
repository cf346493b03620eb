class_name TagSurroundings
extends Node3D
## What lies around the court: a lawn that goes on to the horizon, trees, three benches with a small crowd,
## sky and light. Nothing of it ever stands between the camera and the arena.

const TREES := 70
const PLACES := 12  ## per bench
const BENCHES := 3
const CROWD_EDGE := 0.8  ## metres
const BOB := preload("res://games/tag/look/crowd.gdshader")
const SEED := 11  ## of the places of trees and the colours of the crowd: the same film twice

var _crowd_materials: Array[ShaderMaterial] = []
var _random := RandomNumberGenerator.new()


## `camera_side` points from the middle to the camera; `distance` and `far` are how far away it stands and sees.
func build(arena_half: float, camera_side: Vector2, distance: float, far: float) -> void:
	_random.seed = SEED
	_build_lawn(arena_half)
	_build_trees(arena_half, camera_side)
	_build_crowd(arena_half, camera_side)
	_build_light(camera_side, far)
	var sky := WorldEnvironment.new()
	sky.environment = _make_environment(distance + 1.15 * arena_half)
	add_child(sky)


## Whether the quick renderer draws, which adds up light without a soft shoulder: it gets less of it.
static func is_plain() -> bool:
	return RenderingServer.get_current_rendering_method() == "gl_compatibility"


## The crowd jumps: 1 as high as it can, 0 it only sways.
func cheer(share: float) -> void:
	for material in _crowd_materials:
		material.set_shader_parameter("cheer", share)


func _build_lawn(arena_half: float) -> void:
	var plane := PlaneMesh.new()
	plane.size = Vector2.ONE * 600.0
	var material := ShaderMaterial.new()
	material.shader = preload("res://games/tag/look/lawn.gdshader")
	material.set_shader_parameter("near_colour", TagPalette.LAWN_NEAR)
	material.set_shader_parameter("far_colour", TagPalette.LAWN_FAR)
	material.set_shader_parameter("near_m", arena_half)
	plane.material = material
	var made := MeshInstance3D.new()
	made.mesh = plane
	made.position.y = -0.35
	add_child(made)


func _build_trees(arena_half: float, camera_side: Vector2) -> void:
	var trunks: Array[Transform3D] = []
	var crowns: Array[Transform3D] = []
	var colours: Array[Color] = []
	while trunks.size() < TREES:
		var angle := _random.randf_range(-PI, PI)
		var way := Vector2(cos(angle), sin(angle))
		var far := arena_half * _random.randf_range(1.75, 4.2)
		if way.dot(camera_side) > -0.15:
			continue
		var tall := _random.randf_range(2.6, 5.0)
		var foot := Vector3(way.x * far, -0.35, way.y * far)
		trunks.append(Transform3D(Basis.from_scale(Vector3(0.5, tall, 0.5)), foot + Vector3.UP * tall * 0.5))
		for _ball in 3:
			var wide := tall * _random.randf_range(0.36, 0.56)
			var off := Vector3(_random.randf_range(-1.0, 1.0), _random.randf_range(0.0, 0.8), _random.randf_range(-1.0, 1.0))
			crowns.append(Transform3D(Basis.from_scale(Vector3.ONE * wide), foot + Vector3.UP * tall * 1.05 + off * tall * 0.3))
			var leaves := TagPalette.TREES[_random.randi() % TagPalette.TREES.size()]
			colours.append(leaves.lightened(0.35) if is_plain() else leaves)
	var trunk := CylinderMesh.new()
	trunk.top_radius = 0.35
	trunk.bottom_radius = 0.5
	trunk.height = 1.0
	trunk.radial_segments = 8
	trunk.rings = 1
	var brown: Array[Color] = []
	brown.resize(trunks.size())
	brown.fill(TagPalette.TRUNK)
	_scatter(trunk, trunks, brown, _instanced(0.9))
	_scatter(_ball(16, 8), crowns, colours, _instanced(0.95))


## Three benches behind the wall that is farthest from the camera, the last one the highest.
func _build_crowd(arena_half: float, camera_side: Vector2) -> void:
	var back := -_nearest_axis(camera_side)
	var right := Vector2(-back.y, back.x)
	var bodies: Array[Transform3D] = []
	var colours: Array[Color] = []
	var whites: Array[Transform3D] = []
	var pupils: Array[Transform3D] = []
	var turned := Basis.looking_at(Vector3(-back.x, 0.0, -back.y))
	for bench in BENCHES:
		var far := arena_half + 2.4 + bench * 1.5
		var high := 0.5 + bench * 0.85
		_add_bench(back, right, far, high, PLACES * 1.25)
		for place in PLACES:
			if _random.randf() < 0.14:
				continue
			var along := (place - (PLACES - 1) * 0.5) * 1.2 + _random.randf_range(-0.15, 0.15)
			var at := back * far + right * along
			var foot := Vector3(at.x, high + CROWD_EDGE * 0.5, at.y)
			bodies.append(Transform3D(turned, foot))
			colours.append(TagPalette.CROWD[_random.randi() % TagPalette.CROWD.size()])
			for side: float in [-1.0, 1.0]:
				var eye := foot + turned * Vector3(side * 0.17, 0.12, -0.36)
				whites.append(Transform3D(Basis.from_scale(Vector3.ONE * 0.15), eye))
				pupils.append(Transform3D(Basis.from_scale(Vector3.ONE * 0.075), eye + turned * Vector3(0.0, 0.0, -0.1)))
	_scatter(RoundedBox.mesh(Vector3.ONE * CROWD_EDGE, 0.15), bodies, colours, _bobbing())
	var eye_ball := _ball(12, 6)
	for eyes: Array in [[whites, Color.WHITE], [pupils, TagPalette.INK]]:
		var tints: Array[Color] = []
		tints.resize(eyes[0].size())
		tints.fill(eyes[1])
		_scatter(eye_ball, eyes[0], tints, _bobbing())


## Hundreds of them are far away: without a graphics card their corners are what a picture costs.
static func _ball(segments: int, rings: int) -> SphereMesh:
	var made := SphereMesh.new()
	made.radius = 1.0
	made.height = 2.0
	made.radial_segments = segments
	made.rings = rings
	return made


func _add_bench(back: Vector2, right: Vector2, far: float, high: float, long: float) -> void:
	var across := Vector3(long, 0.2, 1.2) if absf(right.x) > 0.5 else Vector3(1.2, 0.2, long)
	var plank := RoundedBox.instance(across, 0.08, TagStage.paint(TagPalette.BENCH, 0.8))
	plank.position = Vector3(back.x * far, high - 0.1, back.y * far)
	add_child(plank)
	var below := Vector3(across.x - 0.2, high + 0.2, across.z - 0.2)
	var stand := RoundedBox.instance(below, 0.05, TagStage.paint(TagPalette.BENCH.darkened(0.25), 0.9))
	stand.position = Vector3(plank.position.x, high * 0.5 - 0.25, plank.position.z)
	add_child(stand)


static func _nearest_axis(way: Vector2) -> Vector2:
	return Vector2(signf(way.x), 0.0) if absf(way.x) > absf(way.y) else Vector2(0.0, signf(way.y))


func _scatter(mesh: Mesh, places: Array[Transform3D], colours: Array[Color], material: Material) -> void:
	var many := MultiMesh.new()
	many.transform_format = MultiMesh.TRANSFORM_3D
	many.use_colors = true
	many.use_custom_data = true
	many.mesh = mesh
	many.instance_count = places.size()
	for i in places.size():
		many.set_instance_transform(i, places[i])
		many.set_instance_color(i, colours[i].srgb_to_linear())
		var place := places[i].origin.snappedf(0.9)  # eyes bob with their body
		many.set_instance_custom_data(i, Color(fposmod(place.x * 1.7 + place.z * 2.3, TAU), 0.0, 0.0))
	var made := MultiMeshInstance3D.new()
	made.multimesh = many
	made.material_override = material
	add_child(made)


func _instanced(roughness: float) -> StandardMaterial3D:
	var material := TagStage.paint(Color.WHITE, roughness)
	material.vertex_color_use_as_albedo = true
	return material


func _bobbing() -> ShaderMaterial:
	var material := ShaderMaterial.new()
	material.shader = BOB
	_crowd_materials.append(material)
	return material


func _build_light(camera_side: Vector2, far: float) -> void:
	# from behind the camera's left shoulder, whatever way it looks: nobody is lit from the back
	var yaw := rad_to_deg(atan2(camera_side.x, camera_side.y))
	var sun := DirectionalLight3D.new()
	sun.rotation_degrees = Vector3(-44.0, yaw - 42.0, 0.0)
	sun.light_color = Color("ffdfae")
	sun.light_energy = 1.0 if is_plain() else 1.55
	sun.light_angular_distance = 1.0  # a sun of some size: shadows soften with distance
	sun.shadow_enabled = true
	sun.shadow_blur = 1.2
	sun.shadow_bias = 0.08
	sun.shadow_normal_bias = 2.4
	sun.directional_shadow_mode = DirectionalLight3D.SHADOW_ORTHOGONAL
	sun.directional_shadow_max_distance = far
	add_child(sun)
	var fill := DirectionalLight3D.new()
	fill.rotation_degrees = Vector3(-35.0, yaw + 108.0, 0.0)
	fill.light_color = Color("a9c8ff")
	fill.light_energy = 0.15 if is_plain() else 0.30
	add_child(fill)


func _make_environment(fog_begin: float) -> Environment:
	var sky := Sky.new()
	var day := ProceduralSkyMaterial.new()
	day.sky_top_color = TagPalette.SKY_TOP
	day.sky_horizon_color = TagPalette.HORIZON
	day.ground_horizon_color = TagPalette.HORIZON
	day.ground_bottom_color = TagPalette.LAWN_FAR
	day.sun_angle_max = 0.0
	sky.sky_material = day
	var made := Environment.new()
	made.background_mode = Environment.BG_SKY
	made.sky = sky
	made.ambient_light_source = Environment.AMBIENT_SOURCE_COLOR
	made.ambient_light_color = Color("b9cdf5")
	made.ambient_light_energy = 0.42
	made.tonemap_mode = Environment.TONE_MAPPER_FILMIC
	made.tonemap_white = 5.0
	made.tonemap_exposure = 0.72 if is_plain() else 1.0
	made.fog_enabled = true
	made.fog_mode = Environment.FOG_MODE_DEPTH
	made.fog_light_color = TagPalette.HORIZON
	made.fog_depth_begin = fog_begin
	made.fog_depth_end = fog_begin + 110.0
	made.fog_sky_affect = 0.0
	made.ssao_enabled = true
	made.ssao_radius = 1.6
	made.ssao_intensity = 2.4
	made.ssao_power = 1.4
	made.ssao_light_affect = 0.25
	made.glow_enabled = true
	made.glow_intensity = 0.5
	made.glow_bloom = 0.03
	made.glow_hdr_threshold = 1.1
	made.adjustment_enabled = not is_plain()
	made.adjustment_contrast = 1.06
	made.adjustment_saturation = 1.12
	return made
