class_name TagLive
extends Node3D
## Tag that streams: one arena at true speed requests actions from a live server (`sandlot bridge`), and sends
## it transitions. The match stands still while an answer is on its way, so every transition is of the action that was received.
##
## The game is built when the server welcomes the scene, by the settings that the server names: a policy meets the
## rules and the observation it was trained with. What is set here, by a variable or by an argument overrides them.
##
## Arguments: --matches=N (leave after so many) --seed=N --timeout=S --opponent=NAME (of an agent that the server does not
## control: human, chase, evade, …) --set.NAME=VALUE. Variables: docs/environment.md; they win over the settings here.

signal began  ## the first match with a server begins

const USUAL_TICKS := 3
const ANSWER_MSEC := 12  ## that the scene stops for an answer; a later one costs the match a frame

## Send transitions, so that the server can learn from them.
@export var training_mode := true
## Ask for all agents; off: for the first one, the others are played by scripts.
@export var control_all_agents := true
## The first agent is the seeker.
@export var ai_is_it := true
## Ticks that a decision lasts.
@export_range(1, 12) var step_tick_interval := USUAL_TICKS
## Paid to the seeker for a touch, and taken from the hider.
@export_range(0.0, 1000.0) var tag_bonus := 10.0
## Paid per metre closed (seeker) or gained (hider).
@export_range(0.0, 10.0) var progress_reward_scale := 0.14
## Ask with `act` for the first agent only, as the oldest servers know it.
@export var legacy_act_fallback := false
## Seconds without a server before the scene gives up.
@export_range(1.0, 3600.0) var timeout_s := 60.0
## Quit when no server answers, or when it refuses the scene; off: say so and stay.
@export var leaves_without_server := true
## The connection to use; without one the scene makes its own.
@export var client: SandlotLiveLink

var game: TagGame  ## null while no server has welcomed us

var _usual := SandlotSpec.from_file(TagGame.SPEC_FILE)
var _show: TagShow
var _log: TagLog
var _arguments := SandlotArguments.parse()
var _changes := {}
var _scripts: Array[TagPlayer] = []
var _before: Array[PackedFloat32Array] = []
var _roles := PackedStringArray()
var _actions := PackedFloat32Array()
var _step := 0
var _playing := false
var _heard_msec := Time.get_ticks_msec()
var _matches := 0
var _wins := [0, 0, 0]


func _ready() -> void:
	timeout_s = _arguments.number("timeout", timeout_s)
	var problem := _read_settings()
	if problem:
		_leave("sandlot: %s" % problem, 2)
		return
	var own := client == null
	if own:
		client = SandlotLiveLink.new()
	client.legacy_act_fallback = legacy_act_fallback
	client.hello = {"game": "tag", "game_version": _usual.version()}.merged(client.hello, true)
	client.connected.connect(_on_welcome)
	client.disconnected.connect(_close)
	client.actions_received.connect(_apply_actions)
	client.refused.connect(_refused)
	if own:
		add_child(client)


func _physics_process(delta: float) -> void:
	if not _playing:
		_wait()
		return
	game.play_tick()
	if game.is_step_over():
		_end_step()
	if _show != null and game != null:
		_show.show_frame(TagFrame.of(game), delta)


func _unhandled_key_input(event: InputEvent) -> void:
	if _show != null and event.is_pressed() and (event as InputEventKey).physical_keycode == KEY_TAB:
		_show.look_closer()


# ---------------------------------------------------------------- settings


## Variables over settings; the game's settings that differ from the usual ones. Returns the problem, or an empty text.
func _read_settings() -> String:
	var asked := TagVariables.read(step_tick_interval)
	training_mode = asked.flag("AI_TRAINING_MODE", training_mode)
	control_all_agents = asked.flag("AI_CONTROL_ALL_AGENTS", control_all_agents)
	legacy_act_fallback = asked.flag("AI_LEGACY_ACT_FALLBACK", legacy_act_fallback)
	_changes = _set_here().merged(asked.settings, true).merged(_arguments.settings(), true)
	var spec := SandlotSpec.from_file(TagGame.SPEC_FILE, _changes)
	return asked.problem if asked.problem else spec.problem


func _set_here() -> Dictionary:
	var here := {
		"first_is_seeker": ai_is_it,
		"ticks_per_step": step_tick_interval,
		"tag_bonus": tag_bonus,
		"tagged_penalty": tag_bonus,
		"seeker_progress": progress_reward_scale,
		"hider_progress": progress_reward_scale,
	}
	for name: String in here.keys():
		if here[name] == _usual.config[name]:
			here.erase(name)  # left as it is: the server may know better
	return here


# ---------------------------------------------------------------- with a server


## A server that knows no hello sends no settings: then the usual ones count.
func _on_welcome(welcome: Dictionary) -> void:
	var config: Dictionary = welcome.get("config", {})
	var spec := SandlotSpec.from_file(TagGame.SPEC_FILE, config.merged(_changes, true))
	if spec.problem:
		_leave("sandlot: The server's game cannot be played here: %s" % spec.problem, 2)
		return
	_close()
	_build(spec)
	began.emit()
	_request_actions()


