class_name LandingAgent
extends SandlotAgent
## The pilot: the 14 numbers, 5 actions and 10 reward terms of the native game, number by number.

const NO_HIT := 1000.0  # metres; what the ray down says when it meets nothing
const RAY := 100.0
const NEARNESS := 10.0  # metres
const ERROR_HALF := 10.0  # m/s
const LAST_SPEED := 1.0  # m/s
const LAST_TIME := 3.0  # s

## What plays where nobody decides.
@export_enum("keys", "autopilot", "random", "fall") var baseline := "keys"

var _random: SandlotRandom
var _was := {}
var _fuel_before := 0.0

@onready var game: LandingGame = get_parent()


func _init() -> void:
	role = &"pilot"
	actions = {"thrust_x": "axis", "thrust_y": "axis", "thrust_z": "axis", "rcs_pitch": "axis", "rcs_roll": "axis"}
	reward_terms = [
		"progress", "centering", "braking", "upright", "fuel", "landing", "pad", "crash", "out_of_bounds", "timeout",
	]
	for what: String in [
		"ending", "success", "soft_landing", "distance_to_pad", "touchdown_speed", "touchdown_tilt", "fuel_used",
		"fuel_efficiency",
	]:
		reports[what] = "none"
	settings = ["baseline"]


func begin_episode(random: SandlotRandom) -> void:
	_random = SandlotRandom.new(random.draw())
	_was = _potential()
	_fuel_before = game.fuel


# ---------------------------------------------------------------- seeing


func observe() -> PackedFloat32Array:
	var place := game.craft.position
	var speed := game.craft.linear_velocity / 50.0
	var spin := game.craft.angular_velocity
	var turn := game.attitude() / PI
	var distance := maxf(place.length(), 0.001)
	var to_pad := -place / distance
	return PackedFloat32Array([
		clampf(place.y / 1000.0, -0.1, 5.0),
		clampf(speed.x, -10.0, 10.0), clampf(speed.y, -10.0, 10.0), clampf(speed.z, -10.0, 10.0),
		clampf(spin.x, -50.0, 50.0), clampf(spin.y, -50.0, 50.0), clampf(spin.z, -50.0, 50.0),
		turn.x, turn.y, to_pad.x, to_pad.y, to_pad.z, distance / 1000.0, _below() / 100.0,
	])


## The engine's ray from the centre of mass down to the terrain.
func _below() -> float:
	var from := game.craft.global_position
	var query := PhysicsRayQueryParameters3D.create(from, from + Vector3.DOWN * RAY)
	query.exclude = [game.craft.get_rid(), game.walker.get_rid()]
	var hit := game.get_world_3d().direct_space_state.intersect_ray(query)
	return NO_HIT if hit.is_empty() else maxf(from.y - hit.position.y, 0.0)


# ---------------------------------------------------------------- acting and scoring


func act(action: Dictionary) -> void:
	game.steer(
		Vector3(action.thrust_x, action.thrust_y, action.thrust_z), Vector2(action.rcs_pitch, action.rcs_roll)
	)


func _physics_process(_delta: float) -> void:  # after the game's own, as its child
	if ended or game.ending == LandingGame.Ending.FLYING:
		return
	if game.walking and not game.has_arrived():
		return
	settle_rewards()
	_report()
	end_episode(game.ending != LandingGame.Ending.TIMEOUT)


## A decision is over, or the episode: what has changed since is paid.
func settle_rewards() -> void:
	if ended:
		return
	var now := _potential()
	var rules := game.rules
	reward(&"progress", rules.progress * (_was.distance - now.distance))
	reward(&"centering", rules.centering * (now.nearness - _was.nearness))
	reward(&"braking", rules.braking * (_was.error - now.error))
	reward(&"upright", rules.upright * (_was.lean - now.lean))
	reward(&"fuel", -rules.fuel_cost * (_fuel_before - game.fuel))
	_was = now
	_fuel_before = game.fuel
	match game.ending:
		LandingGame.Ending.SOFT:
			reward(&"landing", rules.soft_bonus)
		LandingGame.Ending.HARD:
			reward(&"landing", rules.hard_bonus)
		LandingGame.Ending.CRASH:
			reward(&"crash", -rules.crash_penalty)
		LandingGame.Ending.OUT:
			reward(&"out_of_bounds", -rules.out_penalty)
		LandingGame.Ending.TIMEOUT:
			reward(&"timeout", -rules.timeout_penalty)
	if game.landed() and game.pad_distance() <= rules.pad_radius:
		reward(&"pad", rules.pad_bonus)


