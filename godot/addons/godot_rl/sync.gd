class_name Sync
extends Node
## Steers the agents of a scene: a person, a trainer or a trained network. The interface of the Godot RL Agents plugin.
##
## Put one into the scene. In TRAINING it connects to the trainer that waits at [member port] and plays in lock-step with
## it: a message, then [member action_repeat] physics ticks. A trainer that starts the game itself names the settings on
## the command line: --port= --env_seed= --speedup= --action_repeat= --trainer_timeout=

enum ControlModes { HUMAN, TRAINING, ONNX_INFERENCE }

const ArgumentsScript := preload("sync/arguments.gd")
const ConnectionScript := preload("sync/connection.gd")
const RosterScript := preload("sync/roster.gd")
const SessionScript := preload("sync/trainer_session.gd")
const InferenceScript := preload("sync/inference.gd")
const RecorderScript := preload("sync/demo_recorder.gd")
const GROUP := &"GODOT_RL_SYNC"
const DIAL_S := 2.0  ## for a trainer that was started beforehand
const LAUNCHED_DIAL_S := 30.0  ## for one that started this game and does not listen yet
const USUAL_SEED := 1
const COULD_NOT_RUN := 1  ## exit code

## Who decides for agents that do not say it themselves.
@export var control_mode := ControlModes.TRAINING
## Physics ticks per decision.
@export_range(1, 100, 1, "or_greater") var action_repeat := 8
## How many times faster than real time; the simulated time of a physics tick stays the same.
@export_range(0.1, 100.0, 0.1, "or_greater") var speed_up := 1.0
## The network of ONNX_INFERENCE, for agents without one of their own.
@export_file("*.onnx") var onnx_model_path := ""
## Networks take the likeliest choice of a discrete action; off: one drawn by its probability.
@export var deterministic_inference := true

@export_group("Trainer")
## Where the trainer listens on this machine.
@export_range(1, 65535) var port := 11008
## The longest silence of a connected trainer, in seconds, before the game ends; 0 is no limit.
@export_range(0.0, 86400.0, 1.0, "suffix:s") var trainer_timeout_s := 600.0
## Methods of the agents that the trainer may call by name.
@export var callable_methods: PackedStringArray = []

var args := {}  ## every `--key=value` of the command line, for the game to read

var _roster: RosterScript
var _session: SessionScript
var _inference: InferenceScript
var _recorder: RecorderScript
var _ticks := 0


func _init() -> void:
	args = ArgumentsScript.parse(OS.get_cmdline_args())


func _enter_tree() -> void:
	add_to_group(GROUP)
	seed(ArgumentsScript.integer(args, "env_seed", USUAL_SEED))  # before the scene's _ready() draws


func _ready() -> void:
	set_physics_process(false)
	set_process_input(false)
	if not get_parent().is_node_ready():
		await get_parent().ready
	if _stands_back():
		return
	_roster = RosterScript.of(get_tree(), control_mode)
	while _is_autoload() and _roster.all.is_empty():  # a menu, perhaps; agents come with another scene
		await get_tree().physics_frame
		if _stands_back():
			return
		_roster = RosterScript.of(get_tree(), control_mode)
	_begin()


func _physics_process(_delta: float) -> void:
	if _recorder:
		_recorder.tick()
		_end_if(_recorder.problem)
	if _ticks % action_repeat == 0:
		_decide()
	_ticks += 1


func _input(event: InputEvent) -> void:
	_recorder.input(event)


# ---------------------------------------------------------------- how it begins


