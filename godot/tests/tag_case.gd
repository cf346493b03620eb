class_name TagCase
extends SandlotTestCase
## Arenas of tag, and hands to put bodies where a test wants them.

const NORTH := Vector2(0.0, -1.0)
const FAR := 9.499  ## furthest a body gets in an arena of ten metres: less half an edge and the skin


## An arena without boxes unless asked for, match begun, waiting for actions.
func arena(changes := {}, worlds := 1) -> TagGame:
	var spec := SandlotSpec.from_file(TagGame.SPEC_FILE, {"obstacles": 0}.merged(changes, true))
	check(spec.problem.is_empty(), spec.problem)
	var game := TagGame.new()
	add(game)
	game.auto_reset = false
	game.build(spec, worlds)
	await frame()
	for world in worlds:
		game.reset(world, SandlotRandom.split(1, world))
	return game


func put(game: TagGame, row: int, place: Vector3, facing := NORTH) -> void:
	game.state.x[row] = place.x
	game.state.y[row] = place.y
	game.state.z[row] = place.z
	game.state.vx[row] = 0.0
	game.state.vy[row] = 0.0
	game.state.vz[row] = 0.0
	game.state.fx[row] = facing.x
	game.state.fz[row] = facing.y
	game.state.on_floor[row] = int(place.y <= 0.0)
	game.bodies.move(row)
	@warning_ignore("integer_division")
	game.score.measure(row / game.state.agents)


## A box of the arena, of this size, standing on the floor.
func put_box(game: TagGame, low: Vector3, high: Vector3) -> void:
	var number := game.state.box_count[0]
	game.state.box_count[0] += 1
	for axis in 3:
		game.state.boxes[number * 6 + axis] = low[axis]
		game.state.boxes[number * 6 + 3 + axis] = high[axis]
	game.bodies.arrange(0)


## Actions that push everybody along a direction of the arena.
func pushing(game: TagGame, ways: Array, jump := false) -> PackedFloat32Array:
	var actions := PackedFloat32Array()
	for row in game.state.worlds * game.state.agents:
		var way: Vector2 = ways[row % ways.size()]
		var facing := Vector2(game.state.fx[row], game.state.fz[row])
		actions.append_array(TagPlayer.toward(way, facing, jump).slice(0, game.rules.action_size()))
	return actions


func idle(game: TagGame) -> PackedFloat32Array:
	return pushing(game, [Vector2.ZERO])


## How deep the worst corner of a body is inside a wall, the floor or a box, in metres.
func worst_intrusion(game: TagGame, world := 0) -> float:
	var worst := -INF
	for row in range(world * game.state.agents, (world + 1) * game.state.agents):
		var half := game.rules.half
		var at := game.state.place(row)
		worst = maxf(worst, maxf(absf(at.x), absf(at.z)) + half - game.rules.arena_half)
		worst = maxf(worst, -at.y)
		for number in game.state.box_count[world]:
			worst = maxf(worst, _inside_box(game, (world * TagRules.BOXES + number) * 6, at, half))
	return worst


func _inside_box(game: TagGame, start: int, at: Vector3, half: float) -> float:
	var b := game.state.boxes
	var depth_x := minf(at.x + half - b[start], b[start + 3] - (at.x - half))
	var depth_z := minf(at.z + half - b[start + 2], b[start + 5] - (at.z - half))
	return minf(minf(depth_x, depth_z), b[start + 4] - at.y)


func random_actions(game: TagGame, random: SandlotRandom) -> PackedFloat32Array:
	var actions := PackedFloat32Array()
	for _i in game.state.worlds * game.state.agents * game.rules.action_size():
		actions.append(random.uniform_in(-1.0, 1.0))
	return actions
