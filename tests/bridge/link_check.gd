extends SceneTree
## The smallest scene that can be trained: each world counts its steps and ends after five. It plays no game;
## test_link.py uses it to try the addon's link in the real engine.

const LENGTH := 5

var link := SandlotLink.new()
var batch: SandlotBatch
var steps := PackedInt32Array()
var roots := PackedInt64Array()


func _init() -> void:
	var hello := {"game": "tag"}
	var changes := OS.get_environment("SANDLOT_TEST_HELLO")
	if changes:
		hello.merge(JSON.parse_string(changes), true)
	var welcome := link.connect_to_trainer("", hello)
	if welcome.is_empty():
		print("refused: ", link.problem)
		quit(link.exit_code())
		return
	link.look = _look
	batch = SandlotBatch.from_welcome(welcome)
	steps.resize(batch.worlds)
	roots.resize(batch.worlds)
	var command := link.await_command()
	while command != SandlotLink.Command.CLOSE:
		match command:
			SandlotLink.Command.RESET:
				_reset()
			SandlotLink.Command.STEP:
				_step()
		command = link.exchange(batch)
	print("closed: ", link.problem)
	quit(link.exit_code())


func _reset() -> void:
	batch.begin_step()
	for i in link.reset_worlds.size():
		steps[link.reset_worlds[i]] = 0
		roots[link.reset_worlds[i]] = link.seeds[i]
	_observe()


func _step() -> void:
	var trick := OS.get_environment("SANDLOT_TEST_TRICK")
	batch.begin_step()
	batch.ticks.fill(3)
	for world in batch.worlds:
		steps[world] += 1
		for agent in batch.agents:
			batch.rewards[world * batch.agents + agent] = link.actions[(world * batch.agents + agent) * batch.action_size]
		if steps[world] == LENGTH:
			_finish(world)
	_observe()
	if trick == "nan":
		batch.observations[7] = NAN
	elif trick == "crash":
		OS.crash("as asked")
	elif trick == "freeze":
		OS.delay_msec(60000)
	elif trick == "quit":
		OS.kill(OS.get_process_id())


func _finish(world: int) -> void:
	batch.ended.append(world)
	for agent in batch.agents:
		var last := PackedFloat32Array()
		last.resize(batch.observation_size)
		last.fill(0.5)
		batch.final_observations.append_array(last)
		batch.terminated[world * batch.agents + agent] = 1
	var sums := PackedFloat32Array()
	sums.resize(batch.episode_size)
	sums[0] = world
	batch.episodes.append_array(sums)
	steps[world] = 0


## First the steps so far, then the low 16 bits of the seed; the rest is zero.
func _observe() -> void:
	for world in batch.worlds:
		for agent in batch.agents:
			var start := (world * batch.agents + agent) * batch.observation_size
			batch.observations[start] = steps[world]
			batch.observations[start + 1] = roots[world] & 0xFFFF


func _look(world: int) -> Dictionary:
	var info := PackedFloat32Array()
	info.resize(int(link.welcome.spec.shape.info))
	info[0] = steps[world]
	var render := PackedFloat32Array()
	render.resize(int(link.welcome.spec.shape.render))
	return {"info": info, "render": render, "events": [[0, 2.0, 8.0]]}
