class_name TagBodies
extends Node3D
## The arenas as the physics engine knows them: floors, walls, boxes and one CharacterBody3D an agent.
##
## Motion is swept with the engine's own body test, sight is its own ray query. Bodies are moved through the
## physics server, so that whoever moves or looks next in the same tick meets them where they are now; a node's
## transform would reach the server only at the end of the tick, and one agent would chase another's past.

const WALL_THICKNESS := 0.4  ## metres
const WALL_TOP := 64.0  ## metres; nothing gets over a wall, however high it jumps
const FLOOR_DEPTH := 10.0  ## metres; thick, so that nothing falls through
const LANE := 16.0  ## metres; arenas stand on multiples of this, which 32-bit floats hold exactly
const AHEAD := 0.003  ## metres that a sweep looks beyond its goal: the engine does not report the slightest touch
const BURIED := Vector3(0.0, -FLOOR_DEPTH * 0.5, 0.0)  ## where what is not in use waits: inside the floor

var agents: Array[CharacterBody3D] = []  ## [rows]
var offsets := PackedVector3Array()  ## where each arena's middle is

var _rules: TagRules
var _state: TagState
var _agents := 0
var _half := 0.0
var _x: PackedFloat32Array  # the state's own, shared
var _y: PackedFloat32Array
var _z: PackedFloat32Array
var _rids: Array[RID] = []
var _row_of := {}  # RID of a body -> its row
var _box_rids: Array[RID] = []  # [worlds · BOXES]
var _box_shapes: Array[BoxShape3D] = []
var _ray := RayCast3D.new()
var _try := PhysicsTestMotionParameters3D.new()
var _met := PhysicsTestMotionResult3D.new()


## Build every arena. Call it when this node is in the tree.
func build(rules: TagRules, state: TagState) -> void:
	_rules = rules
	_state = state
	_agents = state.agents
	_half = rules.half
	_x = state.x
	_y = state.y
	_z = state.z
	_try.margin = 0.0
	for world in state.worlds:
		offsets.append(_offset(world))
		_build_arena(world)
	for row in state.worlds * state.agents:
		_build_agent(row)
	_build_eye()


## Put a world's bodies and boxes where its state says: at the start of a match.
func arrange(world: int) -> void:
	for number in TagRules.BOXES:
		_arrange_box(world, number)
	for agent in _state.agents:
		var row := world * _state.agents + agent
		show_in_play(row)
		move(row)


## Let the physics engine know where a body is now.
func move(row: int) -> void:
	@warning_ignore("integer_division")
	var at := offsets[row / _agents] + Vector3(_x[row], _y[row], _z[row])
	PhysicsServer3D.body_set_state(
		_rids[row], PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, at)
	)


## A body that is out is neither met nor seen.
func show_in_play(row: int) -> void:
	PhysicsServer3D.body_set_collision_layer(_rids[row], _state.in_play[row])


## How far a body at `at` gets along X (axis 0) or Z (axis 2): its new coordinate, and NAN in the
## second place unless it was stopped.
func slide(row: int, world: int, at: Vector3, axis: int, delta: float) -> Vector2:
	var offset := offsets[world]
	var way := signf(delta)
	var motion := Vector3.ZERO
	motion[axis] = delta + way * AHEAD
	_try.from = Transform3D(Basis.IDENTITY, offset + at)
	_try.motion = motion
	var goal := at[axis] + delta
	if not PhysicsServer3D.body_test_motion(_rids[row], _try, _met):
		return Vector2(goal, NAN)
	var face := _met.get_collision_point()[axis] - offset[axis]
	var end := face - way * (_half + TagRules.SKIN)
	if (end - at[axis]) * way < 0.0:
		end = at[axis]
	if (goal - end) * way <= 0.0:
		return Vector2(goal, NAN)
	return Vector2(end, 0.0)


## The height of what a falling body at `at` meets within `drop` metres; -INF when that is nothing.
func ground(row: int, world: int, at: Vector3, drop: float) -> float:
	_try.from = Transform3D(Basis.IDENTITY, offsets[world] + at)
	_try.motion = Vector3(0.0, -drop - AHEAD, 0.0)
	var met := PhysicsServer3D.body_test_motion(_rids[row], _try, _met)
	if not met or _met.get_collision_normal().y < 0.5:
		return -INF
	var other: int = _row_of.get(_met.get_collider_rid(), -1)
	return _met.get_collision_point().y if other < 0 else SandlotFloat32.of(_state.y[other] + _rules.edge)


## The height of the feet that a rising body at `at` meets within `rise` metres; INF when there are none.
func ceiling(row: int, world: int, at: Vector3, rise: float) -> float:
	_try.from = Transform3D(Basis.IDENTITY, offsets[world] + at)
	_try.motion = Vector3(0.0, rise + AHEAD, 0.0)
	var met := PhysicsServer3D.body_test_motion(_rids[row], _try, _met)
	var other: int = _row_of.get(_met.get_collider_rid(), -1) if met else -1
	return INF if other < 0 or _met.get_collision_normal().y > -0.5 else _state.y[other]


