class_name TagLive
extends Node3D
## Tag that streams: one arena at true speed asks a live server (`sandlot bridge`) what to do, and tells it what came
## of it. The match stands still while an answer is on its way, so every transition is the one that was acted.
##
## Words: --matches=N (leave after so many) --seed=N --patience=S. Variables of the same name win over the settings here:
## AI_TRAINING_MODE, AI_CONTROL_ALL_AGENTS, AI_IS_IT, AI_STEP_TICK_INTERVAL, AI_TIME_LIMIT_SEC, AI_WIN_BONUS,
## AI_DISTANCE_REWARD_SCALE, AI_LEGACY_ACT_FALLBACK.

## Send transitions, so that the server can learn from them.
@export var training_mode := true
## Ask for both agents; off: the second one is played by a script.
@export var control_all_agents := true
## The first agent is the seeker.
@export var ai_is_it := true
## Ticks that a decision lasts.
@export_range(1, 12) var step_tick_interval := 3
## Paid to the seeker for a touch, and taken from the hider.
@export_range(0.0, 1000.0) var tag_bonus := 10.0
## Paid per metre closed (seeker) or gained (hider).
@export_range(0.0, 10.0) var progress_reward_scale := 0.14
## Ask with `act` for the first agent only, as the oldest servers know it.
@export var legacy_act_fallback := false
## Seconds without a server before the scene gives up.
@export_range(1.0, 3600.0) var patience_s := 60.0

var game := TagGame.new()
var live := SandlotLiveLink.new()

var _show: TagShow
var _words := SandlotWords.given()
var _script: TagPlayer
var _before: Array[PackedFloat32Array] = []
var _actions := PackedFloat32Array()
var _step := 0
var _playing := false
var _heard_msec := Time.get_ticks_msec()
var _matches := 0
var _wins := [0, 0, 0]


func _ready() -> void:
	_read_variables()
	patience_s = _words.number("patience", patience_s)
	var spec := SandlotSpec.from_file(TagGame.SPEC_FILE, _settings())
	if spec.problem:
		printerr("sandlot: ", spec.problem)
		get_tree().quit(2)
		return
	add_child(game)
	game.auto_reset = false
	game.build(spec)
	_actions.resize(game.batch.rows() * game.batch.action_size)
	_script = TagPlayer.named("evade" if ai_is_it else "chase", game.rules, 2, null)
	if DisplayServer.get_name() != "headless":
		_show = TagShow.new()
		add_child(_show)
		_show.build(spec.config, game.rules.agents)
	game.reset(0, _words.integer("seed", 1))
	_begin()
	live.legacy_act_fallback = legacy_act_fallback
	live.hello = {"game": "tag", "game_version": spec.version(), "observation_size": game.batch.observation_size}
	live.connected.connect(func(_welcome: Dictionary) -> void: _ask())
	live.acted.connect(_take)
	live.refused.connect(_refused)
	add_child(live)


func _physics_process(delta: float) -> void:
	if game.state == null:
		return
	if not _playing:
		_wait()
		return
	game.play_tick()
	if game.is_step_over():
		_end_step()
	if _show != null:
		_show.show_frame(TagFrame.of(game), delta)


## The network keeps real time, however fast the scene's own time runs.
func _wait() -> void:
	if Time.get_ticks_msec() - _heard_msec > patience_s * 1000.0:
		printerr("sandlot: No server answered within %d s. Start one with `sandlot bridge`." % patience_s)
		get_tree().quit(1)


func _ask() -> void:
	_before.clear()
	for row in game.rules.agents:
		_before.append(game.observation(row))
	var asked := {"Agent1": _before[0]}
	if control_all_agents and not legacy_act_fallback:
		asked["Agent2"] = _before[1]
	_step = live.ask(asked)


func _take(_number: int, actions: Dictionary) -> void:
	var size := game.batch.action_size
	var chosen: Array = [actions.get("Agent1", actions.get("agent", []))]
	chosen.append(actions.get("Agent2", Array(_script.act(_before[1]).slice(0, size))))
	for row in chosen.size():
		for i in size:
			_actions[row * size + i] = clampf(chosen[row][i] if i < chosen[row].size() else 0.0, -1.0, 1.0)
	_heard_msec = Time.get_ticks_msec()
	game.begin_step(_actions)
	_playing = true


func _end_step() -> void:
	game.end_step()
	_playing = false
	var over := game.is_over()
	if training_mode:
		for row in 2 if control_all_agents else 1:
			_tell(row, over)
	if over:
		_finish()
	if live.is_open() and is_physics_processing():
		_ask()


func _tell(row: int, over: bool) -> void:
	var size := game.batch.action_size
	var state := game.state
	var apart := Vector3(state.x[0] - state.x[1], state.y[0] - state.y[1], state.z[0] - state.z[1]).length()
	var info := {
		"role": "seeker" if state.seeker[row] == 1 else "hider",
		"distance_to_other": apart,
		"time_elapsed": state.tick[0] / float(game.rules.tick_rate),
		"episode": _matches + 1,
	}
	if over:
		info.winner = TagGame.WINNERS[state.winner[0]]
		info.terminal_reason = TagGame.REASONS[state.reason[0]]
	live.tell(
		"Agent%d" % (row + 1), _before[row], _actions.slice(row * size, (row + 1) * size), game.batch.rewards[row],
		game.observation(row), game.batch.terminated[row] == 1, game.batch.truncated[row] == 1, info, _step
	)


func _finish() -> void:
	_matches += 1
	_wins[game.state.winner[0]] += 1
	if _words.named.has("matches") and _matches >= _words.integer("matches"):
		print("matches %d, seeker %d, hider %d, policy version %d" % [_matches, _wins[1], _wins[2], live.policy_version])
		set_physics_process(false)
		live.disconnected.connect(func() -> void: get_tree().quit(0))  # when all has been said
		live.stop()
		return
	game.next_match(0)
	_begin()


func _begin() -> void:
	_before.clear()
	if _show != null:
		_show.begin(TagFrame.boxes(game))


func _refused(code: String, text: String) -> void:
	printerr("sandlot: The server refused (%s): %s" % [code, text])
	get_tree().quit(2)


func _settings() -> Dictionary:
	var made := {
		"first_is_seeker": ai_is_it,
		"ticks_per_step": step_tick_interval,
		"tag_bonus": tag_bonus,
		"tagged_penalty": tag_bonus,
		"seeker_progress": progress_reward_scale,
		"hider_progress": progress_reward_scale,
	}
	if OS.get_environment("AI_TIME_LIMIT_SEC"):
		made.time_limit = OS.get_environment("AI_TIME_LIMIT_SEC").to_float()
	return made


func _read_variables() -> void:
	training_mode = _flag("AI_TRAINING_MODE", training_mode)
	control_all_agents = _flag("AI_CONTROL_ALL_AGENTS", control_all_agents)
	ai_is_it = _flag("AI_IS_IT", ai_is_it)
	legacy_act_fallback = _flag("AI_LEGACY_ACT_FALLBACK", legacy_act_fallback)
	step_tick_interval = int(_number("AI_STEP_TICK_INTERVAL", step_tick_interval))
	tag_bonus = _number("AI_WIN_BONUS", tag_bonus)
	progress_reward_scale = _number("AI_DISTANCE_REWARD_SCALE", progress_reward_scale)


static func _flag(name: String, usual: bool) -> bool:
	var text := OS.get_environment(name)
	return text == "1" if text else usual


static func _number(name: String, usual: float) -> float:
	var text := OS.get_environment(name)
	return text.to_float() if text else usual
