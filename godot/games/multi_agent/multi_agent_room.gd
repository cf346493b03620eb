class_name MultiAgentRoom
extends Node3D
## Up to eight robots in a hall: together they gather, as opponents each wants room for itself. Rules: docs/tasks/multi_agent.md.
##
## The room moves everybody, counts who touches whom and pays; robot_agent.gd observes and decides.

const TOP_SPEED := 5.0  ## m/s
const RESPONSE := 0.3  ## s in which a robot takes over two thirds of a change
const RADIUS := 0.5  ## of a robot, metres
const FIELD := 9.0  ## metres; robots begin within
const APART := 2.0  ## metres between two robots at the start
const TOUCH := 2.0 * RADIUS + 0.06  ## metres between two middles that touch
const FREE := 2.0 * RADIUS + 0.3  ## and that no longer do
const GATHERED := 3.0  ## metres from the middle of all
const HOLD_TICKS := 45  ## so long they have to stay gathered
const GAP := 4.0  ## metres to the nearest other that opponents want at the end
const LIMIT_TICKS := 1350  ## 15 s
const PARKED := Vector3(0, -40, 0)  ## where robots wait that do not play
const AMOUNTS := {"gathered": 10.0, "most_space": 5.0, "collision": -1.0}
const PER_METRE := 0.1  ## of coming nearer, or of getting away
const MOST_COLLISIONS := 3  ## that a robot pays for

## How many play; the others wait outside, observe zeros and earn nothing.
@export_range(1, 8) var agents := 8
## "cooperative" pays for coming nearer to one another, "adversarial" for keeping away and costs collisions.
@export_enum("cooperative", "adversarial") var rewards := "cooperative"

var settings := PackedStringArray(["agents", "rewards"])
var steering := PackedVector3Array()  ## where each robot wants to go, as a share of its top speed
var velocities := PackedVector3Array()
var ticks := 0
var collisions := 0
var held := 0  ## ticks that all are gathered

var _distances: Array[PackedFloat32Array] = []  # of each robot to all others, the nearest first
var _touching := {}  # pairs, as i * 8 + j
var _paid_collisions := PackedInt32Array()
var _near_sum := 0.0  # of the distances to the nearest other, over ticks
var _three_sum := 0.0  # and of the mean distances to the three nearest

@onready var robots: Array[Node] = $Robots.get_children()
@onready var minds := robots.map(func(robot: Node) -> Node: return robot.get_node("Agent"))


func _enter_tree() -> void:
	VrSession.begin(self)


func _ready() -> void:
	steering.resize(robots.size())
	velocities.resize(robots.size())
	_paid_collisions.resize(robots.size())
	for i in robots.size():
		minds[i].index = i


func begin_episode(random: SandlotRandom) -> void:
	ticks = 0
	collisions = 0
	held = 0
	_near_sum = 0.0
	_three_sum = 0.0
	_touching.clear()
	steering.fill(Vector3.ZERO)
	velocities.fill(Vector3.ZERO)
	_paid_collisions.fill(0)
	for i in robots.size():
		robots[i].position = _free_place(random, i) if i < agents else PARKED + Vector3(3.0 * i, 0, 0)
		robots[i].visible = i < agents
	_measure()


func _free_place(random: SandlotRandom, count: int) -> Vector3:
	var place := Vector3.ZERO
	for attempt in 100:
		place = Vector3(random.uniform_in(-FIELD, FIELD), 0.0, random.uniform_in(-FIELD, FIELD))
		var is_free := true
		for other in count:
			is_free = is_free and place.distance_to(robots[other].position) >= APART
		if is_free:
			break
	return place


## The ways to the nearest robots that play, the nearest first.
func ways_from(index: int, most: int) -> PackedVector3Array:
	var sorted := PackedVector3Array()  # squared distance, then the way: sorting compares the first number first
	var from: Vector3 = robots[index].position
	for other in agents if index < agents else 0:
		if other != index:
			var way: Vector3 = robots[other].position - from
			sorted.append(Vector3(way.length_squared(), way.x, way.z))
	sorted.sort()
	var made := PackedVector3Array()
	for i in mini(most, sorted.size()):
		made.append(Vector3(sorted[i].y, 0.0, sorted[i].z))
	return made


## Metres to the nearest other at the last tick; 0 for somebody who is alone.
func room_of(index: int) -> float:
	return _distances[index][0] if _distances[index] else 0.0


