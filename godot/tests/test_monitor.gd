extends SandlotTestCase
## The performance monitor measures what was injected: times by the clock, chunks by count, memory by size.

const FIELDS: Array[String] = [
	"target_fps", "frame_time_budget_ms", "physics_frame_time_ms", "render_frame_time_ms", "physics_frame_time_max_ms",
	"render_frame_time_max_ms", "active_chunk_count", "total_chunks_generated", "total_chunks_unloaded", "max_chunk_count",
	"chunk_generation_avg_ms", "chunk_generation_max_ms", "collision_generation_avg_ms", "collision_generation_max_ms",
	"voxel_memory_mb", "max_memory_mb", "total_memory_mb", "time_process", "time_physics_process", "has_warnings",
	"warning_states",
]
const CLOCK_MS := 0.3  # that the monitor may differ from a second clock beside it
const TICK_MS := 2.0  # that a tick may take besides what was injected


class Burner:
	extends Node
	## Spends time in every physics tick.

	var usec := 0
	var took := PackedFloat64Array()  # milliseconds, by a clock of its own

	func _physics_process(_delta: float) -> void:
		var began := Time.get_ticks_usec()
		OS.delay_usec(usec)
		took.append((Time.get_ticks_usec() - began) / 1000.0)


func _monitor() -> SandlotPerformanceMonitor:
	var made := SandlotPerformanceMonitor.new()
	made.print_warnings = false
	return add(made)


func test_every_statistic_of_the_voxel_monitor_is_there() -> void:
	var statistics := _monitor().get_statistics()
	for field in FIELDS:
		check(statistics.has(field), "%s is missing" % field)
	equal(
		statistics.warning_states.keys().slice(0, 6),
		["chunk_generation", "collision_generation", "physics_frame", "render_frame", "memory", "chunk_count"], "states"
	)
	near(statistics.frame_time_budget_ms, 11.11, 0.01, "budget of a frame")


func test_chunks_of_4_and_20_ms_are_measured_and_judged_by_their_budget() -> void:
	var monitor := _monitor()
	var warnings: Array[Array] = []
	monitor.performance_warning.connect(func(type: String, value: float, limit: float) -> void: warnings.append([type, value, limit]))
	var measured: Array[float] = []
	monitor.chunk_generation_completed.connect(func(took: float) -> void: measured.append(took))
	var sum := 0.0
	for usec: int in [4000, 4000, 20000]:
		var began := Time.get_ticks_usec()
		monitor.start_chunk_generation()
		OS.delay_usec(usec)
		monitor.end_chunk_generation()
		var took := (Time.get_ticks_usec() - began) / 1000.0
		sum += took
		near(measured[-1], took, CLOCK_MS, "a chunk of %s us" % usec)
		check(measured[-1] >= usec / 1000.0, "no measured time is shorter than it was: %s" % measured[-1])
		equal(monitor.get_statistics().warning_states.chunk_generation, measured[-1] > 5.0, "warning at %s ms" % measured[-1])
	var now := monitor.get_statistics()
	near(now.chunk_generation_avg_ms, sum / 3.0, CLOCK_MS, "mean")
	near(now.chunk_generation_max_ms, measured.max(), 1e-6, "longest")
	equal([warnings[-1][0], warnings[-1][2]], ["chunk_generation", 5.0], "type and budget")
	check(not monitor.is_performance_acceptable(), "20 ms are not acceptable")


func test_physics_ticks_of_20_and_4_ms_are_measured_by_the_clock() -> void:
	var monitor := _monitor()
	var burner := Burner.new()
	add(burner)
	for usec: int in [20000, 4000]:
		burner.usec = usec
		await frame()
		monitor.reset_statistics()
		burner.took.clear()
		for i in 6:
			await frame()
		var truth := Array(burner.took)  # of as many ticks, or one more or fewer than the monitor's window holds
		var measured: float = monitor.get_statistics().physics_frame_time_ms
		check(truth.min() >= usec / 1000.0 and measured >= truth.min(), "nothing is left out: %s of %s" % [measured, truth])
		check(measured <= truth.max() + TICK_MS, "nothing is added: %s of %s" % [measured, truth])
	near(monitor.get_statistics().physics_frame_time_ms, 4.0, 4.0, "far from the nominal 16.7 ms")
	burner.usec = 20000
	await frame()
	await frame()
	check(monitor.get_active_warnings().has("physics_frame"), "20 ms are a warning")


func test_200_chunks_are_counted_and_513_are_too_many() -> void:
	var monitor := _monitor()
	for i in 200:
		monitor.increment_chunk_count()
	equal(monitor.get_statistics().active_chunk_count, 200, "chunks")
	for i in 313:
		monitor.increment_chunk_count()
	equal(monitor.get_active_warnings(), ["chunk_count"] as Array[String], "warnings at 513")
	monitor.decrement_chunk_count()
	var now := monitor.get_statistics()
	equal([now.active_chunk_count, now.total_chunks_generated, now.total_chunks_unloaded], [512, 513, 1], "counts")
	check(monitor.is_performance_acceptable(), "512 are allowed")


class Terrain:
	extends Node3D

	signal block_loaded(info: Dictionary)
	signal block_unloaded(info: Dictionary)

	var held := PackedByteArray()

	func memory_bytes() -> int:
		return held.size()


func test_100_mb_are_measured_in_the_terrain_and_in_the_process() -> void:
	var monitor := _monitor()
	var terrain := Terrain.new()
	add(terrain)
	monitor.set_voxel_terrain(terrain)
	terrain.block_loaded.emit({})
	var before := monitor.get_statistics()
	equal([before.active_chunk_count, before.voxel_memory_mb], [1, 0.0], "at the beginning")
	terrain.held.resize(100 * 1048576)
	terrain.held.fill(7)
	var after := monitor.get_statistics()
	near(after.voxel_memory_mb, 100.0, 0.01, "of the terrain")
	near(after.total_memory_mb - before.total_memory_mb, 100.0, 2.0, "of the process")
	monitor.max_memory_mb = 99.0
	monitor.get_statistics()
	equal(monitor.get_active_warnings(), ["memory"] as Array[String], "warnings above the limit")
	terrain.held.clear()
	monitor.get_statistics()
	check(monitor.is_performance_acceptable(), "it recovers")


func test_meshes_of_a_terrain_without_a_method_are_measured() -> void:
	var monitor := _monitor()
	var terrain := Node3D.new()
	var block := MeshInstance3D.new()
	var mesh := SphereMesh.new()
	mesh.radial_segments = 256
	mesh.rings = 256
	block.mesh = mesh
	terrain.add_child(block)
	add(terrain)
	monitor.set_voxel_terrain(terrain)
	var vertices: int = mesh.surface_get_arrays(0)[Mesh.ARRAY_VERTEX].size()
	var least := vertices * (12 + 12 + 16 + 8) / 1048576.0  # place, normal, tangent, texture
	var measured: float = monitor.get_statistics().voxel_memory_mb
	check(measured > least and measured < 2.0 * least, "%s vertices take %s MB, at least %s" % [vertices, measured, least])


func test_statistics_are_announced_every_90_ticks() -> void:
	var monitor := _monitor()
	var announced: Array[Dictionary] = []
	monitor.statistics_updated.connect(func(now: Dictionary) -> void: announced.append(now))
	for i in 95:
		await frame()
	equal(announced.size(), 1, "announcements in 95 ticks")
	check(announced and announced[0].samples_collected == 90, "it covers 90")
	check(monitor.get_performance_report().contains("Physics tick"), "the report is a text")
