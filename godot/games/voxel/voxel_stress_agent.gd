class_name VoxelStressAgent
extends SandlotAgent
## The stress agent: four measured numbers in, a direction, a speed and a jump out; it is rewarded for what is slow.
##
## Speed pays 0.1 of its mean over the episode, at most 2: as a sum over the steps it would be worth more than anything
## that can be found.

const FASTEST_JUMP := 30.0  # metres
const LEAST_JUMP := 0.5  # of the action; below it there is no jump
const FRAME_MS := 1000.0 / 90.0

## What plays where nobody decides: the keys, random actions, or a straight line away from the start.
@export_enum("keys", "random", "straight") var baseline := "keys"
## Decisions of an episode; what speed pays is a mean over them.
@export_range(10, 10000) var steps_of_episode := 300

var _random: SandlotRandom
var _way := 0.0

@onready var game: VoxelGame = get_parent()


func _init() -> void:
	actions = {
		"move_x": "axis", "move_z": "axis",
		"move_speed": {"kind": "axis", "low": 0.0, "high": VoxelGame.TOP_SPEED, "unit": "m/s"},
		"teleport_distance": {"kind": "axis", "low": 0.0, "high": 1.0, "text": "above 0.5: up to 30 m ahead, once a second"},
	}
	reward_terms = ["slow_frame", "slow_chunk", "many_chunks", "speed"]
	reports = {
		"success": "flag", "slow_chunks": "higher", "slowest_chunk_ms": "higher", "memory_growth": "flag",
		"lod_seam": "flag", "cracks": "none", "most_chunks": "none", "memory_warnings": "none", "distance": "none",
	}
	settings = ["baseline"]


func begin_episode(random: SandlotRandom) -> void:
	_random = SandlotRandom.new(random.draw())
	_way = random.uniform_in(0.0, TAU)
	_report()


func observe_fields() -> Dictionary:
	var now := game.monitor.get_statistics()
	return {
		"physics_frame": now.physics_frame_time_ms / FRAME_MS,
		"chunk_generation": now.chunk_generation_avg_ms / game.monitor.chunk_budget_ms,
		"active_chunks": now.active_chunk_count / float(game.monitor.max_chunks),
		"voxel_memory": now.voxel_memory_mb / 2048.0,
	}


func act(action: Dictionary) -> void:
	_pay()
	var share: float = maxf(action.teleport_distance - LEAST_JUMP, 0.0) / (1.0 - LEAST_JUMP)
	game.steer(Vector2(action.move_x, action.move_z), action.move_speed, share * FASTEST_JUMP)


## For the decision that is over: the game counts from one decision to the next.
func _pay() -> void:
	var slow_frame := game.slowest_tick_ms > FRAME_MS
	game.begin_decision()
	reward(&"slow_frame", 10.0 if slow_frame else 0.0)
	reward(&"slow_chunk", 5.0 if game.slow_now else 0.0)
	reward(&"many_chunks", 2.0 if game.terrain.chunk_count() > game.many_chunks else 0.0)
	reward(&"speed", 0.1 * game.velocity.length() / steps_of_episode)
	_report()


func _report() -> void:
	report(&"success", game.slow_chunks > 0)
	report(&"slow_chunks", game.slow_chunks)
	report(&"slowest_chunk_ms", game.slowest_chunk_ms)
	report(&"memory_growth", game.is_broken("memory_growth"))
	report(&"lod_seam", game.is_broken("lod_seam"))
	report(&"cracks", game.cracks)
	report(&"most_chunks", maxi(int(reported.get(&"most_chunks", 0)), game.terrain.chunk_count()))
	report(&"memory_warnings", game.warnings.get("memory", 0))
	report(&"distance", Vector2(game.probe.position.x, game.probe.position.z).length())


func human() -> Dictionary:
	match baseline:
		"random":
			return {
				"move_x": _random.uniform_in(-1, 1), "move_z": _random.uniform_in(-1, 1),
				"move_speed": _random.uniform_in(0, VoxelGame.TOP_SPEED), "teleport_distance": _random.uniform_in(0, 1),
			}
		"straight":
			return {"move_x": cos(_way), "move_z": sin(_way), "move_speed": VoxelGame.TOP_SPEED, "teleport_distance": 1.0}
	var way := Input.get_vector("ui_left", "ui_right", "ui_up", "ui_down")
	return {"move_x": way.x, "move_z": way.y, "move_speed": VoxelGame.TOP_SPEED, "teleport_distance": float(Input.is_action_pressed("ui_accept"))}
