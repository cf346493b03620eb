extends SandlotAgent
## Walks somebody in VR to waypoints: 12 numbers in, 4 out, by the tables of docs/tasks/locomotion.md.
##
## With [member scenario] "course" it is the first test scenario instead: several waypoints, controllers and vignette in
## view, no vignette and no collision wanted.

const REACHED := 1.0  ## metres on the floor
const LIMIT_TICKS := 5400  ## 60 s
const NEAR_RAY := 0.5  ## metres from the body's surface ahead at which it costs
const HASTY := 0.8  ## of the turn stick, beyond which it costs
const GENTLE := 0.73  ## of the stick, from what is walked already: 4.4 m/s² where the body takes half a second
const FRAME_MS := 11.11
const MOST_CHUNKS := 512
## Ahead and the two diagonals, in the body's frame; each as long as it is written.
const RAYS: Array[Vector3] = [Vector3(0, 0, -2), Vector3(-1.5, 0, -1.5), Vector3(1.5, 0, -1.5)]
## What is paid for: of the controller and of the course.
const AMOUNTS := {
	"controller": {"waypoint": 10.0, "ray_ahead": -1.0, "turning": -0.1, "timeout": -5.0, "slow_frame": -5.0, "chunks": -2.0},
	"course": {"waypoint": 1.0, "vignette": -0.5, "collision": -1.0, "timeout": -5.0},
}
## How often in an episode a cost is paid at most, so that no cost is larger than what arriving earns.
const MOST := {"ray_ahead": 3, "turning": 20, "slow_frame": 1, "chunks": 1, "vignette": 4, "collision": 3}
const PROGRESS := {"controller": 0.5, "course": 0.1}  ## per metre nearer

## Which of the two tasks. What it observes differs, so it is a property of a scene.
@export_enum("controller", "course") var scenario := "controller"
## "bounded" pays differences of distance, so that waiting pays nothing; "as_written" pays every tick what the guide
## says, survival and nearness among it.
@export_enum("bounded", "as_written") var shaping := "bounded"
## Watch the autoload VoxelPerformanceMonitor: three more numbers, and costs for slow frames and too many chunks.
@export var performance := false
## The scripted walker decides instead of whoever else does.
@export var autopilot := false

var ticks := 0
var _distance := 0.0  # to the waypoint, when progress was last paid
var _paid := {}  # how often, by term
var _near_wall := false

@onready var player: VrPlayer = get_parent()
@onready var room := get_parent().get_parent()


func _init() -> void:
	reward_terms = [
		"waypoint", "progress", "ray_ahead", "turning", "timeout", "vignette", "collision", "survival", "nearness",
		"slow_frame", "chunks",
	]
	reports = {
		"success": "flag", "waypoints": "higher", "time_s": "lower", "collisions": "lower", "walked": "none",
		"teleports": "none", "refused_teleports": "none",
	}.merged(VrComfort.REPORTS)
	settings = ["shaping", "autopilot", "turning"]


func _ready() -> void:
	if scenario == "course":
		actions = {"stick_x": "axis", "stick_y": "axis", "turn": "axis", "trigger": "button"}
	else:
		actions = {
			"move_x": {"kind": "axis", "text": "-1 left, 1 right"}, "move_z": {"kind": "axis", "text": "-1 back, 1 forward"},
			"rotate": {"kind": "axis", "text": "-1 left, 1 right; snaps beyond a half"},
			"teleport": {"kind": "axis", "low": 0.0, "high": 1.0, "text": "beyond a half"},
		}
	player.collided.connect(_pay.bind(&"collision"))


func begin_episode(_random: SandlotRandom) -> void:
	ticks = 0
	_paid.clear()
	_near_wall = false
	_distance = _to_waypoint().length()


func observe_fields() -> Dictionary:
	player.pose()
	return _observe_course() if scenario == "course" else _observe_controller()


func act(chosen_action: Dictionary) -> void:
	var decided_now := scripted() if autopilot else chosen_action
	if scenario == "course":
		player.command(Vector2(decided_now.stick_x, decided_now.stick_y), decided_now.turn, float(decided_now.trigger))
	else:
		player.command(Vector2(decided_now.move_x, decided_now.move_z), decided_now.rotate, decided_now.teleport)
	if shaping == "bounded":
		_look_ahead()
		if absf(_turn_of(decided_now)) > HASTY:
			_pay(&"turning")


