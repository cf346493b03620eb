@icon("res://addons/sandlot/icons/monitor.svg")
class_name SandlotPerformanceMonitor
extends Node
## Measures what a frame, a tick and a generated chunk really take, and warns where a budget is exceeded.
##
## Times are read from the clock between the engine's own signals, never from the nominal length of a tick; sizes are
## those of the process and of what the terrain holds. As an autoload it is called `VoxelPerformanceMonitor`
## (Project > Tools). Whoever generates chunks says when: [method start_chunk_generation], [method end_chunk_generation].

## A budget is exceeded: chunk_generation, collision_generation, physics_frame, render_frame, memory, chunk_count or frame_rate.
signal performance_warning(warning_type: String, value: float, threshold: float)
## And is kept again.
signal performance_recovered(warning_type: String)
signal statistics_updated(statistics: Dictionary)
signal chunk_generation_completed(duration_ms: float)
signal collision_generation_completed(duration_ms: float)
## One physics tick: scripts and physics server.
signal physics_tick_completed(duration_ms: float)

const FRAMES := 90  # of the windows over which times are averaged, and ticks between two statistics
const GENERATIONS := 60
const MEMORY_MSEC := 1000  # between two looks at the memory
const WARNING_SHARE := 0.9  # of a frame's budget
const SLOW_FRAMES := 10  # below the least frame rate before it is a warning
const MEGABYTE := 1048576.0
const AFTER_THE_TRAINER := -999_999  # whose node comes first in a tick, and may wait there for its decisions
const PAGE_BYTES := 4096.0  # of /proc/self/statm
const TYPES: Array[String] = [
	"chunk_generation", "collision_generation", "physics_frame", "render_frame", "memory", "chunk_count", "frame_rate"
]

## Measure at all.
@export var enabled := true
## Frames per second that a headset wants; a frame's budget follows from it.
@export_range(1.0, 240.0, 1.0, "suffix:fps") var target_fps := 90.0
## Frames per second below which, for ten frames, there is a warning.
@export_range(1.0, 240.0, 1.0, "suffix:fps") var least_fps := 88.0
## Milliseconds that one chunk may take.
@export_range(0.1, 100.0, 0.1, "suffix:ms") var chunk_budget_ms := 5.0
## Milliseconds that one collision mesh may take.
@export_range(0.1, 100.0, 0.1, "suffix:ms") var collision_budget_ms := 3.0
## Chunks that may be there at once.
@export_range(1, 65536) var max_chunks := 512
## Megabytes that chunks may take.
@export_range(1.0, 65536.0, 1.0, "suffix:MB") var max_memory_mb := 2048.0
## Print warnings to the console too.
@export var print_warnings := true

var _physics := SandlotTimeWindow.new(FRAMES)
var _render := SandlotTimeWindow.new(FRAMES)
var _frames := SandlotTimeWindow.new(FRAMES)
var _chunks := SandlotTimeWindow.new(GENERATIONS)
var _collisions := SandlotTimeWindow.new(GENERATIONS)
var _warnings := {}
var _terrain: Node
var _label: Label
var _active_chunks := 0
var _generated := 0
var _unloaded := 0
var _reported_bytes := 0  # that chunks were announced with
var _voxel_mb := 0.0
var _total_mb := 0.0
var _tick_began := -1  # microseconds; -1: not within a tick
var _frame_began := -1
var _draw_began := -1
var _chunk_began := -1
var _collision_began := -1
var _memory_looked := -MEMORY_MSEC
var _dropped := 0
var _dropped_in_a_row := 0
var _slow_in_a_row := 0
var _reprojected := 0
var _samples := 0
var _began_msec := Time.get_ticks_msec()


func _ready() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	process_physics_priority = AFTER_THE_TRAINER
	for type in TYPES:
		_warnings[type] = false
	var tree := get_tree()
	tree.physics_frame.connect(_on_tick)
	tree.process_frame.connect(_on_frame)
	RenderingServer.frame_post_draw.connect(_on_drawn)


