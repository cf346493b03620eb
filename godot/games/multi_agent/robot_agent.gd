extends SandlotAgent
## One of the robots: 12 numbers in, 2 out, one policy for all of them. Rules: docs/tasks/multi_agent.md.

const SEEN := 3  ## nearest others
const WALL := 12.0  ## metres from the middle to a wall

## Who decides: whoever trains or plays, or for comparison a script, chance, nobody.
@export_enum("none", "scripted", "random", "still") var baseline := "none"

var index := 0  ## among the robots of the room

var _was := 0.0  # what the shaping is a difference of
var _random: SandlotRandom

@onready var room: MultiAgentRoom = owner.get_parent().get_parent()


func _init() -> void:
	role = &"robot"
	actions = {"move_x": "axis", "move_z": "axis"}
	reward_terms = ["nearness", "gathered", "spacing", "collision", "most_space"]
	reports = {
		"success": "flag", "collisions": "none", "nearest_m": "none", "nearest_three_m": "none", "spread_m": "none",
		"time_s": "lower",
	}
	settings = ["baseline"]


func begin_episode(random: SandlotRandom) -> void:
	_random = SandlotRandom.new(random.draw())
	_was = _distance()


func is_playing() -> bool:
	return index < room.agents


## Own place and speed, then the ways to the nearest three; zeros where there are fewer.
func observe_fields() -> Dictionary:
	var seen := PackedFloat32Array()
	for way in room.ways_from(index, SEEN):
		seen.append_array([way.x / 20.0, way.z / 20.0, way.length() / 20.0])
	seen.resize(3 * SEEN)
	var place: Vector3 = owner.position if is_playing() else Vector3.ZERO
	return {
		"position": Vector2(place.x, place.z) / 10.0,
		"speed": room.velocities[index].length() / MultiAgentRoom.TOP_SPEED,
		"nearest": seen,
	}


func act(decision: Dictionary) -> void:
	var does := decision
	match baseline:
		"scripted":
			does = scripted()
		"random":
			does = {"move_x": _random.uniform_in(-1, 1), "move_z": _random.uniform_in(-1, 1)}
		"still":
			does = {"move_x": 0.0, "move_z": 0.0}
	room.steering[index] = Vector3(does.move_x, 0.0, does.move_z)


## Arrow keys steer the first robot; the others play by their script.
func human() -> Dictionary:
	if index > 0:
		return scripted()
	return {"move_x": Input.get_axis(&"ui_left", &"ui_right"), "move_z": Input.get_axis(&"ui_up", &"ui_down")}


## Friends meet in the middle of the hall. Opponents are pushed away by whom they see and by walls, the more the nearer.
func scripted() -> Dictionary:
	var place: Vector3 = owner.position
	var way := -place
	if room.rewards == "adversarial":
		way = Vector3.ZERO
		for other in room.ways_from(index, SEEN):
			way -= 12.0 * other / maxf(other.length() ** 3, 0.1)
		for side: Vector3 in [Vector3.RIGHT, Vector3.LEFT, Vector3.FORWARD, Vector3.BACK]:
			way -= side * 2.0 / maxf(WALL - place.dot(side), 0.3) ** 2
	way = way.limit_length()
	return {"move_x": way.x, "move_z": way.z}


## A decision is over, or the episode: coming nearer is paid as a difference, so that staying near pays nothing.
func settle_rewards() -> void:
	if not ended and is_playing():
		var now := _distance()
		if room.rewards == "cooperative":
			reward(&"nearness", MultiAgentRoom.PER_METRE * (_was - now))
		else:
			reward(&"spacing", MultiAgentRoom.PER_METRE * (now - _was))
		_was = now
	super()


func _distance() -> float:
	return room.nearness_of(index) if room.rewards == "cooperative" else room.room_of(index)
