class_name TagLog
extends SandlotTrajectoryRecorder
## A match as a trajectory log: docs/trajectory_rendering.md says what is in it. On with AI_LOG_TRAJECTORIES=1.


func _init() -> void:
	enabled = SandlotArguments.variable("AI_LOG_TRAJECTORIES")


func begin_match(game: TagGame, episode: int, players: Array) -> void:
	begin(episode, {
		"config": game.spec.config,
		"players": players,
		"step_s": game.rules.step_s,
		"boxes": TagFrame.boxes(game),
	})


## One line an agent, after a step was played; then what happened in it.
func write_step(game: TagGame, episode: int, actions: PackedFloat32Array) -> void:
	if not enabled:
		return
	var frame := TagFrame.of(game)
	var wide := game.rules.action_size()
	for row in game.rules.agents:
		write("step", {
			"episode": episode,
			"agent": _name(row),
			"tick": game.state.tick[0],
			"pos": frame.position[row],
			"vel": frame.velocity[row],
			"facing": frame.facing[row],
			"is_it": frame.seeker[row] == 1,
			"action": Array(actions.slice(row * wide, (row + 1) * wide)),
			"reward": game.batch.rewards[row],
			"dists": Array(frame.ray_distance[row]),
			"types": Array(frame.ray_type[row]).map(func(type: float) -> String: return TagFrame.KINDS[int(type)]),
		})
	for event: Array in game.state.events[0]:
		_write_event(event)


func end_match(game: TagGame, episode: int) -> void:
	end({
		"episode": episode,
		"winner": TagGame.WINNERS[game.state.winner[0]],
		"terminal_reason": TagGame.REASONS[game.state.reason[0]],
		"ticks": game.state.tick[0],
		"duration_s": game.state.tick[0] * game.rules.dt,
	})


func _write_event(event: Array) -> void:
	match event[0]:
		TagGame.Event.TAG, TagGame.Event.PASS:
			write("tag", {"attacker": _name(event[1]), "target": _name(event[2])})
		TagGame.Event.TIMEOUT:
			write("timeout")


static func _name(agent: int) -> String:
	return "Agent%d" % (agent + 1)