func _build(spec: SandlotSpec) -> void:
	game = TagGame.new()
	_log = TagLog.new()
	add_child(game)
	add_child(_log)
	game.auto_reset = false
	game.build(spec)
	_actions.resize(game.batch.rows() * game.batch.action_size)
	if DisplayServer.get_name() != "headless":
		_show = TagShow.new()
		add_child(_show)
		_show.build(spec.config, game.rules.agents)
	_scripts.clear()
	for row in range(_controlled(), game.rules.agents):
		var usual := "chase" if game.rules.starts_as_seeker(row) else "evade"
		var camera := _show.camera if _show != null else null
		_scripts.append(TagPlayer.named(_arguments.text("opponent", usual), game.rules, 1 + row, camera))
	game.reset(0, _arguments.integer("seed", 1))
	_begin()


func _close() -> void:
	_playing = false
	_heard_msec = Time.get_ticks_msec()
	for part: Node in [game, _log, _show]:
		if part != null:
			part.queue_free()
	game = null
	_log = null
	_show = null


## The network keeps real time, however fast the scene's own time runs.
func _wait() -> void:
	if leaves_without_server and Time.get_ticks_msec() - _heard_msec > timeout_s * 1000.0:
		_leave("sandlot: No server answered within %d s. Start one with `sandlot bridge`." % timeout_s, 1)


## Agents that the server plays: the first ones.
func _controlled() -> int:
	return game.rules.agents if control_all_agents and not legacy_act_fallback else 1


func _request_actions() -> void:
	_before.clear()
	_roles.clear()
	for row in game.rules.agents:
		_before.append(game.observation(row))
		_roles.append("seeker" if game.state.seeker[row] == 1 else "hider")
	var requested := {}
	for row in _controlled():
		requested[_name(row)] = _before[row]
	_step = client.request_actions(requested)


func _apply_actions(_number: int, actions: Dictionary) -> void:
	if game == null:
		return
	var size := game.batch.action_size
	for row in game.rules.agents:
		var chosen: Array = actions.get(_name(row), actions.get("agent", []) if row == 0 else [])
		if row >= _controlled():
			chosen = Array(_scripts[row - _controlled()].act(_before[row]).slice(0, size))
		for i in size:
			_actions[row * size + i] = clampf(chosen[i] if i < chosen.size() else 0.0, -1.0, 1.0)
	_heard_msec = Time.get_ticks_msec()
	game.begin_step(_actions)
	_playing = true


func _end_step() -> void:
	game.end_step()
	_log.write_step(game, _matches + 1, _actions)
	_playing = false
	if training_mode:
		for row in _controlled():
			_send_transition(row)
	if game.is_over():
		_finish()
	if client.is_open() and is_physics_processing():
		_request_actions()
		client.await_answer(ANSWER_MSEC)


func _send_transition(row: int) -> void:
	var size := game.batch.action_size
	var state := game.state
	var distance := Vector3(state.x[0] - state.x[1], state.y[0] - state.y[1], state.z[0] - state.z[1]).length()
	var info := {
		"role": _roles[row],
		"distance_to_other": distance,
		"time_elapsed": state.tick[0] / float(game.rules.tick_rate),
		"steps_in_episode": state.steps[0],
		"episode": _matches + 1,
	}
	if game.is_over():
		info.winner = TagGame.WINNERS[state.winner[0]]
		info.terminal_reason = TagGame.REASONS[state.reason[0]]
	client.send_transition(
		_name(row), _before[row], _actions.slice(row * size, (row + 1) * size), game.batch.rewards[row],
		game.observation(row), game.batch.terminated[row] == 1, game.batch.truncated[row] == 1, info, _step
	)


func _finish() -> void:
	_matches += 1
	_wins[game.state.winner[0]] += 1
	_log.end_match(game, _matches)
	if _arguments.named.has("matches") and _matches >= _arguments.integer("matches"):
		print("matches %d, seeker %d, hider %d, policy version %d" % [_matches, _wins[1], _wins[2], client.policy_version])
		set_physics_process(false)
		client.disconnected.connect(func() -> void: get_tree().quit(0))  # when everything is sent
		client.stop()
		return
	game.next_match(0)
	_begin()


func _begin() -> void:
	_before.clear()
	var players: Array = []
	for row in game.rules.agents:
		players.append("server" if row < _controlled() else "script")
	_log.begin_match(game, _matches + 1, players)
	if _show != null:
		_show.begin(TagFrame.boxes(game))
		_show.hud.show_title(
			"Match %d · seeker %d : %d hider · policy %d" % [_matches + 1, _wins[1], _wins[2], client.policy_version]
		)


func _refused(code: String, text: String) -> void:
	_leave("sandlot: The server refused (%s): %s" % [code, text], 2)


func _leave(why: String, code: int) -> void:
	printerr(why)
	if leaves_without_server:
		set_physics_process(false)
		get_tree().quit(code)


static func _name(row: int) -> String:
	return "Agent%d" % (row + 1)