## What the rays of one agent meet: distances in metres, and whom (a row, -1 a wall or box, -2 nothing).
func cast(row: int, distances: PackedFloat32Array, whom: PackedInt32Array) -> void:
	@warning_ignore("integer_division")
	var eye := offsets[row / _agents] + Vector3(_x[row], _y[row] + _half, _z[row])
	var fx := _state.fx[row]
	var fz := _state.fz[row]
	var reach := _rules.vision_range
	var ray_cos := _rules.ray_cos
	var ray_sin := _rules.ray_sin
	_ray.position = eye
	for i in TagRules.RAYS:
		var c := ray_cos[i]
		var s := ray_sin[i]
		_ray.target_position = Vector3((fx * c + fz * s) * reach, 0.0, (fz * c - fx * s) * reach)
		_ray.force_raycast_update()
		if _ray.is_colliding():
			distances[i] = eye.distance_to(_ray.get_collision_point())
			whom[i] = _row_of.get(_ray.get_collider_rid(), -1)
		else:
			distances[i] = reach
			whom[i] = -2


## Arenas stand in a square around the origin, so that no coordinate gets larger than it must.
func _offset(world: int) -> Vector3:
	var side := ceili(sqrt(_state.worlds))
	var lane := LANE * ceilf((2.0 * _rules.arena_half + 4.0) / LANE)
	@warning_ignore("integer_division")
	var middle := (side - 1) / 2
	@warning_ignore("integer_division")
	return Vector3(world % side - middle, 0.0, world / side - middle) * lane


func _build_arena(world: int) -> void:
	var arena := Node3D.new()
	arena.name = "Arena%d" % world
	arena.position = offsets[world]
	add_child(arena)
	var half := _rules.arena_half
	var wide := 2.0 * (half + WALL_THICKNESS)
	_add_box(arena, "Floor", Vector3(wide, FLOOR_DEPTH, wide), Vector3(0.0, -FLOOR_DEPTH * 0.5, 0.0))
	var out := half + WALL_THICKNESS * 0.5
	var along_x := Vector3(wide, WALL_TOP, WALL_THICKNESS)
	var along_z := Vector3(WALL_THICKNESS, WALL_TOP, wide)
	_add_box(arena, "WallNorth", along_x, Vector3(0.0, WALL_TOP * 0.5, -out))
	_add_box(arena, "WallSouth", along_x, Vector3(0.0, WALL_TOP * 0.5, out))
	_add_box(arena, "WallEast", along_z, Vector3(out, WALL_TOP * 0.5, 0.0))
	_add_box(arena, "WallWest", along_z, Vector3(-out, WALL_TOP * 0.5, 0.0))
	for number in TagRules.BOXES:
		var box := _add_box(arena, "Box%d" % number, Vector3.ONE, BURIED)
		_box_rids.append(box.get_rid())
		_box_shapes.append((box.get_child(0) as CollisionShape3D).shape)


func _add_box(arena: Node3D, title: String, size: Vector3, middle: Vector3) -> StaticBody3D:
	var body := StaticBody3D.new()
	body.name = title
	body.position = middle
	body.add_child(_shape(size))
	arena.add_child(body)
	return body


func _build_agent(row: int) -> void:
	var body := CharacterBody3D.new()
	@warning_ignore("integer_division")
	body.name = "World%dAgent%d" % [row / _state.agents, row % _state.agents + 1]
	# half a millimetre short above and below: feet do not rub on the floor, nor a head on who stands on it
	var shape := _shape(Vector3(_rules.edge, _rules.edge - TagRules.SKIN, _rules.edge))
	shape.position.y = _rules.half
	body.add_child(shape)
	@warning_ignore("integer_division")
	body.position = offsets[row / _state.agents] + BURIED  # out of everybody's sight until its first match
	add_child(body)
	# A kinematic body is where it was put only after the engine's step; a static one is there at once.
	PhysicsServer3D.body_set_mode(body.get_rid(), PhysicsServer3D.BODY_MODE_STATIC)
	agents.append(body)
	_rids.append(body.get_rid())
	_row_of[body.get_rid()] = row


## One ray for everybody, asked node by node: a query through the space answers with a dictionary and takes twice
## as long. A ray begins inside its own agent's body, and does not meet it, since back faces do not count.
func _build_eye() -> void:
	_ray.name = "Eye"
	_ray.enabled = false  # only when asked
	_ray.hit_from_inside = false
	_ray.hit_back_faces = false
	add_child(_ray)


func _shape(size: Vector3) -> CollisionShape3D:
	var box := BoxShape3D.new()
	box.size = size
	box.margin = 0.0  # true corners, not rounded ones
	var shape := CollisionShape3D.new()
	shape.shape = box
	return shape


func _arrange_box(world: int, number: int) -> void:
	var index := world * TagRules.BOXES + number
	var middle := BURIED
	if number < _state.box_count[world]:
		var low := Vector3(_state.boxes[index * 6], 0.0, _state.boxes[index * 6 + 2])
		var high := Vector3(_state.boxes[index * 6 + 3], _state.boxes[index * 6 + 4], _state.boxes[index * 6 + 5])
		_box_shapes[index].size = high - low
		middle = (low + high) * 0.5
	PhysicsServer3D.body_set_state(
		_box_rids[index],
		PhysicsServer3D.BODY_STATE_TRANSFORM,
		Transform3D(Basis.IDENTITY, offsets[world] + middle)
	)
