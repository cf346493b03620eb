class_name PhysicsStress
extends Node3D
## A yard that is filled with ground, crates and particles until the physics cannot keep up.
##
## A load of ground is a real voxel chunk with its collision mesh, piled up around the yard; a crate falls with it. Times
## are measured by the monitor: what a tick's scripts and the physics server took, not what a tick should last.

const TICKS := 90  # per second
const FRAME_MS := 1000.0 / TICKS
const FRAMES := 1000  # that have to hold
const MOST_BODIES := 1200
const MOST_CHUNKS := 200
const MEMORY_MB := 2048.0
const JITTER_SHARE := 0.5  # of a frame: how much two ticks in a row may differ
const LAYER_NAMES: Array[String] = ["ground", "crates", "thrown"]
const GRAB_REACH := 6.0
const THROW := 900.0  # N s of a full throw
const CRATE := 1.0
const YARD := 11.0  # metres in each direction

## Bodies and chunks that have to be there at the end of a success: holding the rate of an empty yard is none.
@export_range(0, 1000) var required_bodies := 40
@export_range(0, 200) var required_chunks := 8
@export var settings: PackedStringArray = ["required_bodies", "required_chunks"]

var bodies: Array[RigidBody3D] = []
var chunks := 0
var frames := 0
var slow_frames := 0
var jitters := 0
var slow_now := 0  ## ticks over the budget since the last decision
var jitter_now := 0
var tick_ms := 0.0  ## the last one
var longest_ms := 0.0
var warnings := 0
var grabbed: RigidBody3D
var bursts := 0
var first_slow_bodies := -1  ## bodies when a tick was too long for the first time

var _random: SandlotRandom
var _crate := BoxMesh.new()
var _box := BoxShape3D.new()
var _paints: Array[StandardMaterial3D] = []
var _drawn := DisplayServer.get_name() != "headless"

@onready var terrain: ChunkTerrain = $Ground
@onready var monitor: SandlotPerformanceMonitor = $VoxelPerformanceMonitor
@onready var crates: Node3D = $Crates
@onready var dust: GPUParticles3D = $Dust


func _enter_tree() -> void:
	Engine.physics_ticks_per_second = TICKS
	Engine.max_physics_steps_per_frame = TICKS
	_crate.size = Vector3.ONE * CRATE
	_box.size = Vector3.ONE * CRATE
	for colour: Color in [Color("f5b432"), Color("d92e1a"), Color("1560d2"), Color("5fb3a3")]:
		var paint := StandardMaterial3D.new()
		paint.albedo_color = colour
		paint.roughness = 0.7
		_paints.append(paint)


func _ready() -> void:
	terrain.monitor = monitor
	terrain.drawn = _drawn
	terrain.set_physics_process(false)  # it grows when asked
	monitor.set_voxel_terrain(terrain)
	monitor.physics_tick_completed.connect(_on_tick)
	monitor.performance_warning.connect(func(_type: String, _value: float, _limit: float) -> void: warnings += 1)


func begin_episode(random: SandlotRandom) -> void:
	_random = random
	for body in bodies:
		body.free()
	bodies.clear()
	grabbed = null
	terrain.restart(random.integer_in(0, 1 << 20))
	chunks = 1
	monitor.reset_statistics()
	frames = 0
	slow_frames = 0
	jitters = 0
	longest_ms = 0.0
	tick_ms = 0.0
	warnings = 0
	bursts = 0
	first_slow_bodies = -1
	begin_decision()


func begin_decision() -> void:
	slow_now = 0
	jitter_now = 0


## More ground around the yard, a crate with each chunk.
func spawn(count: int) -> void:
	for i in count:
		if chunks < MOST_CHUNKS:
			terrain.generate(1)
			chunks += 1
		if bodies.size() < MOST_BODIES:
			_drop_crate()


## Take the crate that is nearest to the middle, and throw what was taken.
func grab() -> void:
	var nearest := GRAB_REACH
	for body in bodies:
		if body.position.length() < nearest:
			nearest = body.position.length()
			grabbed = body


func throw(force: Vector3) -> void:
	if is_instance_valid(grabbed):
		grabbed.collision_layer = 1 << 2
		grabbed.apply_central_impulse(force.limit_length() * THROW / 90.0 * grabbed.mass)
		grabbed = null


func burst() -> void:
	bursts += 1
	if dust and not OS.has_feature("training"):
		dust.restart()


func layer_counts() -> PackedInt32Array:
	var made := PackedInt32Array([0, 0, 0])
	for body in bodies:
		made[2 if body.collision_layer & (1 << 2) else 1] += 1
	made[0] = mini(chunks, (2 * terrain.collision_radius + 1) ** 2)
	return made


## 1000 frames at 90 a second under load, no warning, less than 2 GB.
func holds() -> bool:
	return (
		frames >= FRAMES and slow_frames == 0 and warnings == 0 and bodies.size() >= required_bodies
		and chunks >= required_chunks and SandlotPerformanceMonitor.process_bytes() < MEMORY_MB * 1048576.0
	)


func _drop_crate() -> void:
	var body := RigidBody3D.new()
	var collision := CollisionShape3D.new()
	collision.shape = _box
	body.add_child(collision)
	if _drawn:
		var look := MeshInstance3D.new()
		look.mesh = _crate
		look.material_override = _paints[bodies.size() % _paints.size()]
		body.add_child(look)
	body.mass = 20.0
	body.collision_layer = 1 << 1
	body.collision_mask = 0b111
	var layer := bodies.size() / 60
	body.position = Vector3(
		_random.uniform_in(-YARD, YARD) * 0.7, 8.0 + 1.5 * (layer % 8) + _random.uniform_in(0.0, 3.0), _random.uniform_in(-YARD, YARD) * 0.7
	)
	crates.add_child(body)
	bodies.append(body)


func _on_tick(took: float) -> void:
	if frames and absf(took - tick_ms) > JITTER_SHARE * FRAME_MS:
		jitters += 1
		jitter_now += 1
	tick_ms = took
	longest_ms = maxf(longest_ms, took)
	frames += 1
	if took > FRAME_MS:
		slow_frames += 1
		slow_now += 1
		if first_slow_bodies < 0:
			first_slow_bodies = bodies.size()
