@tool
@icon("res://addons/sandlot/icons/trainer.svg")
class_name SandlotTrainer
extends Node
## Makes a scene trainable: put one into it, below or beside the [SandlotAgent]s, and run `sandlot train --project DIR`.
##
## It finds the agents, describes the game to the trainer by what they observe, do and report, makes as many
## arenas as the trainer asks for, and plays them in lock-step. Without a trainer (the variable SANDLOT_URL is not
## set) the scene simply plays: with trained policies where agents name one, else by hand.
##
## What an arena is: the [member arena] scene if there is one; else each child of this node with agents below it;
## else the whole scene that this node belongs to. Every arena but the first lives in a physics world of its own,
## at the same coordinates.

const GROUP := &"sandlot_trainer"

## The game of one arena, to be made many times. Empty: what is in the scene already.
@export var arena: PackedScene:
	set(value):
		arena = value
		update_configuration_warnings()
## How many arenas are wanted in training; `--arenas` overrides it.
@export_range(1, 4096) var arenas := 16
## Physics ticks from one decision to the next; `--set settings.action_repeat=8` goes over it.
@export_range(1, 1000) var ticks_per_step := 4
## Decisions after which an episode is cut off, as a truncation; 0: the game alone ends it.
@export_range(0, 1000000) var max_steps := 1000
## Who decides: "auto" is the trainer when it starts the scene, else a policy where an agent names one, else a
## person. "training" also waits for a trainer at port 8765, "policy" wants one for every agent, "human" plays by hand.
@export_enum("auto", "training", "policy", "human") var control := "auto"
## The game's name in runs; empty: the name of the project.
@export var game_name := ""
## In play, let F3 show what each agent sees, does and is rewarded for; never in a release build.
@export var overlay := true
## The version of the rules; runs of other versions are not compared with each other.
@export var game_version := "1"

## What an episode came to, by the names of the spec: after it ended and before the next one begins.
signal episode_finished(arena_index: int, episode: Dictionary)

const BEFORE_FIRST := -1
const ACTION_REPEAT := "action_repeat"  # the setting's name

enum Mode { WAITING, TRAINING, PLAYING, FAILED }

var mode := Mode.WAITING
var document := {}  ## the spec of this scene
var problem := ""
var director: RefCounted  ## who decides in play instead of policies and people, such as the HTTP API

var _link: SandlotLink
var _batch: SandlotBatch
var _running: Array[SandlotArena] = []
var _tick := 0
var _auto_reset := true
var _template: Node  # a copy of the child that is the arena, from before it was ready
var _errors: RefCounted
var _roots := PackedInt64Array()
var _policies := {}  # of agents, in play
var _players := {}  # of agents, in play: the path of the policy, "" for a person
var _episodes_left := 0
var _replay := {}  # a recorded episode to play again: seed, actions, first_step, return


func _enter_tree() -> void:
	if Engine.is_editor_hint():
		return
	if _errors == null and OS.get_environment("SANDLOT_URL"):
		_watch_for_errors()
	process_physics_priority = -1_000_000  # before the game's nodes: they see this tick's action
	if arena == null and not _template:
		for child in get_children():
			if SandlotAgent._count_agents(child):
				_template = child.duplicate()
				break


func _exit_tree() -> void:
	if _template:
		_template.free()
		_template = null
	if _errors:
		OS.call("remove_logger", _errors)
		_errors = null


func _ready() -> void:
	set_physics_process(false)
	if Engine.is_editor_hint():
		return
	add_to_group(GROUP)
	_first_arenas()
	# bodies are taken up by their physics space at its first tick
	await get_tree().physics_frame
	if control == "training" or OS.get_environment("SANDLOT_URL"):
		await _begin_training()
	else:
		_begin_playing()


func _physics_process(_delta: float) -> void:
	if _tick == BEFORE_FIRST:  # the tick that begins now is the first one of the game
		_tick = 0
		return
	for one in _running:
		one.after_tick()
	_tick += 1
	if _tick < ticks_per_step:
		return
	_tick = 0
	if mode == Mode.TRAINING:
		_train_step()
	elif mode == Mode.PLAYING:
		_play_step()


func _get_configuration_warnings() -> PackedStringArray:
	var made := PackedStringArray()
	var agents := SandlotEditorHints.agents_of(owner if owner else self)
	if arena == null and agents.is_empty():
		made.append("There is no SandlotAgent. Add one below the body that it steers, or set the arena scene.")
	for agent in agents:
		var large := SandlotEditorHints.size_warning("What the sensors of %s see" % agent.name, SandlotEditorHints.sensed_by(agent))
		if large:
			made.append(large)
	return made