func _exit_tree() -> void:
	get_tree().physics_frame.disconnect(_on_tick)
	get_tree().process_frame.disconnect(_on_frame)
	RenderingServer.frame_post_draw.disconnect(_on_drawn)


# ---------------------------------------------------------------- what a game calls


## Chunks of this node are counted by its signals block_loaded and block_unloaded, where it has them, and their size
## is asked of its method `memory_bytes()`, else measured in the meshes below it.
func set_voxel_terrain(terrain: Node) -> bool:
	if terrain == null:
		push_warning("VoxelPerformanceMonitor: there is no terrain to watch.")
		return false
	if is_instance_valid(_terrain) and _terrain.has_signal("block_loaded"):
		_terrain.disconnect("block_loaded", _on_block_loaded)
		_terrain.disconnect("block_unloaded", _on_block_unloaded)
	_terrain = terrain
	if terrain.has_signal("block_loaded") and terrain.has_signal("block_unloaded"):
		terrain.connect("block_loaded", _on_block_loaded)
		terrain.connect("block_unloaded", _on_block_unloaded)
	_look_at_memory()
	return true


func start_chunk_generation() -> void:
	_chunk_began = Time.get_ticks_usec()


func end_chunk_generation() -> void:
	if _chunk_began < 0:
		push_warning("VoxelPerformanceMonitor: end_chunk_generation without start_chunk_generation.")
		return
	var took := _since(_chunk_began)
	_chunk_began = -1
	_chunks.add(took)
	_judge("chunk_generation", took > chunk_budget_ms, took, chunk_budget_ms)
	chunk_generation_completed.emit(took)


func start_collision_generation() -> void:
	_collision_began = Time.get_ticks_usec()


func end_collision_generation() -> void:
	if _collision_began < 0:
		push_warning("VoxelPerformanceMonitor: end_collision_generation without start_collision_generation.")
		return
	var took := _since(_collision_began)
	_collision_began = -1
	_collisions.add(took)
	_judge("collision_generation", took > collision_budget_ms, took, collision_budget_ms)
	collision_generation_completed.emit(took)


## One chunk more; bytes: how large it is, where that is known.
func increment_chunk_count(bytes := 0) -> void:
	_active_chunks += 1
	_generated += 1
	_reported_bytes += bytes
	_judge("chunk_count", _active_chunks > max_chunks, _active_chunks, max_chunks)


func decrement_chunk_count(bytes := 0) -> void:
	if _active_chunks == 0:
		return
	_active_chunks -= 1
	_unloaded += 1
	_reported_bytes = maxi(_reported_bytes - bytes, 0)
	_judge("chunk_count", _active_chunks > max_chunks, _active_chunks, max_chunks)


## Everything that is known now, by name.
func get_statistics() -> Dictionary:
	_look_at_memory()
	return _statistics()


func get_active_warnings() -> Array[String]:
	return TYPES.filter(func(type: String) -> bool: return _warnings[type])


func is_performance_acceptable() -> bool:
	return get_active_warnings().is_empty()


## The statistics in sentences.
func get_performance_report() -> String:
	var now := get_statistics()
	var lines := PackedStringArray([
		"Physics tick %.2f ms (longest %.2f), drawing %.2f ms (longest %.2f), budget %.2f ms." % [
			now.physics_frame_time_ms, now.physics_frame_time_max_ms, now.render_frame_time_ms,
			now.render_frame_time_max_ms, now.frame_time_budget_ms
		],
		"%d of %d chunks, %.2f ms each (longest %.2f); collision meshes %.2f ms (longest %.2f)." % [
			now.active_chunk_count, now.max_chunk_count, now.chunk_generation_avg_ms, now.chunk_generation_max_ms,
			now.collision_generation_avg_ms, now.collision_generation_max_ms
		],
		"Chunks take %.1f of %.0f MB; the process %.1f MB." % [now.voxel_memory_mb, now.max_memory_mb, now.total_memory_mb],
	])
	var active := get_active_warnings()
	lines.append("No warnings." if active.is_empty() else "Warnings: %s." % ", ".join(active))
	return "\n".join(lines)