## Arrow keys walk, A and D turn, the space bar teleports; autopilot plays by itself.
func human() -> Dictionary:
	if autopilot:
		return scripted()
	var stick := Vector2(Input.get_axis(&"ui_left", &"ui_right"), Input.get_axis(&"ui_down", &"ui_up"))
	var turn := float(Input.is_physical_key_pressed(KEY_D)) - float(Input.is_physical_key_pressed(KEY_A))
	if player.headset:
		stick = player.hands[0].get_vector2(&"primary")
		turn = player.hands[1].get_vector2(&"primary").x
	var jump := Input.is_physical_key_pressed(KEY_SPACE) or (player.headset and player.hands[1].is_button_pressed(&"trigger_click"))
	return named(stick, turn, jump)


## The scripted walker: turns toward the waypoint by snaps, walks at three quarters of the stick, sidesteps what the
## rays meet. It knows what a policy observes, no more.
func scripted() -> Dictionary:
	var way := player.global_basis.inverse() * _to_waypoint()
	var off := atan2(way.x, -way.z)  # to the right is positive
	var turn := signf(off) * 0.6 if absf(off) > deg_to_rad(20.0) else 0.0
	var stick := Vector2(way.x, -way.z).normalized() * minf(0.75, way.length() / 2.0)
	var hits := _rays()
	if hits[0] < RAYS[0].length() and hits[0] < way.length():
		var side := 1.0 if hits[1] < hits[2] else -1.0  # to the freer diagonal
		stick = Vector2(side * 0.7, 0.05)
		turn = 0.0
	elif hits[1] < 1.3 or hits[2] < 1.3:
		stick.x = clampf(stick.x + (0.5 if hits[1] < hits[2] else -0.5), -0.75, 0.75)
		turn = 0.0
	return named(_gently(stick, turn), turn, false)


## A stick that asks for no acceleration at which a vignette comes; a snap turns what it asks for along with the body.
func _gently(stick: Vector2, turn: float) -> Vector2:
	var velocity := player.global_basis.inverse() * player.velocity / player.max_speed
	var now := Vector2(velocity.x, -velocity.z)
	return now + (stick - now).limit_length(GENTLE if turn == 0.0 else GENTLE - 0.39)


func _physics_process(_delta: float) -> void:
	if ended:
		return
	ticks += 1
	var distance := player.position.distance_to(room.marker.position)
	if player.comfort.vignette_began:
		_pay(&"vignette")
	if performance:
		_watch_performance()
	if shaping == "as_written":
		_pay_as_written(distance)
	if distance <= REACHED:
		_arrive()
	elif ticks >= LIMIT_TICKS:
		_pay_progress()
		_pay(&"timeout")
		_close(false)


## What came nearer is paid when a decision is over and when an episode ends, so it adds up however ticks are counted.
func settle_rewards() -> void:
	_pay_progress()
	super()


func _pay_progress() -> void:
	if shaping == "bounded":
		var distance := _to_waypoint().length()
		reward(&"progress", PROGRESS[scenario] * (_distance - distance))
		_distance = distance


func _arrive() -> void:
	_pay_progress()
	_pay(&"waypoint")
	if room.next_waypoint():
		_distance = _to_waypoint().length()
	else:
		_close(true)


func _close(arrived: bool) -> void:
	var felt := player.comfort.measures()
	for name: String in felt:
		report(name, felt[name])
	report("success", arrived and player.collisions == 0 and felt.vignette_count == 0)
	report("waypoints", room.current)
	report("time_s", ticks / float(VrSession.TICK_RATE))
	report("collisions", player.collisions)
	report("walked", player.walked)
	report("teleports", player.teleports)
	report("refused_teleports", player.refused_teleports)
	end_episode(arrived)


## Pay a term of this scenario, as often as it is paid in an episode.
func _pay(term: StringName) -> void:
	var amount: float = AMOUNTS[scenario].get(term, 0.0)
	var count: int = _paid.get(term, 0)
	if amount == 0.0 or ended or (shaping == "bounded" and count >= MOST.get(term, count + 1)):
		return
	_paid[term] = count + 1
	reward(term, amount)


