extends Node3D
## Tag to watch and to play: one arena, scripted players or a person, round after round.
##
## Words: --seeker=human|chase|evade|wander[:level]|FILE.onnx --hider=… --seed=N --matches=N --set.mode=switch …
## Keys: W A S D or arrows move, Space jumps, Tab looks closer, R begins anew, Esc leaves.

const HOLD_S := 2.2  ## seconds between the end of a match and the next one

var game := TagGame.new()

var _show := TagShow.new()
var _players: Array[TagPlayer] = []
var _names: Array = []
var _actions := PackedFloat32Array()
var _matches := 0
var _wins := [0, 0, 0]
var _hold := 0.0
var _recorder := SandlotRecorder.new()
var _words := SandlotWords.given()
var _closer := -1


func _ready() -> void:
	for part: Node in [game, _show, _recorder]:
		add_child(part)
	_recorder.enabled = OS.get_environment("AI_LOG_TRAJECTORIES") == "1"
	var settings := _trained_settings().merged(_words.settings(), true)
	var spec := SandlotSpec.from_file(TagGame.SPEC_FILE, settings, _words.text("profile"))
	if spec.problem:
		printerr("sandlot: ", spec.problem)
		get_tree().quit(2)
		return
	game.auto_reset = false
	game.build(spec)
	_seat_players()
	_show.build(spec.config, game.rules.agents, _names)
	_show.hud.show_hint(_hint())
	game.reset(0, _words.integer("seed", 1))
	_begin()


func _physics_process(delta: float) -> void:
	if game.state == null:
		return
	if game.is_over():
		_wait(delta)
		return
	if game.state.step_ticks[0] == 0 or game.state.step_ticks[0] >= game.rules.ticks_per_step:
		_decide()
	game.play_tick()
	if game.is_over() or game.state.step_ticks[0] >= game.rules.ticks_per_step:
		game.end_step()
		_record_step()
	var frame := frame_now()
	_show.show_frame(frame, delta)
	if game.is_over():
		_finish(frame)


func _unhandled_key_input(event: InputEvent) -> void:
	if not event.is_pressed() or event.is_echo():
		return
	match (event as InputEventKey).physical_keycode:
		KEY_TAB:
			_closer = (_closer + 2) % (game.rules.agents + 1) - 1
			_show.camera.follow(_show.cubes[_closer] if _closer >= 0 else null)
		KEY_R:
			game.next_match(0)
			_begin()
		KEY_ESCAPE:
			get_tree().quit(0)


## The arena as a frame: the names of the spec's render block.
func frame_now() -> Dictionary:
	var frame := {
		"time_left": (game.rules.limit - game.state.tick[0]) / float(game.rules.tick_rate),
		"position": [], "velocity": [], "facing": [], "seeker": [], "out": [], "immunity": [],
		"ray_distance": [], "ray_type": [],
	}
	for row in game.rules.agents:
		frame.position.append([game.state.x[row], game.state.y[row], game.state.z[row]])
		frame.velocity.append([game.state.vx[row], game.state.vy[row], game.state.vz[row]])
		frame.facing.append([game.state.fx[row], game.state.fz[row]])
		frame.seeker.append(game.state.seeker[row])
		frame.out.append(1 - game.state.in_play[row])
		frame.immunity.append(game.state.immunity[row])
		game.sight.look(row)
		frame.ray_distance.append(game.sight.distances.duplicate())
		var types := PackedFloat32Array()
		for met in game.sight.whom:
			types.append(2.0 if met >= 0 else (1.0 if met == -1 else 0.0))
		frame.ray_type.append(types)
	return frame


## A trained policy brings the settings that it was trained under.
func _trained_settings() -> Dictionary:
	for role: String in ["seeker", "hider"]:
		var name := _words.text(role)
		if name.ends_with(".onnx"):
			return TagPolicy.new(name).settings()
	return {}