func _begin() -> void:
	action_repeat = maxi(ArgumentsScript.integer(args, "action_repeat", action_repeat), 1)
	_set_pace(ArgumentsScript.number(args, "speedup", speed_up))
	if _end_if(_roster.problem):
		return
	if _roster.all.is_empty():
		push_warning("godot_rl: no node of the scene is in the group AGENT, so there is nothing to do.")
		return
	_set_heuristic(_roster.all, "human")
	if not _roster.training.is_empty() and not _connect_trainer():
		return
	if not _roster.inference.is_empty():
		_inference = InferenceScript.new(_roster.inference, onnx_model_path)
		_inference.is_deterministic = deterministic_inference
		if _end_if(_inference.problem):
			return
		_set_heuristic(_roster.inference, "model")
		print("godot_rl: networks play %d agents." % _roster.inference.size())
	if _roster.recording:
		_recorder = RecorderScript.new(_roster.recording)
		if _end_if(_recorder.problem):
			return
		_set_heuristic([_roster.recording] as Array[Node], "demo_record")
		set_process_input(true)
	seed(ArgumentsScript.integer(args, "env_seed", USUAL_SEED))
	set_physics_process(true)


## False: the game ends. Where nobody listens, and no trainer started this game, a person plays.
func _connect_trainer() -> bool:
	var is_launched: bool = args.has("port")
	if not is_launched and not OS.is_debug_build() and not OS.get_environment("SANDLOT_ALLOW_NETWORK"):
		print("godot_rl: this is a release build, which connects to a trainer only with --port= (or the variable ")
		print("SANDLOT_ALLOW_NETWORK=1), so a person plays.")
		return true
	var connection := ConnectionScript.new()
	connection.timeout_s = ArgumentsScript.number(args, "trainer_timeout", trainer_timeout_s)
	if not connection.open(ArgumentsScript.integer(args, "port", port), LAUNCHED_DIAL_S if is_launched else DIAL_S):
		if is_launched:
			return not _end_if(connection.problem)
		print("godot_rl: %s, so a person plays. Start the trainer first, for example: gdrl" % connection.problem)
		return true
	_session = SessionScript.new(connection, _roster)
	_session.callable_methods = callable_methods
	_session.facts = {"action_repeat": action_repeat, "ticks_per_second": roundi(Engine.physics_ticks_per_second / Engine.time_scale)}
	if not _session.begin():
		return not _end_if(_session.problem)
	_set_heuristic(_roster.training, "model")
	if DisplayServer.get_name() == "headless":
		OS.low_processor_usage_mode_sleep_usec = 1  # else every frame sleeps 7 ms, whatever the speed-up
	print("godot_rl: training %d agents, %d physics ticks per action, speed-up %s." % [
		_roster.training.size(), action_repeat, String.num(Engine.time_scale)
	])
	return true


## More ticks per second of the clock, each of which simulates as long as before.
func _set_pace(asked: float) -> void:
	speed_up = asked if asked > 0.0 else 1.0
	Engine.physics_ticks_per_second = maxi(roundi(Engine.physics_ticks_per_second * speed_up), 1)
	Engine.time_scale = speed_up
	Engine.max_physics_steps_per_frame = maxi(Engine.max_physics_steps_per_frame, ceili(speed_up))


func _set_heuristic(agents: Array[Node], by: String) -> void:
	for agent in agents:
		if agent.has_method("set_heuristic"):
			agent.call("set_heuristic", by)


## One Sync steers a scene: its own one rather than the autoload, the first of several.
func _stands_back() -> bool:
	var others := get_tree().get_nodes_in_group(GROUP)
	others.erase(self)
	if others.is_empty():
		return false
	if _is_autoload():
		return true
	for other: Sync in others:
		if not other._is_autoload() and is_greater_than(other):
			push_warning("godot_rl: the scene has several Sync nodes; %s does nothing." % get_path())
			return true
	return false


func _is_autoload() -> bool:
	return get_parent() == get_tree().root and get_tree().current_scene != self


# ---------------------------------------------------------------- how it goes on, and ends


func _decide() -> void:
	if _session:
		_session.decide()
		if _session.is_closed:
			_end(0)
			return
		if _end_if(_session.problem):
			return
	if _inference:
		_inference.decide()
		_end_if(_inference.problem)


## End the game where something is wrong, with a sentence.
func _end_if(problem: String) -> bool:
	if problem:
		printerr("godot_rl: %s." % problem)
		_end(COULD_NOT_RUN)
	return not problem.is_empty()


func _end(exit_code: int) -> void:
	set_physics_process(false)
	get_tree().quit(exit_code)