func _pay_as_written(distance: float) -> void:
	reward(&"survival", 0.1 if scenario == "course" else 0.01)
	if scenario == "controller":
		reward(&"nearness", 0.1 / maxf(distance, 1.0))
		if room.ray(player.global_basis * RAYS[0], NEAR_RAY) < NEAR_RAY:
			_pay(&"ray_ahead")
		if absf(_turn_of(chosen)) > HASTY:
			_pay(&"turning")


## Coming near to something ahead costs once, until there is room again.
func _look_ahead() -> void:
	var near: bool = room.ray(player.global_basis * RAYS[0], NEAR_RAY + 0.4) < NEAR_RAY + 0.4
	if near and not _near_wall:
		_pay(&"ray_ahead")
	_near_wall = near


func _watch_performance() -> void:
	var measured := _statistics()
	if measured.get("physics_frame_time_ms", 0.0) > FRAME_MS:
		_pay(&"slow_frame")
	if measured.get("active_chunk_count", 0) > MOST_CHUNKS:
		_pay(&"chunks")


func _statistics() -> Dictionary:
	var monitor := get_node_or_null("/root/VoxelPerformanceMonitor")
	return monitor.call("get_statistics") if monitor else {}


func _to_waypoint() -> Vector3:
	var way: Vector3 = room.waypoint() - player.global_position
	way.y = 0.0
	return way


func _rays() -> PackedFloat32Array:
	var made := PackedFloat32Array()
	for way in RAYS:
		made.append(room.ray(player.global_basis * way, way.length()))
	return made


func _turn_of(named: Dictionary) -> float:
	return named.get("turn" if scenario == "course" else "rotate", 0.0)


## The action of these sticks, in the names of the scenario.
func named(stick: Vector2, turn: float, jump: bool) -> Dictionary:
	if scenario == "course":
		return {"stick_x": stick.x, "stick_y": stick.y, "turn": turn, "trigger": jump}
	return {"move_x": stick.x, "move_z": stick.y, "rotate": turn, "teleport": float(jump)}


func _observe_controller() -> Dictionary:
	var way := _to_waypoint()
	var direction := way.normalized()
	var hits := _rays()
	var look := player.camera.global_rotation
	var made := {
		"waypoint_direction": Vector2(direction.x, direction.z),
		"waypoint_distance": clampf(way.length() / 20.0, 0.0, 1.0),
		"body_yaw": Vector2(sin(player.heading()), cos(player.heading())),
		"velocity": (Vector2(player.velocity.x, player.velocity.z) / 5.0).clampf(-1.0, 1.0),
		"obstacles": [hits[0] < RAYS[0].length(), hits[1] < RAYS[1].length(), hits[2] < RAYS[2].length()],
		"camera_pitch": look.x / PI,
		"camera_yaw": look.y / PI,
	}
	if performance:
		var measured := _statistics()
		made.performance = [
			measured.get("physics_frame_time_ms", 0.0) / FRAME_MS, measured.get("render_frame_time_ms", 0.0) / FRAME_MS,
			measured.get("active_chunk_count", 0) / float(MOST_CHUNKS),
		]
	return made


func _observe_course() -> Dictionary:
	var camera := player.camera.transform  # against the XR origin
	var way := player.global_basis.inverse() * _to_waypoint()
	var direction := way.normalized()
	var hits := _rays()
	var nearest := 1.0
	for i in hits.size():
		nearest = minf(nearest, hits[i] / RAYS[i].length())
	var velocity := player.global_basis.inverse() * player.velocity
	return {
		"camera_position": camera.origin,
		"camera_rotation": camera.basis.get_rotation_quaternion(),
		"left_controller": player.hands[0].position,
		"right_controller": player.hands[1].position,
		"velocity": Vector2(velocity.x, velocity.z) / 5.0,
		"nearest_obstacle": nearest,
		"rays": [hits[0] / RAYS[0].length(), hits[1] / RAYS[1].length(), hits[2] / RAYS[2].length()],
		"vignette": player.comfort.vignette / VrComfort.VIGNETTE_MOST,
		"waypoint_direction": Vector2(direction.x, direction.z),
		"waypoint_distance": clampf(way.length() / 20.0, 0.0, 1.0),
	}
