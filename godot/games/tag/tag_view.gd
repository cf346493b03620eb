class_name TagView
extends RefCounted
## A world as the spec's blocks: `info`, `render`, `events` and, at its end, `episode`. Reads, never changes.

var _game: TagGame
var _rules: TagRules
var _state: TagState


func _init(game: TagGame) -> void:
	_game = game
	_rules = game.rules
	_state = game.state


static func episode_size(agents: int) -> int:
	return 13 + TagRules.TERMS + agents


func of(world: int) -> Dictionary:
	return {"info": info(world), "render": render(world), "events": _state.events[world]}


func info(world: int) -> PackedFloat32Array:
	var tick := _state.tick[world]
	var out := PackedFloat32Array([tick, _state.steps[world], _seconds(tick), _seconds(_rules.limit - tick)])
	out.append_array([_state.winner[world], _state.reason[world], _state.tags[world]])
	var rows := _rows(world)
	for block: Variant in [_state.distance, _state.progress, _state.seeker, _state.in_play]:
		for row: int in rows:
			out.append(block[row])
	for row: int in rows:
		out.append(_seconds(_state.immunity[row]))
	for row: int in rows:
		out.append(float(_sees_opponent(row, world)))
	return out


func render(world: int) -> PackedFloat32Array:
	var tick := _state.tick[world]
	var out := PackedFloat32Array([_seconds(_rules.limit - tick), tick, _state.winner[world]])
	out.append_array([_rules.arena_half, _rules.wall_height, _rules.edge])
	var rows := _rows(world)
	for row: int in rows:
		out.append_array([_state.x[row], _state.y[row], _state.z[row]])
	for row: int in rows:
		out.append_array([_state.vx[row], _state.vy[row], _state.vz[row]])
	for row: int in rows:
		out.append_array([_state.fx[row], _state.fz[row]])
	for block: PackedByteArray in [_state.on_floor, _state.seeker]:
		for row: int in rows:
			out.append(block[row])
	for row: int in rows:
		out.append(_seconds(_state.immunity[row]))
	for row: int in rows:
		out.append(1 - _state.in_play[row])
	out.append(_state.box_count[world])
	var wide := TagRules.BOXES * 6
	out.append_array(_state.boxes.slice(world * wide, (world + 1) * wide))
	return _with_rays(rows, out)


func episode(world: int) -> PackedFloat32Array:
	var terms := PackedFloat32Array()
	terms.resize(TagRules.TERMS)
	var returns := PackedFloat32Array()
	for row: int in _rows(world):
		var own := _state.sums.slice(row * TagRules.TERMS, (row + 1) * TagRules.TERMS)
		returns.append(_sum(own, 0, TagRules.TERMS))
		for term in TagRules.TERMS:
			terms[term] += own[term]
	var tick := _state.tick[world]
	var first_seen := _state.first_seen_tick[world]
	var out := PackedFloat32Array([_state.winner[world], _state.reason[world], tick, _state.steps[world]])
	out.append_array([_seconds(tick), _state.tags[world], _state.jumps[world], _state.box_count[world]])
	out.append(-1.0 if first_seen < 0 else _seconds(first_seen))
	out.append_array([_mean_distance(world, 1), _mean_distance(world, 0)])
	@warning_ignore("integer_division")
	var middle := TagRules.TERMS / 2
	out.append_array([_sum(terms, 0, middle), _sum(terms, middle, TagRules.TERMS)])
	out.append_array(terms)
	out.append_array(returns)
	return out


func _with_rays(rows: Array, out: PackedFloat32Array) -> PackedFloat32Array:
	var types := PackedFloat32Array()
	for row: int in rows:
		_game.sight.look(row)
		out.append_array(_game.sight.distances)
		types.append_array(TagFrame.types(_game.sight.whom))
	out.append_array(types)
	return out


func _sees_opponent(row: int, world: int) -> bool:
	var first := world * _state.agents
	for other in _state.agents:
		if _state.seen[row] >> other & 1 and _state.seeker[first + other] != _state.seeker[row]:
			return true
	return false


func _mean_distance(world: int, role: int) -> float:
	return _state.distance_sum[world * 2 + role] / maxi(_state.distance_count[world * 2 + role], 1)


func _sum(numbers: PackedFloat32Array, first: int, last: int) -> float:
	var total := 0.0
	for i in range(first, last):
		total += numbers[i]
	return total


func _seconds(ticks: int) -> float:
	return ticks / float(_rules.tick_rate)


func _rows(world: int) -> Array:
	return range(world * _state.agents, (world + 1) * _state.agents)