# ---------------------------------------------------------------- arenas


## The arenas that are there; one is made where there are none.
func _first_arenas() -> void:
	if arena:
		_place(arena.instantiate())
		return
	for child in get_children():
		if SandlotAgent._count_agents(child):
			_running.append(SandlotArena.of(child))
	if _running.is_empty():
		_running.append(SandlotArena.of(owner if owner else self))


## As many arenas as were asked for.
func _make_arenas(count: int) -> void:
	while _running.size() > count:
		_running.pop_back().root.queue_free()
	while _running.size() < count:
		_place(_copy())


func _copy() -> Node:
	if arena:
		return arena.instantiate()
	if _template:
		return _template.duplicate()
	var made: Node = (load(owner.scene_file_path) as PackedScene).instantiate()
	_remove_trainers(made)
	return made


static func _remove_trainers(node: Node) -> void:
	for child in node.get_children():
		if child is SandlotTrainer:
			node.remove_child(child)
			child.free()
		else:
			_remove_trainers(child)


## The first arena is seen in the window; every other one gets a physics world of its own, and is not drawn.
func _place(root: Node) -> void:
	var below: Node = self
	if not _running.is_empty():
		var viewport := SubViewport.new()
		viewport.own_world_3d = true
		viewport.render_target_update_mode = SubViewport.UPDATE_DISABLED
		viewport.gui_disable_input = true
		viewport.size = Vector2i(2, 2)
		add_child(viewport)
		below = viewport
	below.add_child(root)
	_running.append(SandlotArena.of(root))


# ---------------------------------------------------------------- the spec


## Describe the scene by its first arena, at the beginning of an episode. Empty when that is not possible.
func describe() -> Dictionary:
	var first := _running[0]
	if not first.agents.is_empty():
		first.reset(0)
	var project := str(ProjectSettings.get_setting("application/config/name", "game"))
	var about := {
		"schema_version": 1,
		"source": "godot",
		"name": game_name if game_name else project.to_snake_case().replace(" ", "_"),
		"title": project,
		"version": game_version,
		"tick_rate": Engine.physics_ticks_per_second,
		"ticks_per_step": ticks_per_step,
		"arenas": arenas,
		"max_steps": max_steps,
	}
	var spec := SandlotSceneSpec.of(first, about)
	problem = spec.problem if spec.problem else first.first_problem()
	document = {} if problem else spec.document
	if not problem and not document.knobs.any(func(knob: Dictionary) -> bool: return knob.name == ACTION_REPEAT):
		document.knobs.append({
			"name": ACTION_REPEAT, "kind": "integer", "low": 1, "high": 1000, "defaults": [ticks_per_step], "unit": "ticks",
			"text": "physics ticks per decision; the time limit stays as long",
		})
	for i in 0 if problem else first.agents.size():
		var agent := first.agents[i]
		var large := SandlotEditorHints.size_warning("What the agent %s observes" % agent.name, _numbers_without_pictures(agent))
		if large:
			push_warning(large)
	for one in _running:
		one.sizes = first.sizes
	return document


## Decide as often as the setting says; an episode may take as many ticks as before.
func _pace(config: Dictionary) -> void:
	var ticks := int(config.get(ACTION_REPEAT, ticks_per_step))
	if max_steps:
		max_steps = maxi(1, roundi(float(max_steps) * ticks_per_step / ticks))
	ticks_per_step = ticks


static func _numbers_without_pictures(agent: SandlotAgent) -> int:
	var sum := 0
	for field in agent.declared_fields():
		sum += 0 if field.get("image", false) else SandlotSceneSpec._size([field])
	return sum


# ---------------------------------------------------------------- training


func _begin_training() -> void:
	_link = SandlotLink.new()
	add_child(_link)
	if control in ["policy", "human"]:
		problem = "The SandlotTrainer of this scene is set to control = %s. Set it to auto or training to train it." % control
	if not _stopped():
		describe()
	if _stopped():
		return
	var hello := {"game": document.name, "game_version": document.version, "spec": document}
	var welcome := _link.connect_to_trainer("", hello)
	if welcome.is_empty():
		_quit(2)
		return
	_pace(welcome.config)
	_make_arenas(int(welcome.worlds))
	for one in _running:
		one.sizes = _running[0].sizes
		one.configure(welcome.config)
	_auto_reset = bool(welcome.get("autoreset", true))
	_batch = SandlotBatch.from_welcome(welcome)
	_roots.resize(_batch.worlds)
	_link.look = func(_world: int) -> Dictionary: return {}
	await get_tree().physics_frame
	mode = Mode.TRAINING
	_follow(_link.await_command())
	_tick = BEFORE_FIRST


