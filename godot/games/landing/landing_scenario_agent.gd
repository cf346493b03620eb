class_name LandingScenarioAgent
extends LandingAgent
## The third test scenario: fuel, heading and the pad's orientation are observed, and six numbers steer. Its terms are those of
## the guide; coming nearer is a difference of distance. Rules: docs/tasks/landing.md.

const PER_KILOGRAM := -0.01  ## of fuel
const SOFT := 10.0
const CRASH := -50.0
const PAD := 5.0
const PER_METRE := 0.002  ## nearer: less than 3 of an episode
const ALIGNED := deg_to_rad(15.0)  ## of the pad's orientation


func _enter_tree() -> void:  # not _init: a scene that puts this script over another one keeps what that one exported
	actions = {
		"thrust_x": "axis", "thrust_y": "axis", "thrust_z": "axis", "pitch": "axis", "yaw": "axis", "roll": "axis",
	}
	reward_terms = ["nearer", "fuel", "landing", "pad", "crash"]
	reports.merge({"aligned": "flag", "heading_error_deg": "lower"})
	reports.success = "flag"
	settings = ["baseline", "walk_after_landing"]
	reports.soft_landing = "flag"


func begin_episode(random: SandlotRandom) -> void:
	game.yaw_control = true
	super(random)
	game.pad_heading = random.uniform_in(-PI, PI)


func observe() -> PackedFloat32Array:
	var place := game.craft.position
	var speed := game.craft.linear_velocity / 50.0
	var spin := game.craft.angular_velocity
	var turn := game.attitude() / PI
	var error := game.heading_error()
	var pad := Vector3(-place.x, 0.0, -place.z).rotated(Vector3.UP, -game.heading) / 1000.0
	return PackedFloat32Array([
		clampf(place.y / 1000.0, -0.1, 5.0), speed.x, speed.y, speed.z,
		turn.x, turn.y, sin(game.heading), cos(game.heading), clampf(spin.x, -50.0, 50.0), clampf(spin.y, -50.0, 50.0),
		clampf(spin.z, -50.0, 50.0), minf(_below(), NO_HIT) / 100.0, game.fuel / game.rules.fuel,
		pad.x, pad.z, game.pad_distance() / 1000.0, sin(error), cos(error),
	])


## The autopilot and the fall decide also where somebody else is asked, as for a table of players.
func act(action: Dictionary) -> void:
	var does := human() if baseline in ["autopilot", "fall"] else action
	game.steer(Vector3(does.thrust_x, does.thrust_y, does.thrust_z), Vector2(does.pitch, does.roll))
	game.yaw = does.yaw


func settle_rewards() -> void:
	if ended:
		return
	var now := _potential()
	reward(&"nearer", PER_METRE * (_was.distance - now.distance))
	reward(&"fuel", PER_KILOGRAM * (_fuel_before - game.fuel))
	_was = now
	_fuel_before = game.fuel
	match game.ending:
		LandingGame.Ending.SOFT:
			reward(&"landing", SOFT)
		LandingGame.Ending.CRASH:
			reward(&"crash", CRASH)
	if game.landed() and game.pad_distance() <= game.rules.pad_radius:
		reward(&"pad", PAD)


func _report() -> void:
	super()
	report(&"aligned", game.landed() and absf(game.heading_error()) <= ALIGNED)
	report(&"heading_error_deg", rad_to_deg(absf(game.heading_error())))


func human() -> Dictionary:
	var asked := super()
	var made := {}
	for name: String in actions:
		made[name] = asked.get(name, asked.get("rcs_" + name, 0.0))
	if baseline == "autopilot":
		made.yaw = clampf(2.0 * game.heading_error() - 2.5 * game.heading_rate, -1.0, 1.0)
	return made


## The pilot of the other task steers along X and Z; here the craft may be turned.
func _autopilot() -> Dictionary:
	var made := super()
	var push := Vector3(made.thrust_x, 0.0, made.thrust_z).rotated(Vector3.UP, -game.heading)
	made.thrust_x = push.x
	made.thrust_z = push.z
	return made
