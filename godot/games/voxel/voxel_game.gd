class_name VoxelGame
extends Node3D
## A probe flies over an endless voxel terrain and looks for what is slow or broken in it.
##
## What counts as found: a chunk that takes longer than its budget (built again to be sure), too many chunks, too much
## memory, memory that grows although nothing more is shown, and cracks between levels of detail.

signal found(what: String)

const TOP_SPEED := 20.0  # m/s
const HOVER := 6.0  # metres above the ground
const JUMP_SECONDS := 1.0  # from one jump to the next
const CLIMB := 4.0  # per second; how fast the height follows the ground
const CONFIRMATIONS := 5  # at most; times that a slow chunk is built again
const RAY := 200.0
const TICKS := 90  # per second: that of a headset

## Memory of the chunks above which there is a warning.
@export_range(1.0, 4096.0, 1.0, "suffix:MB") var memory_limit := 2048.0
## Chunks that count as many.
@export_range(10, 1000) var many_chunks := 400
## Jumps are allowed.
@export var chaos_mode := true
## Faults to be found; `plant_…` of the terrain.
@export var plant_seam := false
@export var plant_growth := false
## Look for cracks and growth, which costs time between the decisions.
@export var search := true
@export_range(2, 14) var view_radius := 8
@export_range(1, 64) var chunks_per_tick := 2

@export var settings: PackedStringArray = [
	"memory_limit", "many_chunks", "chaos_mode", "plant_seam", "plant_growth", "search", "view_radius", "chunks_per_tick",
]

var velocity := Vector3.ZERO
var slowest_tick_ms := 0.0  ## since the last decision
var slow_chunks := 0  ## of this episode, confirmed
var slowest_chunk_ms := 0.0  ## of this episode, confirmed
var cracks := 0  ## metres
var warnings := {}  ## kinds of this episode
var slow_now := false  ## in this decision
var broken_now := PackedStringArray()  ## kinds of faults found in this decision for the first time

var _growth := GrowthWatch.new()
var _base_bytes := 0.0
var _wait := 0.0
var _broken := {}

@onready var terrain: ChunkTerrain = $Terrain
@onready var probe: Node3D = $Probe
@onready var monitor: SandlotPerformanceMonitor = $VoxelPerformanceMonitor


func _enter_tree() -> void:
	Engine.physics_ticks_per_second = TICKS
	Engine.max_physics_steps_per_frame = TICKS


func _ready() -> void:
	terrain.monitor = monitor
	terrain.drawn = DisplayServer.get_name() != "headless"
	monitor.set_voxel_terrain(terrain)
	monitor.physics_tick_completed.connect(func(took: float) -> void: slowest_tick_ms = maxf(slowest_tick_ms, took))
	monitor.performance_warning.connect(func(type: String, _value: float, _limit: float) -> void: _warn(type))


func begin_episode(random: SandlotRandom) -> void:
	terrain.view_radius = view_radius
	terrain.chunks_per_tick = chunks_per_tick
	terrain.plant_seam = plant_seam
	terrain.plant_growth = plant_growth
	monitor.max_memory_mb = memory_limit
	terrain.restart(random.integer_in(0, 1 << 20))
	monitor.reset_statistics()
	_base_bytes = SandlotPerformanceMonitor.process_bytes() - terrain.memory_bytes()
	_growth.clear()
	_broken.clear()
	warnings.clear()
	slow_chunks = 0
	slowest_chunk_ms = 0.0
	cracks = 0
	_wait = 0.0
	velocity = Vector3.ZERO
	probe.position = Vector3(0, terrain.shape.height_of(0, 0) + HOVER, 0)
	begin_decision()


## Move on like this; jump: metres, 0 for none.
func steer(direction: Vector2, speed: float, jump := 0.0) -> void:
	var way := Vector3(direction.x, 0, direction.y).limit_length()
	velocity = way * clampf(speed, 0.0, TOP_SPEED)
	if chaos_mode and jump > 0.0 and _wait <= 0.0 and way.length() > 0.1:
		_wait = JUMP_SECONDS
		probe.position += way.normalized() * jump


## Look at what the last decision has done, and begin to count for the next one.
func begin_decision() -> void:
	slow_now = false
	broken_now.clear()
	if search:
		_look()
	slowest_tick_ms = 0.0
	terrain.begin_count()


func _physics_process(delta: float) -> void:
	_wait -= delta
	probe.position += velocity * delta
	terrain.look_from(probe.position)
	var from := probe.position + Vector3.UP * RAY * 0.5
	var hit := get_world_3d().direct_space_state.intersect_ray(
		PhysicsRayQueryParameters3D.create(from, from + Vector3.DOWN * RAY)
	)
	if hit:
		probe.position.y = lerpf(probe.position.y, hit.position.y + HOVER, minf(CLIMB * delta, 1.0))


# ---------------------------------------------------------------- finding


func _look() -> void:
	if terrain.slowest_ms > monitor.chunk_budget_ms:
		_confirm_slow_chunks()
	for cell in terrain.changed:
		if terrain.level_of(cell) >= 0:
			var open := SeamFinder.cracks_around(terrain, cell)
			cracks += open
			if open:
				_break("lod_seam")
	terrain.changed.clear()
	_growth.look(SandlotPerformanceMonitor.process_bytes() - _base_bytes, terrain.face_count())
	if _growth.growing:
		_break("memory_growth")


## A chunk was slow; the machine may have been busy with something else, so build it again and take the shortest time.
func _confirm_slow_chunks() -> void:
	for cell in terrain.changed:
		if terrain.level_of(cell) != 0 or terrain.build_ms(cell) <= monitor.chunk_budget_ms:
			continue
		var shortest := terrain.build_ms(cell)
		for i in CONFIRMATIONS:
			if shortest > monitor.chunk_budget_ms:
				shortest = minf(shortest, terrain.time_to_build(cell))
		if shortest > monitor.chunk_budget_ms:
			slow_chunks += 1
			slow_now = true
			slowest_chunk_ms = maxf(slowest_chunk_ms, shortest)
			found.emit("slow_chunk")


func _warn(type: String) -> void:
	warnings[type] = warnings.get(type, 0) + 1
	found.emit(type)


func _break(what: String) -> void:
	if not _broken.has(what):
		_broken[what] = true
		broken_now.append(what)
		found.emit(what)


func is_broken(what: String) -> bool:
	return _broken.has(what)
