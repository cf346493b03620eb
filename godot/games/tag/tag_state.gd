class_name TagState
extends RefCounted
## Everything that all arenas are doing, as packed arrays: rows = worlds × agents, world after world.
##
## Plain data. Places are metres within an arena, Y up, X east, Z south; a body's place is the middle of its
## bottom face. Arrays are made once and shared by reference: nobody may assign them anew.

var worlds := 0
var agents := 0

var x := PackedFloat32Array()
var y := PackedFloat32Array()
var z := PackedFloat32Array()
var vx := PackedFloat32Array()
var vy := PackedFloat32Array()
var vz := PackedFloat32Array()
var fx := PackedFloat32Array()  ## facing, a unit vector
var fz := PackedFloat32Array()
var distance := PackedFloat32Array()  ## to the nearest opponent; 0 when there is none
var progress := PackedFloat32Array()  ## metres closed in the last step
var coyote := PackedInt32Array()  ## ticks in which a jump still works
var immunity := PackedInt32Array()  ## ticks left
var tags_made := PackedInt32Array()  ## in the last step
var times_tagged := PackedInt32Array()
var seeker := PackedByteArray()
var in_play := PackedByteArray()
var on_floor := PackedByteArray()
var seen := PackedByteArray()  ## bit j: agent j was in view when the agent last looked
var sums := PackedFloat32Array()  ## [rows · TERMS] what each term paid so far
var recall := PackedFloat32Array()  ## [rows · 5] x, z, vx, vz, fresh: where an agent believes a body to be

var tick := PackedInt32Array()  ## from here on one entry per world
var steps := PackedInt32Array()
var step_ticks := PackedInt32Array()  ## ticks of the last step
var winner := PackedInt32Array()
var reason := PackedInt32Array()
var box_count := PackedInt32Array()
var first_seen_tick := PackedInt32Array()
var jumps := PackedInt32Array()
var tags := PackedInt32Array()
var distance_sum := PackedFloat32Array()  ## [worlds · 2] by role
var distance_count := PackedInt32Array()
var boxes := PackedFloat32Array()  ## [worlds · BOXES · 6] min x y z, max x y z
var events: Array[Array] = []  ## of the last step: [kind, value, …] each


func _init(world_count: int, agent_count: int) -> void:
	worlds = world_count
	agents = agent_count
	var rows := worlds * agents
	for floats: PackedFloat32Array in [x, y, z, vx, vy, vz, fx, fz, distance, progress]:
		floats.resize(rows)
	for integers: PackedInt32Array in [coyote, immunity, tags_made, times_tagged]:
		integers.resize(rows)
	for bytes: PackedByteArray in [seeker, in_play, on_floor, seen]:
		bytes.resize(rows)
	sums.resize(rows * TagRules.TERMS)
	recall.resize(rows * 5)
	var one_each := [tick, steps, step_ticks, winner, reason, box_count, first_seen_tick, jumps, tags]
	for integers: PackedInt32Array in one_each:
		integers.resize(worlds)
	distance_sum.resize(worlds * 2)
	distance_count.resize(worlds * 2)
	boxes.resize(worlds * TagRules.BOXES * 6)
	events.resize(worlds)
	for world in worlds:
		events[world] = []


## Forget a world's last match.
func clear(world: int) -> void:
	for agent in agents:
		_clear_row(world * agents + agent)
	for term in agents * TagRules.TERMS:
		sums[world * agents * TagRules.TERMS + term] = 0.0
	for entry in TagRules.BOXES * 6:
		boxes[world * TagRules.BOXES * 6 + entry] = 0.0
	for role in 2:
		distance_sum[world * 2 + role] = 0.0
		distance_count[world * 2 + role] = 0
	tick[world] = 0
	steps[world] = 0
	step_ticks[world] = 0
	winner[world] = TagRules.Winner.NOBODY
	reason[world] = TagRules.Reason.NONE
	box_count[world] = 0
	first_seen_tick[world] = -1
	jumps[world] = 0
	tags[world] = 0
	events[world] = []


func place(row: int) -> Vector3:
	return Vector3(x[row], y[row], z[row])


func _clear_row(row: int) -> void:
	y[row] = 0.0
	vx[row] = 0.0
	vy[row] = 0.0
	vz[row] = 0.0
	progress[row] = 0.0
	immunity[row] = 0
	tags_made[row] = 0
	times_tagged[row] = 0
	in_play[row] = 1
	on_floor[row] = 1
	seen[row] = 0
	for entry in 5:
		recall[row * 5 + entry] = 0.0