## One decision is over: collect what came of it, ask for the next.
func _train_step() -> void:
	_batch.begin_step()
	for world in _running.size():
		_finish_step(world)
	_follow(_link.exchange(_batch) if not _stopped() else SandlotLink.Command.CLOSE)


## Resets are answered at once; a step is played by the engine's next ticks.
func _follow(command: SandlotLink.Command) -> void:
	while command == SandlotLink.Command.RESET:
		_batch.begin_step()
		for i in _link.reset_worlds.size():
			_running[_link.reset_worlds[i]].reset(_link.seeds[i])
			_show(_link.reset_worlds[i])
		if _stopped():
			return
		command = _link.exchange(_batch)
	if mode == Mode.FAILED:
		return
	if command == SandlotLink.Command.CLOSE:
		_quit(_link.exit_code())
		return
	for world in _running.size():
		_act(world)
	set_physics_process(true)
	_tick = 0


func _finish_step(world: int) -> void:
	var one := _running[world]
	one.after_decision(max_steps)
	_batch.ticks[world] = one.step_ticks
	one.step_ticks = 0
	var first := world * _batch.agents
	for i in one.agents.size():
		_batch.rewards[first + i] = one.agents[i].step_reward
		one.agents[i].next_decision()
		if one.over:
			_batch.terminated[first + i] = int(one.terminated)
			_batch.truncated[first + i] = int(not one.terminated)
	if one.over:
		_batch.ended.append(world)
		for seen in one.finals:
			_batch.final_observations.append_array(_padded(seen))
		_batch.episodes.append_array(_finished(world))
		if _auto_reset:
			one.next_episode()
	_show(world)


func _show(world: int) -> void:
	var one := _running[world]
	var seen := one.finals if one.over else one.observe()
	var wide := _batch.observation_size
	for i in seen.size():
		var at := (world * _batch.agents + i) * wide
		for j in mini(seen[i].size(), wide):
			_batch.observations[at + j] = seen[i][j]
		if _batch.masked:
			_show_mask(world * _batch.agents + i, one.agents[i])


func _show_mask(row: int, agent: SandlotAgent) -> void:
	var allowed := agent.mask()
	for j in _batch.action_count:
		_batch.masks[row * _batch.action_count + j] = allowed[j] if j < allowed.size() else 1


## Of a role that observes less than others: zeros behind its own numbers.
func _padded(seen: PackedFloat32Array) -> PackedFloat32Array:
	if seen.size() != _batch.observation_size:
		seen = seen.duplicate()
		seen.resize(_batch.observation_size)
	return seen


func _act(world: int) -> void:
	var one := _running[world]
	for i in one.agents.size():
		var row := world * _batch.agents + i
		if _batch.action_count:
			one.agents[i].take(PackedFloat32Array([_link.choices[row]]))
		else:
			one.agents[i].take(_link.actions.slice(row * _batch.action_size, (row + 1) * _batch.action_size))


## The numbers of an episode that is over; the signal gives them by name.
func _finished(world: int) -> PackedFloat32Array:
	var one := _running[world]
	var rate := float(Engine.physics_ticks_per_second)
	var block := SandlotSceneSpec.episode_block(one, document.episode, rate)
	var named := {"terminated": one.terminated}
	for i in document.episode.size():
		var field: Dictionary = document.episode[i]
		if not field.has("shape"):
			named[field.name] = block[i]
	episode_finished.emit(world, named)
	return block


# ---------------------------------------------------------------- playing without a trainer


## Words after `--`: --policy=FILE or --policy.ROLE=FILE, --seed=N, --episodes=N (then quit), --set.NAME=VALUE;
## --replay=FILE plays a recorded episode, and then stands still.
func _begin_playing() -> void:
	var words := SandlotArguments.parse()
	var first := _running[0]
	first.configure(words.settings())
	_pace(words.settings())
	describe()
	if problem:
		_fail(problem)
		return
	for one in _running:
		for agent in one.agents:
			_choose_player(agent, words)
	if mode == Mode.FAILED:
		return
	_episodes_left = words.integer("episodes", 0)
	if words.named.has("replay") and not _open_replay(words.text("replay")):
		return
	if SandlotArguments.variable("AI_RECORD") and not _replay.get("first_step"):
		_record()
	var generator := RandomNumberGenerator.new()
	mode = Mode.PLAYING
	if overlay and OS.is_debug_build() and DisplayServer.get_name() != "headless" and not SandlotOverlay.is_in(get_tree()):
		add_child(SandlotOverlay.new())
	for i in _running.size():
		var drawn := (generator.randi() << 32) | generator.randi()
		if i == 0 and (_replay or words.named.has("seed")):
			drawn = SandlotWire.seed_from_text(_replay.get("seed", words.text("seed")))
		_running[i].reset(drawn)
		_decide(_running[i])
	_tick = BEFORE_FIRST
	set_physics_process(true)


