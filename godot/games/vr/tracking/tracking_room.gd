extends Node3D
## A hall in which somebody walks about while the mock headset's tracking is spoiled, by a plan drawn from the seed.
##
## What the watch finds is held against the plan. Rules: docs/tasks/tracking.md.

const LENGTH_TICKS := 1800  ## 20 s
const FIRST_TICK := 180  ## nothing is spoiled before; the person starts to walk
const BETWEEN := 360  ## ticks from one fault to the next
const JUMP := Vector2(0.12, 0.5)  ## metres
const BACK_TICKS := 90  ## after a jump, until the tracking jumps back
const DRIFT := Vector2(0.08, 0.15)  ## m/s
const DRIFT_TICKS := 270  ## so long it drifts, until the wearer puts the play space right
const LOST := Vector2i(18, 90)  ## ticks that a hand is not seen
const KINDS: PackedStringArray = ["jump", "drift", "lost_hand"]

## Which faults the plan draws from. "none": a sound headset, in which nothing may be found.
@export_enum("all", "none", "jump", "drift", "lost_hand") var faults := "all"

var settings := PackedStringArray(["faults"])
var plan: Array[Dictionary] = []  ## {tick, kind, ...} of this episode
var watch := TrackingWatch.new()
var ticks := 0

var _drifts := Vector3.ZERO  # m/s now
var _offset := Vector3.ZERO

@onready var player: VrPlayer = $VrPlayer


func _enter_tree() -> void:
	VrSession.begin(self)


func _ready() -> void:
	player.lazy = false
	set_physics_process(false)  # until an episode begins
	player.mock.publish = not VrSession.is_training() and get_tree().get_nodes_in_group(&"player").size() == 1


func begin_episode(random: SandlotRandom) -> void:
	set_physics_process(true)
	ticks = 0
	_drifts = Vector3.ZERO
	_offset = Vector3.ZERO
	player.begin(Transform3D.IDENTITY)
	_draw_plan(random)
	watch.begin(player.camera.position, _hands(), VrSession.TICK_RATE)


func _draw_plan(random: SandlotRandom) -> void:
	plan.clear()
	if faults == "none":
		return
	var tick := FIRST_TICK
	while tick < LENGTH_TICKS - BETWEEN:
		var kind: String = KINDS[random.integer_in(0, 2)] if faults == "all" else faults
		var way := Vector3.FORWARD.rotated(Vector3.UP, random.uniform_in(0.0, TAU))
		var low := JUMP if kind == "jump" else DRIFT
		plan.append({
			"tick": tick, "kind": kind, "way": way * random.uniform_in(low.x, low.y), "hand": random.integer_in(0, 1),
			"ticks": random.integer_in(LOST.x, LOST.y) if kind == "lost_hand" else DRIFT_TICKS,
		})
		tick += BETWEEN


func planned(kind: String) -> int:
	return plan.filter(func(one: Dictionary) -> bool: return one.kind == kind).size()


func _physics_process(delta: float) -> void:  # after the player's own
	if $VrPlayer/Agent.ended:
		return
	ticks += 1
	for one in plan:
		_spoil(one)
	_offset += _drifts * delta
	player.mock.drift = _offset
	if not player.headset:
		player.pose()
	var tracked: Array[bool] = [player.mock.is_tracked(player.hands[0], 0), player.mock.is_tracked(player.hands[1], 1)]
	watch.tick(player.camera.position, _hands(), tracked)


func _spoil(one: Dictionary) -> void:
	var since: int = ticks - one.tick
	match one.kind:
		"jump" when since == 0:
			_offset = one.way
		"jump" when since == BACK_TICKS:
			_offset = Vector3.ZERO  # and back: two jumps
		"drift" when since == 0:
			_drifts = one.way
		"drift" when since == int(one.ticks):
			_recentre()
		"lost_hand" when since == 0:
			player.mock.lost[one.hand] = true
		"lost_hand" when since == int(one.ticks):
			player.mock.lost[one.hand] = false


## The wearer holds the button that puts the play space right.
func _recentre() -> void:
	_drifts = Vector3.ZERO
	_offset = Vector3.ZERO
	player.mock.drift = _offset
	player.pose()
	watch.recentre(player.camera.position, _hands())


func _hands() -> Array[Vector3]:
	return [player.hands[0].position, player.hands[1].position]


## What GET /rl/observation answers.
func get_rl_observation() -> Dictionary:
	return {
		"camera_position": player.camera.position, "camera_rotation": player.camera.basis.get_rotation_quaternion(),
		"left_controller_position": player.hands[0].position, "right_controller_position": player.hands[1].position,
		"left_tracked": player.mock.is_tracked(player.hands[0], 0), "right_tracked": player.mock.is_tracked(player.hands[1], 1),
		"tracking": watch.measures(),
	}


func get_api_state() -> Dictionary:
	return {"faults": faults, "planned": plan.size(), "ticks": ticks, "tracking": watch.measures()}
