class_name AIController3D
extends Node3D
## One agent: what it observes, what it may do, what it is rewarded for. The interface of the Godot RL Agents plugin.
##
## Put it below the body that it steers, let its script extend this one, and override [method get_obs],
## [method get_reward], [method get_action_space] and [method set_action]. A [Sync] in the scene does the rest.

enum ControlModes { INHERIT_FROM_SYNC, HUMAN, TRAINING, ONNX_INFERENCE, RECORD_EXPERT_DEMOS }

## Who decides for this agent; INHERIT_FROM_SYNC takes the mode of the Sync node.
@export var control_mode := ControlModes.INHERIT_FROM_SYNC
## The network of ONNX_INFERENCE; empty takes that of the Sync node.
@export_file("*.onnx") var onnx_model_path := ""
## Physics ticks after which needs_reset is raised.
@export_range(1, 100000, 1, "or_greater") var reset_after := 1000

@export_group("Expert demonstrations")
## The JSON file that RECORD_EXPERT_DEMOS writes.
@export_global_file("*.json") var expert_demo_save_path := ""
## An event that drops the last recorded episode.
@export var remove_last_episode_key: InputEvent
## Physics ticks per recorded action.
@export_range(1, 100, 1, "or_greater") var action_repeat := 1

@export_group("Several policies")
## Agents of one name are trained together.
@export var policy_name := "shared_policy"

var onnx_model: RefCounted  ## the network that decides, in ONNX_INFERENCE
var heuristic := "human"  ## who decides now: "human", "model" or "demo_record"
## The episode is over: set by the game, cleared by [Sync] when the trainer has read it.
var done := false:
	set(value):
		_godot_rl_episode.before_done(self, value)
		done = value
## The episode was only cut off. Set it with [member done]; a time limit by [member reset_after] sets it by itself.
var truncated := false
var reward := 0.0  ## since the trainer last read it
var n_steps := 0  ## physics ticks of the episode
var needs_reset := false  ## the game should begin a new episode and call [method reset]

var _player: Node3D
var _godot_rl_episode := preload("controller_episode.gd").new()


func _ready() -> void:
	add_to_group("AGENT")


## Name the body that this agent steers.
func init(player: Node3D) -> void:
	_player = player


# ---------------------------------------------------------------- override these


## Override: what the agent knows, a list of numbers about -1 to 1 under the key "obs". Other keys are optional.
func get_obs() -> Dictionary:
	push_error("%s: get_obs() is not written; its script should extend AIController3D and override it." % get_path())
	return {"obs": []}


## Override: the reward since the last decision, normally [member reward].
func get_reward() -> float:
	push_error("%s: get_reward() is not written; its script should extend AIController3D and override it." % get_path())
	return 0.0


## Override: {"move": {"size": 2, "action_type": "continuous"}, "jump": {"size": 2, "action_type": "discrete"}}.
func get_action_space() -> Dictionary:
	push_error("%s: get_action_space() is not written; its script should extend AIController3D and override it." % get_path())
	return {"action": {"size": 1, "action_type": "continuous"}}


## Override: keep what was decided, by head: a list of numbers from -1 to 1, or the index of a choice (as a float).
## When demonstrations are recorded it is called without an argument, and takes what a person's keys ask for.
func set_action(_action) -> void:
	push_error("%s: set_action() is not written; its script should extend AIController3D and override it." % get_path())


# ---------------------------------------------------------------- override where you like


## Override where an observation has more than the key "obs", or images: {"camera_2d": {"size": [3, 36, 36], "space": "box"}}.
func get_obs_space() -> Dictionary:
	return {"obs": {"size": [get_obs().obs.size()], "space": "box"}}


## Override to record demonstrations: the numbers of the action that is applied, all heads in one list.
func get_action() -> Array:
	push_error("%s: get_action() is not written; recording demonstrations needs it." % get_path())
	return []


## Override: what else a trainer may want to know, such as {"is_success": true}.
func get_info() -> Dictionary:
	return {}


## A new episode: call it from the game. An override should call super.
func reset() -> void:
	_godot_rl_episode.before_reset(self)
	n_steps = 0
	needs_reset = false


# ---------------------------------------------------------------- for the game and for Sync


func reset_if_done() -> void:
	if done:
		reset()


func set_heuristic(by: String) -> void:
	heuristic = by


func get_done() -> bool:
	return done


func set_done_false() -> void:
	done = false


func zero_reward() -> void:
	reward = 0.0


func _physics_process(_delta: float) -> void:
	_godot_rl_episode.tick(self)
