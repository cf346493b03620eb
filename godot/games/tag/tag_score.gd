class_name TagScore
extends RefCounted
## Who touched whom, and what a step paid, term by term (docs/games/tag.md, "After all have moved" and "Score").

enum Term {
	SEEKER_PROGRESS, SEEKER_TIME, SEEKER_TAG, SEEKER_TIMEOUT,
	HIDER_PROGRESS, HIDER_SURVIVAL, HIDER_TAGGED, HIDER_TIMEOUT,
}

var _rules: TagRules
var _state: TagState
var _bodies: TagBodies
var _agents := 0
# the state's own arrays, shared
var _x: PackedFloat32Array
var _y: PackedFloat32Array
var _z: PackedFloat32Array
var _seeker: PackedByteArray
var _in_play: PackedByteArray
var _distance: PackedFloat32Array
var _roster_seeker := PackedByteArray()  # roles when the step began: a touch within it pays by these
var _roster_in_play := PackedByteArray()


func _init(rules: TagRules, state: TagState, bodies: TagBodies) -> void:
	_rules = rules
	_state = state
	_bodies = bodies
	_agents = state.agents
	_x = state.x
	_y = state.y
	_z = state.z
	_seeker = state.seeker
	_in_play = state.in_play
	_distance = state.distance
	_roster_seeker.resize(state.worlds * state.agents)
	_roster_in_play.resize(state.worlds * state.agents)


## Remember who plays what, before a step.
func begin(world: int) -> void:
	for row in range(world * _agents, (world + 1) * _agents):
		_roster_seeker[row] = _seeker[row]
		_roster_in_play[row] = _in_play[row]
		_state.tags_made[row] = 0
		_state.times_tagged[row] = 0


## After a tick: time up, or touches.
func judge(world: int) -> void:
	if _state.tick[world] >= _rules.limit:
		_time_up(world)
	elif _rules.mode == TagRules.Mode.TIMED:
		_touch_timed(world)
	else:
		_touch_switch(world)


## After a step: what it pays each agent.
func pay(world: int, rewards: PackedFloat32Array) -> void:
	for row in range(world * _agents, (world + 1) * _agents):
		_state.progress[row] = 0.0
		rewards[row] = _score(row, world) if _roster_in_play[row] else 0.0
	measure(world)


## Distances to the nearest opponent, with the roles and players of now.
func measure(world: int) -> void:
	for row in range(world * _agents, (world + 1) * _agents):
		_distance[row] = _nearest(row, world, _state.seeker, _state.in_play)


func _time_up(world: int) -> void:
	_state.reason[world] = TagRules.Reason.TIMEOUT
	if _rules.mode == TagRules.Mode.TIMED:
		_state.winner[world] = TagRules.Winner.HIDER
	_state.events[world].append([TagGame.Event.TIMEOUT, _state.tick[world], 0.0, 0.0])


func _touch_timed(world: int) -> void:
	var left := 0
	for hider in range(world * _agents, (world + 1) * _agents):
		if _seeker[hider] or not _in_play[hider]:
			continue
		var by := _toucher(hider, world)
		if by < 0:
			left += 1
			continue
		_count(world, by, hider, TagGame.Event.TAG)
		_in_play[hider] = 0
		_bodies.show_in_play(hider)
	if left == 0:
		_state.winner[world] = TagRules.Winner.SEEKER
		_state.reason[world] = TagRules.Reason.TAG


func _toucher(hider: int, world: int) -> int:
	for row in range(world * _agents, (world + 1) * _agents):
		if _seeker[row] and _touching(row, hider):
			return row
	return -1


func _touch_switch(world: int) -> void:
	for seeker in range(world * _agents, (world + 1) * _agents):
		if not _seeker[seeker] or _state.immunity[seeker] > 0:
			continue
		for hider in range(world * _agents, (world + 1) * _agents):
			var free := not _seeker[hider] and _state.immunity[hider] == 0
			if free and _touching(seeker, hider):
				_pass(world, seeker, hider)
				break


func _pass(world: int, from: int, to: int) -> void:
	_count(world, from, to, TagGame.Event.PASS)
	_seeker[from] = 0
	_seeker[to] = 1
	_state.immunity[from] = _rules.immune_ticks
	_state.immunity[to] = _rules.immune_ticks


func _count(world: int, seeker: int, hider: int, kind: int) -> void:
	var first := world * _state.agents
	_state.tags[world] += 1
	_state.tags_made[seeker] += 1
	_state.times_tagged[hider] += 1
	_state.events[world].append([kind, seeker - first, hider - first, _state.tick[world]])


func _touching(a: int, b: int) -> bool:
	var near := absf(_x[a] - _x[b]) <= _rules.touch and absf(_z[a] - _z[b]) <= _rules.touch
	return near and absf(_y[a] - _y[b]) <= _rules.touch


func _score(row: int, world: int) -> float:
	var now := _nearest(row, world, _roster_seeker, _roster_in_play)
	var seeks := _roster_seeker[row]
	var closed := _distance[row] - now
	var seconds := _state.step_ticks[world] * _rules.dt
	_state.progress[row] = closed
	_state.distance_sum[world * 2 + seeks] += now
	_state.distance_count[world * 2 + seeks] += 1
	var reward := 0.0
	if seeks:
		reward += _add(row, Term.SEEKER_PROGRESS, _rules.seeker_progress * closed)
		reward += _add(row, Term.SEEKER_TIME, -_rules.seeker_time * seconds)
	else:
		reward += _add(row, Term.HIDER_PROGRESS, -_rules.hider_progress * closed)
		reward += _add(row, Term.HIDER_SURVIVAL, _rules.hider_survival * seconds)
	reward += _add(row, Term.SEEKER_TAG, _rules.made_bonus * _state.tags_made[row])
	reward += _add(row, Term.HIDER_TAGGED, -_rules.suffered_penalty * _state.times_tagged[row])
	return reward + _pay_timeout(row, world)


func _pay_timeout(row: int, world: int) -> float:
	var timed := _rules.mode == TagRules.Mode.TIMED and _state.reason[world] == TagRules.Reason.TIMEOUT
	if not timed or not _in_play[row]:
		return 0.0
	if _seeker[row]:
		return _add(row, Term.SEEKER_TIMEOUT, -_rules.seeker_timeout)
	return _add(row, Term.HIDER_TIMEOUT, _rules.hider_timeout)


func _add(row: int, term: int, amount: float) -> float:
	_state.sums[row * TagRules.TERMS + term] += amount
	return amount


## The distance to the nearest opponent under a roster; 0 when there is none.
func _nearest(row: int, world: int, seeker: PackedByteArray, in_play: PackedByteArray) -> float:
	var least := INF
	var here := Vector3(_x[row], _y[row], _z[row])
	for other in range(world * _agents, (world + 1) * _agents):
		if in_play[other] and seeker[other] != seeker[row]:
			least = minf(least, here.distance_to(Vector3(_x[other], _y[other], _z[other])))
	return 0.0 if least == INF else least

