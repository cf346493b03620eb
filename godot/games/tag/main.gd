extends Node3D
## Tag to watch and to play: one arena, scripted players or a person, round after round.
##
## Words: --seeker=human|chase|evade|wander[:level]|FILE.onnx --hider=… --seed=N --matches=N --watch
## --set.mode=switch … --profile=reference. Variables: docs/environment.md, rules and rewards.
## Keys: W A S D or arrows move, Space jumps, Tab looks closer, V shows the rays, R begins anew, Esc leaves.

const HOLD_S := 2.2  ## seconds between the end of a match and the next one

var game := TagGame.new()

var _show := TagShow.new()
var _players: Array[TagPlayer] = []
var _names: Array = []
var _actions := PackedFloat32Array()
var _matches := 0
var _wins := [0, 0, 0]
var _hold := 0.0
var _log := TagLog.new()
var _arguments := SandlotArguments.parse()


func _ready() -> void:
	for part: Node in [game, _show, _log]:
		add_child(part)
	var asked := TagVariables.read()
	var settings := _trained_settings().merged(asked.settings, true).merged(_arguments.settings(), true)
	var spec := SandlotSpec.from_file(TagGame.SPEC_FILE, settings, _arguments.text("profile"))
	for problem: String in [asked.problem, spec.problem]:
		if problem:
			printerr("sandlot: ", problem)
			get_tree().quit(2)
			return
	game.auto_reset = false
	game.build(spec)
	_assign_players()
	_show.build(spec.config, game.rules.agents, _names)
	_show.hud.show_hint(_hint())
	game.reset(0, _arguments.integer("seed", 1))
	_begin()


func _physics_process(delta: float) -> void:
	if game.state == null:
		return
	if game.is_over():
		_wait(delta)
		return
	if game.state.step_ticks[0] == 0 or game.is_step_over():
		_decide()
	game.play_tick()
	if game.is_step_over():
		game.end_step()
		_log.write_step(game, _matches + 1, _actions)
	var frame := TagFrame.of(game)
	_show.show_frame(frame, delta)
	if game.is_over():
		_finish(frame)


func _unhandled_key_input(event: InputEvent) -> void:
	if not event.is_pressed() or event.is_echo():
		return
	match (event as InputEventKey).physical_keycode:
		KEY_TAB:
			_show.look_closer()
		KEY_V:
			_show.toggle_rays()
		KEY_R:
			game.next_match(0)
			_begin()
		KEY_ESCAPE:
			get_tree().quit(0)


## A trained policy brings the settings that it was trained under.
func _trained_settings() -> Dictionary:
	for role: String in ["seeker", "hider"]:
		var name := _arguments.text(role)
		if name.ends_with(".onnx"):
			return TagPolicy.new(name).settings()
	return {}


func _assign_players() -> void:
	for agent in game.rules.agents:
		var seeks := game.rules.starts_as_seeker(agent)
		var name := _arguments.text("seeker", "chase") if seeks else _arguments.text("hider", _other_player())
		var player := TagPlayer.named(name, game.rules, _arguments.integer("seed", 1) + agent, _show.camera)
		if player == null:
			get_tree().quit(2)
			player = TagPlayer.new()
		_players.append(player)
		_names.append(name.get_file().get_basename() if name.ends_with(".onnx") else name)


## A person who opens the project plays the hider; without a screen scripts play each other.
func _other_player() -> String:
	return "evade" if DisplayServer.get_name() == "headless" or _arguments.flag("watch") else "human"


func _begin() -> void:
	_show.begin(TagFrame.boxes(game))
	_show.hud.show_title("Match %d · seeker %d : %d hider" % [_matches + 1, _wins[1], _wins[2]])
	_show.show_frame(TagFrame.of(game), 0.0)
	_hold = 0.0
	_log.begin_match(game, _matches + 1, _names)


func _decide() -> void:
	_actions.clear()
	for row in _players.size():
		var action := _players[row].act(game.observation(row))
		_actions.append_array(action.slice(0, game.rules.action_size()))
	game.begin_step(_actions)


func _finish(frame: Dictionary) -> void:
	var winner: int = game.state.winner[0]
	_matches += 1
	_wins[winner] += 1
	_show.celebrate(TagGame.WINNERS[winner], frame)
	_log.end_match(game, _matches)


func _wait(delta: float) -> void:
	_hold += delta
	_show.show_frame(TagFrame.of(game), delta)
	if _hold < HOLD_S:
		return
	if _arguments.named.has("matches") and _matches >= _arguments.integer("matches"):
		print("matches %d, seeker %d, hider %d" % [_matches, _wins[1], _wins[2]])
		get_tree().quit(0)
		return
	game.next_match(0)
	_begin()


func _hint() -> String:
	return "W A S D move · Space jumps · Tab looks closer · V shows rays · R begins anew" if "human" in _names else ""
