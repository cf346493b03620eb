class_name TerrainScenarioAgent
extends SandlotAgent
## Scenario 4: chunks, queue, frame times and memory in; a direction and a speed out; rewarded for provoking the terrain.
##
## A generated chunk pays 1/500: at 1 it would be worth more than the bug that is looked for. A kind of warning and a bug
## pay once an episode.

const FRAME_MS := 1000.0 / 90.0
const A_CHUNK := 1.0 / 500.0
const A_WARNING := 5.0
const A_BUG := 10.0
const MOST_WARNED := 7  # kinds of warnings

@export_enum("keys", "random", "straight") var baseline := "keys"

var _random: SandlotRandom
var _way := 0.0
var _warned := 0
var _generated := 0

@onready var game: VoxelGame = get_parent()


func _init() -> void:
	actions = {
		"direction_x": "axis", "direction_z": "axis",
		"speed": {"kind": "axis", "low": 0.0, "high": VoxelGame.TOP_SPEED, "unit": "m/s"},
	}
	reward_terms = ["chunks", "warning", "bug"]
	reports = {
		"success": "flag", "slow_chunks": "higher", "slowest_chunk_ms": "higher", "memory_warnings": "none",
		"memory_growth": "flag", "lod_seam": "flag", "cracks": "none", "generated": "none", "longest_queue": "none",
	}
	settings = ["baseline"]


func begin_episode(random: SandlotRandom) -> void:
	_random = SandlotRandom.new(random.draw())
	_way = random.uniform_in(0.0, TAU)
	_warned = 0
	_generated = 0
	_report()


func observe_fields() -> Dictionary:
	var now := game.monitor.get_statistics()
	return {
		"active_chunks": now.active_chunk_count / float(game.monitor.max_chunks),
		"queue": minf(game.terrain.queue_length() / 100.0, 5.0),
		"physics_frame": now.physics_frame_time_ms / FRAME_MS,
		"render_frame": now.render_frame_time_ms / FRAME_MS,
		"memory": now.voxel_memory_mb / 2048.0,
	}


func act(action: Dictionary) -> void:
	_pay()
	game.steer(Vector2(action.direction_x, action.direction_z), action.speed)


func _pay() -> void:
	var fresh := game.terrain.generated
	game.begin_decision()
	_generated += fresh
	reward(&"chunks", A_CHUNK * fresh)
	reward(&"warning", A_WARNING * (game.warnings.size() - _warned))
	_warned = game.warnings.size()
	reward(&"bug", A_BUG * game.broken_now.size())
	_report()


func _report() -> void:
	report(&"success", game.slow_chunks > 0)
	report(&"slow_chunks", game.slow_chunks)
	report(&"slowest_chunk_ms", game.slowest_chunk_ms)
	report(&"memory_warnings", game.warnings.get("memory", 0))
	report(&"memory_growth", game.is_broken("memory_growth"))
	report(&"lod_seam", game.is_broken("lod_seam"))
	report(&"cracks", game.cracks)
	report(&"generated", _generated)
	report(&"longest_queue", maxi(int(reported.get(&"longest_queue", 0)), game.terrain.queue_length()))


func human() -> Dictionary:
	match baseline:
		"random":
			return {
				"direction_x": _random.uniform_in(-1, 1), "direction_z": _random.uniform_in(-1, 1),
				"speed": _random.uniform_in(0, VoxelGame.TOP_SPEED),
			}
		"straight":
			return {"direction_x": cos(_way), "direction_z": sin(_way), "speed": VoxelGame.TOP_SPEED}
	var way := Input.get_vector("ui_left", "ui_right", "ui_up", "ui_down")
	return {"direction_x": way.x, "direction_z": way.y, "speed": VoxelGame.TOP_SPEED}
