class_name TagFrame
extends RefCounted
## One arena as a picture needs it: the names of the spec's render block, one entry an agent.


static func of(game: TagGame) -> Dictionary:
	var state := game.state
	var frame := {
		"time_left": (game.rules.limit - state.tick[0]) / float(game.rules.tick_rate),
		"position": [], "velocity": [], "facing": [], "seeker": [], "out": [], "immunity": [],
		"ray_distance": [], "ray_type": [],
	}
	for row in game.rules.agents:
		frame.position.append([state.x[row], state.y[row], state.z[row]])
		frame.velocity.append([state.vx[row], state.vy[row], state.vz[row]])
		frame.facing.append([state.fx[row], state.fz[row]])
		frame.seeker.append(state.seeker[row])
		frame.out.append(1 - state.in_play[row])
		frame.immunity.append(state.immunity[row])
		game.sight.look(row)
		frame.ray_distance.append(game.sight.distances.duplicate())
		var types := PackedFloat32Array()
		for met in game.sight.whom:
			types.append(2.0 if met >= 0 else (1.0 if met == -1 else 0.0))
		frame.ray_type.append(types)
	return frame


static func boxes(game: TagGame) -> Array:
	var made := []
	for number in game.state.box_count[0]:
		made.append(Array(game.state.boxes.slice(number * 6, number * 6 + 6)))
	return made