## Mean distance of a robot to the three nearest others at the last tick.
func nearness_of(index: int) -> float:
	var count := mini(3, _distances[index].size())
	var sum := 0.0
	for i in count:
		sum += _distances[index][i] / count
	return sum


func middle() -> Vector3:
	var sum := Vector3.ZERO
	for i in agents:
		sum += robots[i].position / agents
	return sum


## Metres from the middle of all to whoever is farthest from it.
func spread() -> float:
	var centre := middle()
	var most := 0.0
	for i in agents:
		most = maxf(most, centre.distance_to(robots[i].position))
	return most


func _physics_process(delta: float) -> void:
	if minds[0].ended:
		return
	ticks += 1
	for i in agents:
		_move(i, delta)
	_measure()
	for i in agents:
		_near_sum += room_of(i) / agents
		_three_sum += nearness_of(i) / agents
	held = held + 1 if spread() <= GATHERED else 0
	_judge()


func _move(index: int, delta: float) -> void:
	var robot: CharacterBody3D = robots[index]
	var wanted := steering[index].limit_length() * TOP_SPEED
	var velocity := velocities[index] + (wanted - velocities[index]) * minf(delta / RESPONSE, 1.0)
	var before := robot.position
	var hit := robot.move_and_collide(velocity * delta)
	if hit:
		var normal := hit.get_normal()
		normal.y = 0.0
		normal = normal.normalized()
		velocity = velocity.slide(normal) if normal else Vector3.ZERO
		robot.move_and_collide(hit.get_remainder().slide(normal) if normal else Vector3.ZERO)
	robot.position.y = before.y
	velocities[index] = velocity


## Who is how far from whom, and who touches.
func _measure() -> void:
	_distances.clear()
	for i in robots.size():
		_distances.append(PackedFloat32Array())
	for i in agents:
		for j in range(i + 1, agents):
			var distance: float = robots[i].position.distance_to(robots[j].position)
			_distances[i].append(distance)
			_distances[j].append(distance)
			_touch(i, j, distance)
	for row in _distances:
		row.sort()


## Two that touch collide once, until there was room between them.
func _touch(i: int, j: int, distance: float) -> void:
	var pair := i * 8 + j
	if distance > FREE:
		_touching.erase(pair)
	elif distance <= TOUCH and not _touching.has(pair):
		_touching[pair] = true
		collisions += 1
		_bump(i)
		_bump(j)


func is_touching(index: int) -> bool:
	return _touching.keys().any(func(pair: int) -> bool: return pair / 8 == index or pair % 8 == index)


func _bump(index: int) -> void:
	if rewards == "adversarial" and _paid_collisions[index] < MOST_COLLISIONS:
		_paid_collisions[index] += 1
		minds[index].reward(&"collision", AMOUNTS.collision)


func _judge() -> void:
	var together := rewards == "cooperative"
	if together and held >= HOLD_TICKS:
		for i in agents:
			minds[i].reward(&"gathered", AMOUNTS.gathered)
		_close(true)
	elif ticks >= LIMIT_TICKS:
		if not together and agents > 1:
			minds[_roomiest()].reward(&"most_space", AMOUNTS.most_space)
		_close(false)


func _roomiest() -> int:
	var best := 0
	for i in agents:
		if room_of(i) > room_of(best):
			best = i
	return best


## Opponents succeed where nobody touched anybody and everybody has room at the end; friends where all have met.
func _close(met: bool) -> void:
	var least := INF
	for i in agents:
		least = minf(least, room_of(i))
	var has_room := collisions == 0 and agents > 1 and least >= GAP
	var speaker: SandlotAgent = minds[0]
	speaker.report("success", met if rewards == "cooperative" else has_room)
	speaker.report("collisions", collisions)
	speaker.report("nearest_m", _near_sum / ticks)
	speaker.report("nearest_three_m", _three_sum / ticks)
	speaker.report("spread_m", spread())
	speaker.report("time_s", ticks / float(VrSession.TICK_RATE))
	speaker.end_episode(met)


func get_rl_observation() -> Dictionary:
	return {"agents": minds.slice(0, agents).map(func(mind: SandlotAgent) -> PackedFloat32Array: return mind.observe())}


func get_api_state() -> Dictionary:
	return {"rewards": rewards, "agents": agents, "collisions": collisions, "spread_m": spread(), "ticks": ticks}
