class_name TagFrame
extends RefCounted
## A moment of a world by the names of the spec's render block: what TagShow draws and a tape holds.

const KINDS: Array[String] = ["none", "wall", "agent"]
const OF_AGENTS: Array[String] = [
	"position", "velocity", "facing", "seeker", "out", "immunity", "ray_distance", "ray_type",
]


## A moment without agents yet: a list for each field of theirs.
static func empty(time_left_s: float) -> Dictionary:
	var frame := {"time_left": time_left_s}
	for name in OF_AGENTS:
		frame[name] = []
	return frame


## Whether a moment can be drawn: the same number of agents everywhere, and numbers where numbers belong.
static func is_sound(frame: Variant) -> bool:
	if typeof(frame) != TYPE_DICTIONARY or not _is_number(frame.get("time_left")):
		return false
	for name in OF_AGENTS:
		if typeof(frame.get(name)) != TYPE_ARRAY or frame[name].size() != frame.position.size():
			return false
	for i: int in frame.position.size():
		if not (are_numbers(frame.position[i], 3) and are_numbers(frame.velocity[i], 3) and are_numbers(frame.facing[i], 2)):
			return false
		if not (are_numbers([frame.seeker[i], frame.out[i], frame.immunity[i]], 3)):
			return false
		if not (are_numbers(frame.ray_distance[i]) and are_numbers(frame.ray_type[i], frame.ray_distance[i].size())):
			return false
	return frame.position.size() > 0


## Whether something is a list of numbers that a place or a speed may have; of any length without `count`.
static func are_numbers(list: Variant, count := -1) -> bool:
	if typeof(list) != TYPE_ARRAY or (count >= 0 and list.size() != count):
		return false
	return list.all(_is_number)


static func _is_number(value: Variant) -> bool:
	return typeof(value) in [TYPE_FLOAT, TYPE_INT] and absf(value) < 1e6  # false for what is no number at all


static func of(game: TagGame, world := 0) -> Dictionary:
	var state := game.state
	var frame := empty((game.rules.limit - state.tick[world]) / float(game.rules.tick_rate))
	for row in range(world * state.agents, (world + 1) * state.agents):
		frame.position.append([state.x[row], state.y[row], state.z[row]])
		frame.velocity.append([state.vx[row], state.vy[row], state.vz[row]])
		frame.facing.append([state.fx[row], state.fz[row]])
		frame.seeker.append(state.seeker[row])
		frame.out.append(1 - state.in_play[row])
		frame.immunity.append(state.immunity[row])
		game.sight.look(row)
		frame.ray_distance.append(game.sight.distances.duplicate())
		frame.ray_type.append(types(game.sight.whom))
	return frame


## The boxes of a world: min x y z and max x y z each.
static func boxes(game: TagGame, world := 0) -> Array:
	var made := []
	for number in game.state.box_count[world]:
		var start := (world * TagRules.BOXES + number) * 6
		made.append(Array(game.state.boxes.slice(start, start + 6)))
	return made


## 0 none, 1 wall, 2 agent, of what rays met.
static func types(whom: PackedInt32Array) -> PackedFloat32Array:
	var made := PackedFloat32Array()
	for met in whom:
		made.append(mini(met, 0) + 2)  # -2 nothing, -1 a wall, one row per agent
	return made