## Forget every time that was measured; chunks and memory stay what they are.
func reset_statistics() -> void:
	for window: SandlotTimeWindow in [_physics, _render, _frames, _chunks, _collisions]:
		window.clear()
	_dropped = 0
	_dropped_in_a_row = 0
	_slow_in_a_row = 0
	_reprojected = 0
	_samples = 0
	_tick_began = -1
	_frame_began = -1
	for type in TYPES:
		if type not in ["memory", "chunk_count"]:
			_warnings[type] = false


## A few lines in a corner of the screen.
func set_debug_ui_enabled(shown: bool) -> void:
	if shown and _label == null:
		var layer := CanvasLayer.new()
		_label = Label.new()
		_label.position = Vector2(12, 12)
		_label.add_theme_font_size_override("font_size", 14)
		layer.layer = 100
		layer.add_child(_label)
		add_child(layer)
	if _label:
		(_label.get_parent() as CanvasLayer).visible = shown


# ---------------------------------------------------------------- measuring


## Before the scripts of a physics tick. The tick before, where there was one in this frame, ended here.
func _on_tick() -> void:
	_close_tick()
	_tick_began = Time.get_ticks_usec()


## What a trainer was waited for is no work of the game.
func _physics_process(_delta: float) -> void:
	if _tick_began >= 0:
		_tick_began = Time.get_ticks_usec()


## After the last physics tick of a frame and before its scripts.
func _on_frame() -> void:
	_close_tick()
	var now := Time.get_ticks_usec()
	if _frame_began >= 0 and enabled:
		_count_frame((now - _frame_began) / 1000.0)
	_frame_began = now
	_draw_began = now
	if Time.get_ticks_msec() - _memory_looked >= MEMORY_MSEC and enabled:
		_look_at_memory()


## A frame was drawn: its scripts and its picture together are what it took.
func _on_drawn() -> void:
	if not enabled or _draw_began < 0:
		return
	var took := _since(_draw_began)
	_draw_began = -1
	_render.add(took)
	_judge("render_frame", took > WARNING_SHARE * _budget_ms(), took, _budget_ms())


func _close_tick() -> void:
	if _tick_began < 0 or not enabled:
		return
	var took := _since(_tick_began)
	_tick_began = -1
	_physics.add(took)
	physics_tick_completed.emit(took)
	_judge("physics_frame", took > WARNING_SHARE * _budget_ms(), took, _budget_ms())
	_samples += 1
	if _samples % FRAMES == 0:
		var now := _statistics()
		statistics_updated.emit(now)
		if _label:
			_label.text = get_performance_report()


## From one frame to the next, with everything that was waited for.
func _count_frame(took: float) -> void:
	_frames.add(took)
	_dropped_in_a_row = _dropped_in_a_row + 1 if took > 2.0 * _budget_ms() else 0
	_dropped += int(_dropped_in_a_row > 0)
	_reprojected += int(took > 1.5 * _budget_ms() and took <= 2.0 * _budget_ms())
	_slow_in_a_row = _slow_in_a_row + 1 if took > 1000.0 / least_fps else 0
	if _slow_in_a_row == 0 or _slow_in_a_row >= SLOW_FRAMES:
		_judge("frame_rate", _slow_in_a_row > 0, 1000.0 / maxf(took, 0.001), least_fps)


func _look_at_memory() -> void:
	_memory_looked = Time.get_ticks_msec()
	_total_mb = process_bytes() / MEGABYTE
	_voxel_mb = _voxel_bytes() / MEGABYTE
	_judge("memory", _voxel_mb > max_memory_mb, _voxel_mb, max_memory_mb)