func _seat_players() -> void:
	for agent in game.rules.agents:
		var seeks := game.rules.starts_as_seeker(agent)
		var name := _words.text("seeker", "chase") if seeks else _words.text("hider", _other_player())
		var player := TagPlayer.named(name, game.rules, _words.integer("seed", 1) + agent, _show.camera)
		if player == null:
			get_tree().quit(2)
			player = TagPlayer.new()
		_players.append(player)
		_names.append(name.get_file().get_basename() if name.ends_with(".onnx") else name)


## A person who opens the project plays the hider; without a screen scripts play each other.
func _other_player() -> String:
	return "evade" if DisplayServer.get_name() == "headless" or _words.flag("watch") else "human"


func _boxes() -> Array:
	var made := []
	for number in game.state.box_count[0]:
		made.append(Array(game.state.boxes.slice(number * 6, number * 6 + 6)))
	return made


func _begin() -> void:
	_show.begin(_boxes())
	_show.hud.show_title("MATCH %d     seeker %d : %d hider" % [_matches + 1, _wins[1], _wins[2]])
	_show.show_frame(frame_now(), 0.0)
	_hold = 0.0
	_recorder.begin(_matches + 1, {"config": game.spec.config, "players": _names, "step_s": game.rules.step_s, "boxes": _boxes()})


func _decide() -> void:
	_actions.clear()
	var wide := game.batch.observation_size
	for row in _players.size():
		var action := _players[row].act(game.batch.observations.slice(row * wide, (row + 1) * wide))
		_actions.append_array(action.slice(0, game.rules.action_size()))
	game.begin_step(_actions)


func _finish(frame: Dictionary) -> void:
	var winner: int = game.state.winner[0]
	_matches += 1
	_wins[winner] += 1
	_show.celebrate(["nobody", "seeker", "hider"][winner], frame)
	_recorder.end({
		"episode": _matches,
		"winner": ["nobody", "seeker", "hider"][winner],
		"terminal_reason": ["none", "tag", "timeout"][game.state.reason[0]],
		"ticks": game.state.tick[0],
	})


func _wait(delta: float) -> void:
	_hold += delta
	_show.show_frame(frame_now(), delta)
	if _hold < HOLD_S:
		return
	if _words.named.has("matches") and _matches >= _words.integer("matches"):
		print("matches %d, seeker %d, hider %d" % [_matches, _wins[1], _wins[2]])
		get_tree().quit(0)
		return
	game.next_match(0)
	_begin()


func _record_step() -> void:
	if not _recorder.enabled:
		return
	for row in game.rules.agents:
		game.sight.look(row)
		_recorder.write("step", {
			"episode": _matches + 1,
			"agent": "Agent%d" % (row + 1),
			"tick": game.state.tick[0],
			"pos": [game.state.x[row], game.state.y[row], game.state.z[row]],
			"vel": [game.state.vx[row], game.state.vy[row], game.state.vz[row]],
			"facing": [game.state.fx[row], game.state.fz[row]],
			"is_it": game.state.seeker[row] == 1,
			"action": Array(_actions.slice(row * game.rules.action_size(), (row + 1) * game.rules.action_size())),
			"reward": game.batch.rewards[row],
			"dists": Array(game.sight.distances),
			"types": Array(game.sight.whom).map(func(met: int) -> String: return "agent" if met >= 0 else ("wall" if met == -1 else "none")),
		})
	for event: Array in game.state.events[0]:
		if event[0] == TagGame.Event.TAG or event[0] == TagGame.Event.PASS:
			_recorder.write("tag", {"attacker": "Agent%d" % (event[1] + 1), "target": "Agent%d" % (event[2] + 1)})
		elif event[0] == TagGame.Event.TIMEOUT:
			_recorder.write("timeout")


func _hint() -> String:
	return "W A S D move · Space jumps · Tab looks closer · R anew" if "human" in _names else ""
