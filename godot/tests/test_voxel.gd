extends SandlotTestCase
## The voxel terrain: what is generated, seen, collided with and given back; and faults that are planted in it.

const SEED := 7
const EAST := Vector3(240, 0, 20)  # in the mountains, where the planted seam is
const JUMPS := 30


func _terrain(radius := 6) -> ChunkTerrain:
	var made := ChunkTerrain.new()
	made.view_radius = radius
	made.drawn = false
	add(made)
	made.set_physics_process(false)
	return made


func _sum_of_arrays(terrain: ChunkTerrain) -> int:
	var sum := 0
	for cell: Vector2i in terrain.cells():
		sum += ChunkMesh.of(terrain.shape, cell, terrain.level_of(cell)).bytes()
	return sum


func test_chunks_are_generated_nearest_first_and_no_more_than_the_budget() -> void:
	var terrain := _terrain()
	terrain.restart(SEED)
	var before := terrain.chunk_count()
	var waiting := terrain.queue_length()
	var loaded: Array[Vector2i] = []
	terrain.block_loaded.connect(func(cell: Vector2i) -> void: loaded.append(cell))
	terrain.generate(5)
	equal([terrain.chunk_count() - before, waiting - terrain.queue_length()], [5, 5], "chunks, and places in the queue")
	for i in range(1, loaded.size()):
		check(loaded[i].length_squared() >= loaded[i - 1].length_squared(), "%s after %s" % [loaded[i], loaded[i - 1]])
	terrain.generate(1000)
	equal([terrain.chunk_count(), terrain.queue_length()], [169, 0], "all of 13 x 13, nothing waits")


func test_what_is_far_is_unloaded_and_what_is_near_has_smaller_voxels() -> void:
	var terrain := _terrain()
	terrain.restart(SEED)
	terrain.generate(1000)
	equal([terrain.level_of(Vector2i(1, 1)), terrain.level_of(Vector2i(4, 0)), terrain.level_of(Vector2i(6, 0))], [0, 1, 2], "levels")
	terrain.look_from(Vector3(1000, 0, 0))
	terrain.generate(1000)
	equal([terrain.level_of(Vector2i(0, 0)), terrain.level_of(Vector2i(62, 0)), terrain.chunk_count()], [-1, 0, 169], "levels, and count")
	equal(terrain.memory_bytes(), _sum_of_arrays(terrain), "bytes that are held")


func test_the_monitor_counts_what_the_terrain_holds() -> void:
	var monitor := SandlotPerformanceMonitor.new()
	monitor.print_warnings = false
	add(monitor)
	var terrain := _terrain()
	terrain.monitor = monitor
	monitor.set_voxel_terrain(terrain)
	terrain.restart(SEED)
	terrain.generate(1000)
	terrain.look_from(EAST)
	terrain.generate(1000)
	var now := monitor.get_statistics()
	equal(now.active_chunk_count, terrain.chunk_count(), "chunks")
	near(now.voxel_memory_mb, terrain.memory_bytes() / 1048576.0, 1e-6, "memory")
	check(now.chunk_generation_avg_ms > 0.0 and now.collision_generation_avg_ms > 0.0, "times were measured")


func test_less_memory_allowed_than_a_terrain_takes_is_a_warning() -> void:
	var monitor := SandlotPerformanceMonitor.new()
	monitor.print_warnings = false
	monitor.max_memory_mb = 1.0
	add(monitor)
	var terrain := _terrain()
	monitor.set_voxel_terrain(terrain)
	terrain.restart(SEED)
	terrain.generate(1000)
	monitor.get_statistics()
	check(monitor.get_active_warnings().has("memory"), "%s bytes are more than one megabyte" % terrain.memory_bytes())


func test_the_collision_mesh_is_the_ground_that_is_drawn() -> void:
	var terrain := _terrain()
	terrain.restart(SEED)
	terrain.generate(20)
	await frame()
	await frame()
	for place: Vector2i in [Vector2i(3, 4), Vector2i(-9, 12), Vector2i(20, -14)]:
		var from := Vector3(place.x + 0.5, 100, place.y + 0.5)
		var hit := terrain.get_world_3d().direct_space_state.intersect_ray(
			PhysicsRayQueryParameters3D.create(from, from + Vector3.DOWN * 200.0)
		)
		check(not hit.is_empty(), "there is ground at %s" % place)
		near(hit.get("position", Vector3.ZERO).y, terrain.shape.height_of(place.x, place.y), 0.01, "height at %s" % place)


func test_levels_of_detail_close_on_one_another() -> void:
	var terrain := _terrain(7)
	terrain.restart(SEED)
	terrain.look_from(EAST)
	terrain.generate(1000)
	var levels := {}
	for cell: Vector2i in terrain.cells():
		levels[terrain.level_of(cell)] = true
	equal(levels.size(), 3, "levels that meet here")
	equal(SeamFinder.cracks_of(terrain), 0, "metres of cracks")


func test_a_planted_seam_is_found() -> void:
	var terrain := _terrain(7)
	terrain.plant_seam = true
	terrain.restart(SEED)
	terrain.generate(1000)
	var meadow := SeamFinder.cracks_of(terrain)
	terrain.look_from(EAST)
	terrain.generate(1000)
	check(SeamFinder.cracks_of(terrain) > meadow + 50, "cracks in the mountains: %d metres, before %d" % [SeamFinder.cracks_of(terrain), meadow])


func _is_growing(planted: bool) -> bool:
	var terrain := _terrain(5)
	terrain.plant_growth = planted
	terrain.restart(SEED)
	terrain.generate(1000)
	var base := SandlotPerformanceMonitor.process_bytes() - terrain.memory_bytes()
	var watch := GrowthWatch.new()
	for i in JUMPS:
		terrain.look_from(Vector3(48.0 * i, 0, 0))
		terrain.generate(1000)
		await frame()
		for look in 8:
			watch.look(SandlotPerformanceMonitor.process_bytes() - base, terrain.face_count())
	return watch.growing


func test_a_planted_growth_is_found_by_the_memory_of_the_process() -> void:
	check(await _is_growing(true), "30 jumps that keep what they replace")


func test_a_terrain_that_gives_back_what_it_drops_does_not_grow() -> void:
	check(not await _is_growing(false), "30 jumps")


func test_speed_never_pays_more_than_one_slow_chunk() -> void:
	var agent := VoxelStressAgent.new()
	var most := 0.1 * VoxelGame.TOP_SPEED  # every step at full speed
	check(most < 5.0, "%s of an episode" % most)
	equal(0.1 * VoxelGame.TOP_SPEED / agent.steps_of_episode * agent.steps_of_episode, most, "sum over its steps")
	agent.free()


func test_generating_pays_less_than_a_bug_however_much_is_generated() -> void:
	var ticks := 300 * 9
	var most := TerrainScenarioAgent.A_CHUNK * ticks * 2  # chunks per tick, in every tick
	check(most < 11.0 and TerrainScenarioAgent.A_CHUNK * 2000 < TerrainScenarioAgent.A_BUG, "%s, a bug pays 10" % most)