## Memory of this process: what the engine has allocated; a release build does not count that, so there it is what
## the system says (Linux).
static func process_bytes() -> float:
	var counted := Performance.get_monitor(Performance.MEMORY_STATIC)
	if counted > 0.0:
		return counted
	var statm := FileAccess.open("/proc/self/statm", FileAccess.READ)
	return statm.get_line().split(" ")[1].to_float() * PAGE_BYTES if statm else 0.0


func _voxel_bytes() -> float:
	if not is_instance_valid(_terrain):
		return _reported_bytes
	if _terrain.has_method("memory_bytes"):
		return float(_terrain.call("memory_bytes"))
	return _reported_bytes if _reported_bytes else _mesh_bytes(_terrain)


## Vertices and indices of every mesh below a node, as they lie in memory.
static func _mesh_bytes(node: Node) -> int:
	var sum := 0
	var mesh: Mesh = (node as MeshInstance3D).mesh if node is MeshInstance3D else null
	for surface in mesh.get_surface_count() if mesh else 0:
		for part: Variant in mesh.surface_get_arrays(surface):
			sum += var_to_bytes(part).size() if part != null else 0
	for child in node.get_children():
		sum += _mesh_bytes(child)
	return sum


func _judge(type: String, exceeded: bool, value: float, budget: float) -> void:
	if exceeded == _warnings[type]:
		return
	_warnings[type] = exceeded
	if not exceeded:
		performance_recovered.emit(type)
		return
	performance_warning.emit(type, value, budget)
	if print_warnings:
		push_warning("VoxelPerformanceMonitor: %s is %.2f, the budget %.2f." % [type, value, budget])


func _statistics() -> Dictionary:
	var xr := XRServer.primary_interface
	var frame_ms := _frames.mean()
	return {
		"target_fps": target_fps, "frame_time_budget_ms": _budget_ms(),
		"physics_frame_time_ms": _physics.mean(), "physics_frame_time_max_ms": _physics.longest(),
		"render_frame_time_ms": _render.mean(), "render_frame_time_max_ms": _render.longest(),
		"active_chunk_count": _active_chunks, "total_chunks_generated": _generated,
		"total_chunks_unloaded": _unloaded, "max_chunk_count": max_chunks,
		"chunk_generation_avg_ms": _chunks.mean(), "chunk_generation_max_ms": _chunks.longest(),
		"collision_generation_avg_ms": _collisions.mean(), "collision_generation_max_ms": _collisions.longest(),
		"voxel_memory_mb": _voxel_mb, "max_memory_mb": max_memory_mb, "total_memory_mb": _total_mb,
		"time_process": Performance.get_monitor(Performance.TIME_PROCESS) * 1000.0,
		"time_physics_process": Performance.get_monitor(Performance.TIME_PHYSICS_PROCESS) * 1000.0,
		"has_warnings": not is_performance_acceptable(), "warning_states": _warnings.duplicate(),
		"current_fps": 1000.0 / frame_ms if frame_ms > 0.0 else 0.0, "fps_warning_threshold": least_fps,
		"is_meeting_target": frame_ms > 0.0 and frame_ms <= _budget_ms(), "is_underperforming": bool(_warnings.frame_rate),
		"average_frame_time_ms": frame_ms, "max_frame_time_ms": _frames.longest(), "min_frame_time_ms": _frames.shortest(),
		"total_dropped_frames": _dropped, "consecutive_dropped_frames": _dropped_in_a_row,
		"reprojection_events": _reprojected, "estimated_reprojection_rate": _reprojected / maxf(_samples, 1.0),
		"xr_interface_active": xr != null and xr.is_initialized(), "xr_interface_name": String(xr.get_name()) if xr else "",
		"uptime_seconds": (Time.get_ticks_msec() - _began_msec) / 1000.0, "samples_collected": _samples,
	}


func _on_block_loaded(_block: Variant = null) -> void:
	increment_chunk_count()


func _on_block_unloaded(_block: Variant = null) -> void:
	decrement_chunk_count()


func _budget_ms() -> float:
	return 1000.0 / target_fps


static func _since(usec: int) -> float:
	return (Time.get_ticks_usec() - usec) / 1000.0
