extends Node3D
## A hall with crates and a waypoint: what an episode of VR locomotion looks like, and what the scene tells from outside.
##
## The rules of the task are in locomotion_agent.gd.

const NavigationWords := preload("navigation_words.gd")
const FIELD := 10.0  ## metres, waypoints lie within
const FIRST := Vector3(5, 0, 5)  ## where the marker stands before the first episode
const CLEAR := 2.0  ## metres that crates keep from start and waypoints
const APART := 2.6  ## metres between the middles of two crates
const PARKED := -30.0  ## height of crates that are not used
const RAYS := 16
const RAY := 5.0  ## metres

## Crates in the hall; each episode puts them somewhere else.
@export_range(0, 10) var crates := 4
## Waypoints that are visited one after the other.
@export_range(1, 10) var waypoints := 1

var settings := PackedStringArray(["crates", "waypoints"])
var places := PackedVector3Array()  ## the waypoints of this episode
var current := 0  ## index of the present one

var _query := PhysicsRayQueryParameters3D.new()
var _last_hands: Array[Vector3] = [Vector3.ZERO, Vector3.ZERO]
var _hand_speeds: Array[Vector3] = [Vector3.ZERO, Vector3.ZERO]

@onready var player: VrPlayer = $VrPlayer
@onready var marker: Node3D = $Waypoint
@onready var stack: Array[Node] = $Crates.get_children()


func _enter_tree() -> void:
	VrSession.begin(self)


func _ready() -> void:
	_query.collision_mask = 1
	_query.exclude = [player.get_rid()]
	player.mock.publish = not VrSession.is_training() and get_tree().get_nodes_in_group(&"player").size() == 1
	set_physics_process(not VrSession.is_training())  # speeds of hands that only an observer from outside asks for
	places = [FIRST]
	marker.position = FIRST


## Draws everything that is random. The player stands at the origin, at rest, with no turn.
func begin_episode(random: SandlotRandom) -> void:
	places.clear()
	for i in waypoints:
		places.append(Vector3(random.uniform_in(-FIELD, FIELD), 0.0, random.uniform_in(-FIELD, FIELD)))
		while i == 0 and places[0].length() < CLEAR:  # nobody starts on it
			places[0] = Vector3(random.uniform_in(-FIELD, FIELD), 0.0, random.uniform_in(-FIELD, FIELD))
	current = 0
	_place_crates(random)
	_show_waypoint()
	player.begin(Transform3D.IDENTITY)
	for i in 2:
		_last_hands[i] = player.hands[i].global_position
		_hand_speeds[i] = Vector3.ZERO


## The present waypoint.
func waypoint() -> Vector3:
	return places[mini(current, places.size() - 1)]


## Go on to the next waypoint; false when this was the last one.
func next_waypoint() -> bool:
	current += 1
	_show_waypoint()
	return current < places.size()


## Metres along the floor from the body's middle, at half its height, to what stands there; `reach` where nothing does.
func ray(way: Vector3, reach: float) -> float:
	_query.from = player.global_position + Vector3.UP
	_query.to = _query.from + way.normalized() * reach
	var hit := get_world_3d().direct_space_state.intersect_ray(_query)
	return _query.from.distance_to(hit.position) if hit else reach


## What GET /rl/observation answers: the pose of head and hands, rays in world axes, the way to the waypoint.
func get_rl_observation() -> Dictionary:
	var to_goal := waypoint() - player.global_position
	to_goal.y = 0.0
	var rays := PackedFloat32Array()
	for i in RAYS:
		rays.append(ray(Vector3.RIGHT.rotated(Vector3.DOWN, TAU * i / RAYS), RAY))
	return {
		"camera_position": player.camera.global_position,
		"camera_rotation": player.camera.global_basis.get_rotation_quaternion(),
		"camera_velocity": player.velocity,
		"camera_angular_velocity": Vector3(0.0, player.yaw_rate, 0.0),
		"ray_sensors": rays,
		"left_controller_position": player.hands[0].global_position,
		"right_controller_position": player.hands[1].global_position,
		"left_controller_velocity": _hand_speeds[0],
		"right_controller_velocity": _hand_speeds[1],
		"goal_position": to_goal,
		"goal_distance": to_goal.length(),
		"goal_direction": to_goal.normalized(),
		"collision": player.contact,
		"fell": player.camera.global_position.y < -10.0,
	}


## POST /rl/action also takes the words of VR navigation.
func read_rl_action(action: Dictionary) -> Dictionary:
	return NavigationWords.read(action, player, $VrPlayer/Agent.named)


func get_rl_info() -> Dictionary:
	return NavigationWords.info(player, current >= places.size())


func get_api_state() -> Dictionary:
	return {"waypoints": places, "current": current, "headset": player.headset, "comfort": player.comfort.measures()}


func _physics_process(delta: float) -> void:
	for i in 2:
		_hand_speeds[i] = (player.hands[i].global_position - _last_hands[i]) / delta
		_last_hands[i] = player.hands[i].global_position


func _show_waypoint() -> void:
	marker.position = waypoint()


func _place_crates(random: SandlotRandom) -> void:
	var kept := PackedVector3Array([Vector3.ZERO])
	kept.append_array(places)
	for i in stack.size():
		var crate := stack[i] as Node3D
		crate.position = Vector3(0.0, PARKED, 0.0)
		for attempt in 20 if i < crates else 0:
			var place := Vector3(random.uniform_in(-FIELD, FIELD), 0.0, random.uniform_in(-FIELD, FIELD))
			if _is_free(place, kept, i):
				crate.position = place
				break


func _is_free(place: Vector3, kept: PackedVector3Array, count: int) -> bool:
	for other in kept:
		if place.distance_to(other) < CLEAR:
			return false
	for i in count:
		if place.distance_to((stack[i] as Node3D).position) < APART:
			return false
	return true
