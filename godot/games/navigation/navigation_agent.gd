class_name NavigationAgent
extends SandlotAgent
## The walker: the 48 numbers, 3 actions and 6 reward terms of the native game.

const RAYS := 16
const RAY := 5.0  # metres
const RAY_HEIGHT := 1.0

@export_enum("keys", "greedy", "random") var baseline := "keys"

var _random: SandlotRandom
var _distance := 0.0
var _collisions := 0
var _query := PhysicsRayQueryParameters3D.new()

@onready var game: NavigationGame = get_parent()


func _init() -> void:
	role = &"walker"
	actions = {"move_horizontal": "axis", "move_vertical": "axis", "rotate": "axis"}
	reward_terms = ["progress", "comfort", "goal", "collision", "fall", "timeout"]
	for what: String in [
		"ending", "success", "comfort_score", "vignette_share", "vignette_mean", "vignette_peak",
		"hard_acceleration_share", "jerk_share", "snap_turns", "collisions", "start_distance", "distance", "walked",
	]:
		reports[what] = "none"
	settings = ["baseline"]
	_query.collision_mask = 1 | NavigationGrid.PITS


func begin_episode(random: SandlotRandom) -> void:
	_random = SandlotRandom.new(random.draw())
	_distance = game.distance
	_collisions = 0


# ---------------------------------------------------------------- seeing


func observe() -> PackedFloat32Array:
	var now := game.pose()
	var rate: float = game.rules.tick_rate
	var made := PackedFloat32Array()
	var rotation := Quaternion(Vector3.UP, game.yaw) * Quaternion(Vector3.BACK, game.roll)
	var lean := Vector3(sin(game.yaw), 0, cos(game.yaw)) * game.roll_rate
	var place := game.body.position
	_append(made, [now.camera, rotation, (now.camera - game.before.camera) * rate, lean + Vector3.UP * game.yaw_rate], "camera")
	made.append_array(_rays(place))
	_append(made, [now.left, now.right, (now.left - game.before.left) * rate, (now.right - game.before.right) * rate], "hands")
	var aside := Vector3(game.goal.x - place.x, 0, game.goal.y - place.z)
	var far := aside.length()
	_append(made, [aside.x, -place.y, aside.z, far, aside / far if far >= 0.001 else Vector3.ZERO], "goal")
	if game.rules.task_id:
		for layout in NavigationGrid.LAYOUTS:
			made.append(float(layout == game.grid.layout))
	return made


func _rays(place: Vector3) -> PackedFloat32Array:
	var made := PackedFloat32Array()
	var space := game.get_world_3d().direct_space_state
	_query.from = game.to_global(Vector3(place.x, RAY_HEIGHT, place.z))
	_query.exclude = [game.body.get_rid()]
	for i in RAYS:
		var angle := TAU * i / RAYS
		_query.to = _query.from + Vector3(cos(angle), 0, sin(angle)) * RAY
		var hit := space.intersect_ray(_query)
		made.append(_query.from.distance_to(hit.position) if hit else RAY)
	return made


# ---------------------------------------------------------------- acting and scoring


func act(action: Dictionary) -> void:
	game.steer(action.move_horizontal, action.move_vertical, action.rotate)


func _physics_process(_delta: float) -> void:
	if not ended and game.ending != NavigationGame.Ending.WALKING:
		settle_rewards()
		_report()
		end_episode(game.ending != NavigationGame.Ending.TIMEOUT)


func settle_rewards() -> void:
	if ended:
		return
	var rules := game.rules
	reward(&"progress", rules.progress * (_distance - game.distance))
	reward(&"comfort", -game.loss)
	reward(&"collision", -rules.collision_penalty * (game.collisions - _collisions))
	_distance = game.distance
	_collisions = game.collisions
	game.loss = 0.0
	match game.ending:
		NavigationGame.Ending.GOAL:
			reward(&"goal", rules.goal_reached)
		NavigationGame.Ending.FELL:
			reward(&"fall", -rules.fall_penalty)
		NavigationGame.Ending.TIMEOUT:
			reward(&"timeout", -rules.timeout_penalty)


func _report() -> void:
	report(&"ending", game.ending)
	report(&"success", game.ending == NavigationGame.Ending.GOAL)
	var felt := game.comfort.measures()
	for what: String in reports:
		if felt.has(what):
			report(what, felt[what])
	for what: String in ["collisions", "start_distance", "distance", "walked"]:
		report(what, game.get(what))


func human() -> Dictionary:
	match baseline:
		"random":
			return {"move_horizontal": _random.uniform_in(-1, 1), "move_vertical": _random.uniform_in(-1, 1), "rotate": _random.uniform_in(-1, 1)}
		"greedy":
			var place := game.body.position
			var way := Vector3(game.goal.x - place.x, 0, game.goal.y - place.z).normalized().rotated(Vector3.UP, -game.yaw)
			return {"move_horizontal": 0.78 * way.x, "move_vertical": -0.78 * way.z, "rotate": clampf(2.0 * way.x, -0.6, 0.6)}
	var keys := Input.get_vector("ui_left", "ui_right", "ui_down", "ui_up")
	return {"move_horizontal": 0.0, "move_vertical": keys.y, "rotate": keys.x}