func _open_replay(path: String) -> bool:
	var read: Variant = JSON.parse_string(FileAccess.get_file_as_string(path))
	if read is not Dictionary or not read.has_all(["seed", "actions"]):
		_fail("%s is no recorded episode." % path)
		return false
	_replay = read
	return true


## The next step of a recorded episode; after the last one the scene stands still.
func _play_again(one: SandlotArena) -> void:
	if one.steps == int(_replay.get("first_step", 0)) and one.steps and SandlotArguments.variable("AI_RECORD"):
		_record()
	if one.steps < _replay.actions.size():
		for i in one.agents.size():
			var row: Variant = _replay.actions[one.steps][i]
			one.agents[i].collect()
			one.agents[i].take(PackedFloat32Array(row if row is Array else [row]))
		return
	var returned := one.agents[0].episode_return
	if _replay.has("return") and absf(returned - _replay["return"]) > 1e-3 * maxf(1.0, absf(returned)):
		_fail("The recorded episode plays otherwise here: its return was %s, now it is %s." % [_replay["return"], returned])
		return
	set_physics_process(false)
	get_tree().paused = true


## Save pictures, as large as the window, whatever the project's own size is.
func _record() -> void:
	var window := get_window()
	if window.content_scale_mode == Window.CONTENT_SCALE_MODE_DISABLED:
		window.content_scale_size = Vector2i(
			ProjectSettings.get_setting("display/window/size/viewport_width"),
			ProjectSettings.get_setting("display/window/size/viewport_height")
		)
		window.content_scale_mode = Window.CONTENT_SCALE_MODE_CANVAS_ITEMS
	window.content_scale_aspect = Window.CONTENT_SCALE_ASPECT_KEEP
	var recorder := SandlotFrameRecorder.new()
	recorder.process_mode = Node.PROCESS_MODE_ALWAYS  # the last picture is held
	add_child(recorder)


## The agents that are played here: those of the first arena.
func playing_agents() -> Array[SandlotAgent]:
	var nobody: Array[SandlotAgent] = []
	return _running[0].agents if mode == Mode.PLAYING else nobody


## Who decides for an agent in play: the path of a policy, or "" for a person.
func player_of(agent: SandlotAgent) -> String:
	return _players.get(agent, "")


## Let a policy's file decide for an agent in play, or with "" a person, from the next decision on. Returns why not.
func set_player(agent: SandlotAgent, path: String) -> String:
	if path and player_of(agent) != path:
		var policy := _shared_policy(agent, path)
		var one := _arena_of(agent)
		var size: int = one.sizes[one.agents.find(agent)]
		if policy.problem:
			return policy.problem
		if policy.observation_size() != size:
			return "The policy %s observes %d numbers, the agent %s %d. Export one that was trained in this scene." % [
				path, policy.observation_size(), agent.get_path(), size
			]
		policy.forget()  # its agents have other places in its memory now
		_policies[agent] = policy
	elif not path:
		_policies.erase(agent)
	_players[agent] = path
	return ""


## Agents of one arena that decide by the same file at the same pace are asked for in one call.
func _shared_policy(agent: SandlotAgent, path: String) -> SandlotPolicy:
	for other in _arena_of(agent).agents:
		if _policies.has(other) and player_of(other) == path and other.policy_every == agent.policy_every:
			return _policies[other]
	return SandlotPolicy.open(path)


func _arena_of(agent: SandlotAgent) -> SandlotArena:
	for one in _running:
		if one.agents.has(agent):
			return one
	return null


## By words of the command line, the agent's and our own setting.
func _choose_player(agent: SandlotAgent, words: SandlotArguments) -> void:
	var path := words.text("policy.%s" % agent.role, words.text("policy", agent.policy_path))
	var wanted := agent.control if agent.control != "auto" else control
	if wanted == "policy" and not path:
		_fail("The agent %s is to be played by a policy and has no policy_path." % agent.get_path())
		return
	var wrong := set_player(agent, "" if wanted == "human" else path)
	if wrong:
		_fail(wrong)