func _potential() -> Dictionary:
	var place := game.craft.position
	var speed := game.craft.linear_velocity
	if game.landed() or game.ending == LandingGame.Ending.CRASH:
		speed = game._before
	var rules := game.rules
	var glide: float = rules.descent * (rules.max_thrust / (rules.dry_mass + rules.fuel) - rules.gravity)
	var height: float = maxf(place.y - rules.leg_length, 0.0)
	var descent := maxf(sqrt(2.0 * glide * height), LAST_SPEED)
	var time := maxf(sqrt(2.0 * height / glide), LAST_TIME)
	var error := Vector3(speed.x + place.x / time, speed.y + descent, speed.z + place.z / time).length()
	return {
		"distance": place.length(), "nearness": NEARNESS / (NEARNESS + game.pad_distance()),
		"error": error / (error + ERROR_HALF), "lean": 0.5 * (1.0 - game.tilt_cos()),
	}


func _report() -> void:
	var soft := game.ending == LandingGame.Ending.SOFT
	report(&"ending", game.ending)
	report(&"success", soft and game.pad_distance() <= game.rules.pad_radius)
	report(&"soft_landing", soft)
	report(&"distance_to_pad", game.pad_distance())
	report(&"touchdown_speed", game._before.length())
	report(&"touchdown_tilt", rad_to_deg(acos(clampf(game.tilt_cos(), -1.0, 1.0))))
	report(&"fuel_used", game.rules.fuel - game.fuel)
	report(&"fuel_efficiency", game.efficiency())


# ---------------------------------------------------------------- baselines


func human() -> Dictionary:
	match baseline:
		"autopilot":
			return _autopilot()
		"random":
			var made := {}
			for name: String in actions:
				made[name] = _random.uniform_in(-1, 1)
			return made
		"fall":
			return {"thrust_x": 0.0, "thrust_y": 0.0, "thrust_z": 0.0, "rcs_pitch": 0.0, "rcs_roll": 0.0}
	var way := Input.get_vector("ui_left", "ui_right", "ui_up", "ui_down")
	return {
		"thrust_x": 0.4 * way.x, "thrust_y": float(Input.is_action_pressed("ui_accept")), "thrust_z": 0.4 * way.y,
		"rcs_pitch": 0.0, "rcs_roll": 0.0,
	}


## Down at a constant deceleration, ever slower over the last metres; sideways so as to be over the pad in time.
func _autopilot() -> Dictionary:
	var rules := game.rules
	var place := game.craft.position
	var speed := game.craft.linear_velocity
	if game.walking:
		var way := -Vector3(game.walker.position.x, 0, game.walker.position.z).limit_length()
		return {"thrust_x": way.x, "thrust_y": 0.0, "thrust_z": way.z, "rcs_pitch": 0.0, "rcs_roll": 0.0}
	var mass: float = rules.dry_mass + game.fuel
	var glide: float = 0.6 * (rules.max_thrust / (rules.dry_mass + rules.fuel) - rules.gravity)
	var height: float = maxf(minf(place.y, _below()) - rules.leg_length, 0.0)
	var slow := LAST_SPEED + 0.4 * height
	var descent := sqrt(2.0 * glide * height)
	var follow := glide
	if slow < descent:
		descent = slow
		follow = 0.4 * slow
	if descent < LAST_SPEED:
		descent = LAST_SPEED
		follow = 0.0
	var share: float = mass / rules.max_thrust
	var up := clampf((rules.gravity + follow + 1.5 * (-descent - speed.y)) * share, 0.0, 1.0)
	var time := maxf(sqrt(2.0 * height / glide), 2.0)
	var aside := Vector2(-place.x / time - speed.x, -place.z / time - speed.z) * 1.2 * share
	aside = aside.limit_length(sqrt(1.0 - up * up))
	var turn := game.attitude()
	var spin := game.craft.angular_velocity
	return {
		"thrust_x": aside.x, "thrust_y": up, "thrust_z": aside.y,
		"rcs_pitch": clampf(-3.0 * turn.x - 4.0 * spin.x, -1, 1), "rcs_roll": clampf(-3.0 * turn.y - 4.0 * spin.z, -1, 1),
	}
