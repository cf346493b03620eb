class_name PhysicsStressAgent
extends SandlotAgent
## Scenario 2: measured times, counts and layers in; what to spawn, take, throw and blow up out.
##
## The rewards are those of the brief for every decision: +1 where all its ticks kept 90 frames a second, -10 where one
## did not, -5 for a jitter. An episode without either is worth +1 a decision, so nothing is worth more than to hold.

const TICK_MS := PhysicsStress.FRAME_MS

@export_enum("keys", "random", "load", "idle") var baseline := "keys"
## Of the baseline `load`: spawns for each decision.
@export_range(0, 10) var load_per_decision := 1

var _random: SandlotRandom

@onready var game: PhysicsStress = get_parent()


func _init() -> void:
	var spawn := PackedStringArray()
	for i in 11:
		spawn.append("spawn_%d" % i)
	actions = {
		"spawn": spawn, "grab": "button", "throw": "button", "force_x": "axis", "force_y": "axis", "force_z": "axis",
		"particles": "button",
	}
	reward_terms = ["holds", "slow_frame", "jitter"]
	reports = {
		"success": "flag", "slow_frames": "lower", "jitters": "lower", "longest_ms": "lower", "bodies": "none",
		"chunks": "none", "frames": "none", "warnings": "lower", "memory_mb": "lower", "first_slow_bodies": "none",
	}
	settings = ["baseline", "load_per_decision"]


func begin_episode(random: SandlotRandom) -> void:
	_random = SandlotRandom.new(random.draw())
	_report()


func observe_fields() -> Dictionary:
	var now := game.monitor.get_statistics()
	var layers := game.layer_counts()
	return {
		"physics_frame": now.physics_frame_time_ms / TICK_MS,
		"render_frame": now.render_frame_time_ms / TICK_MS,
		"objects": game.bodies.size() / 100.0,
		"chunks": game.chunks / 100.0,
		"layers": [layers[0] / 10.0, layers[1] / 100.0, layers[2] / 100.0],
	}


func act(action: Dictionary) -> void:
	_pay()
	if action.spawn:
		game.spawn(int(action.spawn))
	if action.grab:
		game.grab()
	if action.throw:
		game.throw(Vector3(action.force_x, action.force_y, action.force_z))
	if action.particles:
		game.burst()


func _pay() -> void:
	if game.frames:
		reward(&"holds", 1.0 if game.slow_now == 0 else 0.0)
		reward(&"slow_frame", -10.0 if game.slow_now else 0.0)
		reward(&"jitter", -5.0 if game.jitter_now else 0.0)
	game.begin_decision()
	_report()
	if game.frames >= PhysicsStress.FRAMES:
		end_episode()


func _report() -> void:
	report(&"success", game.holds())
	report(&"slow_frames", game.slow_frames)
	report(&"jitters", game.jitters)
	report(&"longest_ms", game.longest_ms)
	report(&"bodies", game.bodies.size())
	report(&"chunks", game.chunks)
	report(&"frames", game.frames)
	report(&"warnings", game.warnings)
	report(&"memory_mb", SandlotPerformanceMonitor.process_bytes() / 1048576.0)
	report(&"first_slow_bodies", game.first_slow_bodies)


func human() -> Dictionary:
	var nothing := {"spawn": 0, "grab": false, "throw": false, "force_x": 0.0, "force_y": 0.0, "force_z": 0.0, "particles": false}
	match baseline:
		"random":
			return nothing.merged({
				"spawn": _random.integer_in(0, 10), "grab": _random.uniform() < 0.3, "throw": _random.uniform() < 0.3,
				"force_x": _random.uniform_in(-1, 1), "force_y": _random.uniform_in(0, 1),
				"force_z": _random.uniform_in(-1, 1), "particles": _random.uniform() < 0.2,
			}, true)
		"load":
			return nothing.merged({"spawn": load_per_decision, "grab": true, "throw": true, "force_y": 1.0}, true)
		"keys":
			return nothing.merged({
				"spawn": 5 if Input.is_action_pressed("ui_down") else 0, "grab": Input.is_action_pressed("ui_left"),
				"throw": Input.is_action_pressed("ui_right"), "force_y": 1.0, "particles": Input.is_action_pressed("ui_accept"),
			}, true)
	return nothing