# ---------------------------------------------------------------- for a director


func first_arena() -> SandlotArena:
	return _running[0]


## Begin a new episode in the first arena.
func restart(seed_value: int) -> void:
	_running[0].reset(seed_value)
	for agent in _running[0].agents:
		if _policies.has(agent):
			_policies[agent].forget()


## Ask everybody of the first arena for a decision now.
func decide() -> void:
	_decide(_running[0])


## Go on after standing still: a whole decision is played from here.
func resume() -> void:
	_tick = BEFORE_FIRST


# ---------------------------------------------------------------- playing, step by step


func _play_step() -> void:
	for i in _running.size():
		var one := _running[i]
		one.after_decision(max_steps)
		if i == 0 and _replay:
			_play_again(one)
			return
		if i == 0 and director and not director.call("decision_over", one):
			continue
		if one.over:
			_finished(i)
			_print_episode(i)
			one.next_episode()
			for agent: SandlotAgent in _policies:
				if one.agents.has(agent):
					_policies[agent].forget()
		_decide(one)
	var wrong := _running[0].first_problem()
	if wrong:
		_fail(wrong)


func _decide(one: SandlotArena) -> void:
	if _replay and one == _running[0]:
		_play_again(one)
		return
	var together := {}  # agents by the policy that decides for them
	for agent in one.agents:
		agent.next_decision()
		agent.collect()
		var directed: PackedFloat32Array = director.call("action_of", agent) if director else PackedFloat32Array()
		if directed:
			agent.take(directed)
		elif not _policies.has(agent):
			agent.take_human()
		elif one.steps % agent.policy_every:
			agent.take(agent.numbers)  # once more
		else:
			together.get_or_add(_policies[agent], [] as Array[SandlotAgent]).append(agent)
	for policy: SandlotPolicy in together:
		_decide_together(policy, together[policy])


static func _decide_together(policy: SandlotPolicy, agents: Array[SandlotAgent]) -> void:
	var seen: Array[PackedFloat32Array] = []
	var masks: Array[PackedFloat32Array] = []
	for agent in agents:
		seen.append(agent.observation)
		masks.append(PackedFloat32Array(Array(agent.mask())))
	var actions := policy.act_many(seen, masks)
	for i in actions.size():
		agents[i].take(actions[i])


## One JSON line per episode, for whoever reads the log; the last one asked for ends the scene.
func _print_episode(world: int) -> void:
	if world != 0 or (_policies.is_empty() and _episodes_left == 0):
		return
	var one := _running[0]
	var block := SandlotSceneSpec.episode_block(one, document.episode, Engine.physics_ticks_per_second)
	var row := {"terminated": one.terminated}
	var at := 0
	for field: Dictionary in document.episode:
		var size: int = field.get("shape", [1])[0]
		row[field.name] = block[at] if size == 1 else Array(block.slice(at, at + size))
		at += size
	print("sandlot episode ", JSON.stringify(row))
	if _episodes_left > 0:
		_episodes_left -= 1
		if _episodes_left == 0:
			_quit(0)


# ---------------------------------------------------------------- what goes wrong


## Script errors of the game, where the engine lets us see them (Godot 4.5).
func _watch_for_errors() -> void:
	if ClassDB.class_exists("Logger") and OS.has_method("add_logger"):
		var script: GDScript = load((get_script() as Script).resource_path.get_base_dir().path_join("error_watch.gd"))
		_errors = script.new()
		OS.call("add_logger", _errors)


## Whether something is wrong; then the trainer is informed, and the game ends.
func _stopped() -> bool:
	if mode == Mode.FAILED:
		return true
	if not problem:
		for one in _running:
			problem = one.first_problem()
			if problem:
				break
	if _errors and _errors.get("text"):
		problem = "A script of the game failed: %s." % _errors.get("text")
	if problem:
		_fail(problem)
	return not problem.is_empty()


func _fail(what: String) -> void:
	problem = what
	mode = Mode.FAILED
	if _link:
		_link.send_failure(what)
	printerr("sandlot: ", what)
	_quit(2)


func _quit(code: int) -> void:
	set_physics_process(false)
	if _link and _link.problem and mode != Mode.FAILED:
		printerr("sandlot: ", _link.problem)
	mode = Mode.FAILED if code else Mode.WAITING
	get_tree().quit(code)
