class_name TagSpawn
extends RefCounted
## How a match begins: who stands where, looking whither, among which boxes. A seed decides, bit for bit as in
## the native engine (docs/games/tag.md, "Reset").

const TRIES := 64  # an agent, before everybody goes to the lattice
const BOX_TRIES := 12  # a box, before it is left out

var _rules: TagRules
var _state: TagState
var _random: SandlotRandom
var _blocks: Array[PackedFloat32Array] = []  # middle x, middle z, half width x, half width z, top


func _init(rules: TagRules, state: TagState) -> void:
	_rules = rules
	_state = state


func begin(world: int, seed_value: int) -> void:
	_random = SandlotRandom.new(seed_value)
	_state.clear(world)
	var first := world * _state.agents
	_place_agents(first)
	_place_boxes(world, first)
	for agent in _state.agents:
		_state.seeker[first + agent] = int(_rules.starts_as_seeker(agent))
		_state.coyote[first + agent] = _rules.coyote_ticks + 1
	_state.events[world].append([TagGame.Event.START, _state.agents, _state.box_count[world], 0.0])


func _place_agents(first: int) -> void:
	var placed := true
	for agent in _state.agents:
		placed = placed and _place_freely(first, agent)
	if not placed:
		_place_on_lattice(first)
	for agent in _state.agents:
		var turns := _random.uniform()
		_set_facing(first + agent, SandlotFloat32.sin_turns(turns), -SandlotFloat32.cos_turns(turns))


func _place_freely(first: int, agent: int) -> bool:
	for _try in TRIES:
		var x := _random.uniform_in(-_rules.spawn_half, _rules.spawn_half)
		var z := _random.uniform_in(-_rules.spawn_half, _rules.spawn_half)
		_state.x[first + agent] = x
		_state.z[first + agent] = z
		if _is_clear(first, agent, x, z):
			return true
	return false


func _is_clear(first: int, agent: int, x: float, z: float) -> bool:
	var least := _f(_rules.separation * _rules.separation)
	for other in agent:
		var dx := _f(x - _state.x[first + other])
		var dz := _f(z - _state.z[first + other])
		if _f(_f(dx * dx) + _f(dz * dz)) < least:
			return false
	return true


## A shuffled lattice whose spacing is the separation: always room, still not the same twice.
func _place_on_lattice(first: int) -> void:
	var count := _rules.cells * _rules.cells
	var cell := range(count)
	for agent in _state.agents:
		var drawn := _random.integer_in(agent, count - 1)
		var mine: int = cell[drawn]
		cell[drawn] = cell[agent]
		@warning_ignore("integer_division")
		var line := mine / _rules.cells
		_state.x[first + agent] = -_rules.spawn_half + _f(mine % _rules.cells * _rules.spacing)
		_state.z[first + agent] = -_rules.spawn_half + _f(line * _rules.spacing)


func _set_facing(row: int, fx: float, fz: float) -> void:
	var k := _f(1.5 - _f(0.5 * _f(_f(fx * fx) + _f(fz * fz))))
	_state.fx[row] = fx * k
	_state.fz[row] = fz * k


func _place_boxes(world: int, first: int) -> void:
	_blocks.clear()
	for _number in _rules.obstacles:
		var block := _draw_block()
		if _find_place(first, block):
			_blocks.append(block)
			_keep(world, block)


func _draw_block() -> PackedFloat32Array:
	var narrow := _f(0.8)
	var block := PackedFloat32Array([0.0, 0.0, 0.0, 0.0, 0.0])
	block[2] = 0.5 * _random.uniform_in(narrow, 3.0)
	block[3] = 0.5 * _random.uniform_in(narrow, 3.0)
	var low := _random.uniform() < _rules.low_share
	block[4] = _random.uniform_in(_f(0.6), _f(1.2)) if low else _random.uniform_in(2.0, 3.0)
	return block


func _find_place(first: int, block: PackedFloat32Array) -> bool:
	var room_x := _f(_rules.arena_half - _f(block[2] + _rules.gap))
	var room_z := _f(_rules.arena_half - _f(block[3] + _rules.gap))
	if room_x < 0.0 or room_z < 0.0:
		return false
	for _try in BOX_TRIES:
		block[0] = _random.uniform_in(-room_x, room_x)
		block[1] = _random.uniform_in(-room_z, room_z)
		if _fits(first, block):
			return true
	return false


func _fits(first: int, block: PackedFloat32Array) -> bool:
	for taken in _blocks:
		var near_x := absf(_f(block[0] - taken[0])) < _f(_f(block[2] + taken[2]) + _rules.gap)
		if near_x and absf(_f(block[1] - taken[1])) < _f(_f(block[3] + taken[3]) + _rules.gap):
			return false
	for agent in _state.agents:
		var near_x := absf(_f(block[0] - _state.x[first + agent])) < _f(block[2] + _rules.edge)
		if near_x and absf(_f(block[1] - _state.z[first + agent])) < _f(block[3] + _rules.edge):
			return false
	return true


func _keep(world: int, block: PackedFloat32Array) -> void:
	var start := (world * TagRules.BOXES + _state.box_count[world]) * 6
	_state.box_count[world] += 1
	_state.boxes[start] = block[0] - block[2]
	_state.boxes[start + 2] = block[1] - block[3]
	_state.boxes[start + 3] = block[0] + block[2]
	_state.boxes[start + 4] = block[4]
	_state.boxes[start + 5] = block[1] + block[3]


static func _f(value: float) -> float:
	return SandlotFloat32.of(value)
