class_name SandlotAgent
extends Node
## One thing that decides: collects what it observes, holds the action it was given, and adds up its rewards.
##
## Put it below the body that it steers. Give it sensors (any node with `sense() -> PackedFloat32Array` and
## `size() -> int`), or override [method observe_self]. Read [member action] in `_physics_process`.

signal episode_ended(terminated: bool)

## What this agent plays: agents of one role share a policy.
@export var role := &"agent"
## Nodes that are asked for numbers, in this order, before every decision.
@export var sensors: Array[Node] = []
## How many numbers [method observe_self] returns.
@export_range(0, 4096) var self_size := 0
## How many numbers an action has, each from -1 to 1.
@export_range(1, 256) var action_size := 2

var action := PackedFloat32Array()  ## what to do until the next decision
var reward := 0.0  ## since the last decision
var terms := {}  ## what made it up, by name, over the whole episode
var terminated := false  ## the game ended for this agent
var truncated := false  ## only our watching stopped


func _ready() -> void:
	action.resize(action_size)


## Override: what the agent knows of itself, each number about -1 to 1.
func observe_self() -> PackedFloat32Array:
	var nothing := PackedFloat32Array()
	nothing.resize(self_size)
	return nothing


## Override: put the agent back where an episode begins; draw everything random from `random`.
func begin_episode(_random: SandlotRandom) -> void:
	pass


func observation_size() -> int:
	var size := self_size
	for sensor in sensors:
		size += int(sensor.call("size"))
	return size


func observe() -> PackedFloat32Array:
	var out := observe_self()
	for sensor in sensors:
		out.append_array(sensor.call("sense"))
	assert(out.size() == observation_size(), "%s: observe_self returned another size than self_size." % get_path())
	return out


## Pay for something. The name makes it visible in the run's metrics.
func pay(term: StringName, amount: float) -> void:
	reward += amount
	terms[term] = terms.get(term, 0.0) + amount


func end_episode(by_the_game: bool) -> void:
	terminated = by_the_game
	truncated = not by_the_game
	episode_ended.emit(by_the_game)


## Forget the last decision's reward; called once it was sent.
func settle() -> void:
	reward = 0.0
	terminated = false
	truncated = false
