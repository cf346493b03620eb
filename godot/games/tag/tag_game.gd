class_name TagGame
extends Node3D
## All arenas of one process: begins matches, plays ticks, and writes what the trainer wants to know.
##
## The same rules as the native engine; only what stops a body and what a ray meets is asked of Godot's physics.
## A step is a decision: [method begin_step], `ticks_per_step` times [method play_tick], [method end_step].

enum Event { START, TAG, PASS, TIMEOUT, JUMP, LAND, SIGHT }

const WINNERS: Array[String] = ["nobody", "seeker", "hider"]
const REASONS: Array[String] = ["none", "tag", "timeout"]
const SPEC_FILE := "res://games/tag/spec.json"

signal match_began(world: int)
signal match_ended(world: int)

var spec: SandlotSpec
var rules: TagRules
var state: TagState
var bodies: TagBodies
var sight: TagSight
var score: TagScore
var batch: SandlotBatch
var auto_reset := true  ## begin the next match of a world as soon as one has ended

var _spawn: TagSpawn
var _motion: TagMotion
var _roots := PackedInt64Array()  # the seed that each world was reset with
var _episodes := PackedInt64Array()  # matches since then


## Build the arenas. Call it when this node is in the tree.
func build(game_spec: SandlotSpec, worlds := 1) -> void:
	spec = game_spec
	rules = TagRules.new(spec.config)
	state = TagState.new(worlds, rules.agents)
	bodies = TagBodies.new()
	bodies.name = "Bodies"
	add_child(bodies)
	bodies.build(rules, state)
	sight = TagSight.new(rules, state, bodies)
	score = TagScore.new(rules, state, bodies)
	_spawn = TagSpawn.new(rules, state)
	_motion = TagMotion.new(rules, state, bodies)
	_roots.resize(worlds)
	_episodes.resize(worlds)
	batch = SandlotBatch.from_welcome(_sizes(worlds))


## Begin a world's first match; those that follow get the children of this seed.
func reset(world: int, seed_value: int) -> void:
	_roots[world] = seed_value
	_episodes[world] = 0
	_begin(world)


## Begin a world's next match.
func next_match(world: int) -> void:
	_episodes[world] += 1
	_begin(world)


## A whole step of every arena.
func step(actions: PackedFloat32Array) -> void:
	begin_step(actions)
	for _tick in rules.ticks_per_step:
		play_tick()
	end_step()


## Read everybody's action: [rows · action_size].
func begin_step(actions: PackedFloat32Array) -> void:
	batch.begin_step()
	for world in state.worlds:
		state.step_ticks[world] = 0
		state.events[world] = []
		if state.reason[world] != TagRules.Reason.NONE:
			continue
		score.begin(world)
		for agent in state.agents:
			_motion.decide(world * state.agents + agent, world, actions)


## One tick of every match that is not over.
func play_tick() -> void:
	for world in state.worlds:
		if state.reason[world] == TagRules.Reason.NONE:
			_play_tick(world)


## Pay, look, and begin the next match where one has ended.
func end_step() -> void:
	for world in state.worlds:
		if state.step_ticks[world] == 0:
			continue  # over, and waiting to be begun anew
		state.steps[world] += 1
		score.pay(world, batch.rewards)
		batch.ticks[world] = state.step_ticks[world]
		_show(world, true)
		if state.reason[world] != TagRules.Reason.NONE:
			_finish(world)


func is_over(world := 0) -> bool:
	return state.reason[world] != TagRules.Reason.NONE


## Whether every tick of a world's step has been played.
func is_step_over(world := 0) -> bool:
	return is_over(world) or state.step_ticks[world] >= rules.ticks_per_step


## What an agent saw last.
func observation(row: int) -> PackedFloat32Array:
	var wide := batch.observation_size
	return batch.observations.slice(row * wide, (row + 1) * wide)


## Info, render and events of one world, laid out as the spec says.
func view(world: int) -> Dictionary:
	return TagView.new(self).of(world)


func _sizes(worlds: int) -> Dictionary:
	return {
		"worlds": worlds,
		"agents": rules.agents,
		"observation_size": rules.observation_size(),
		"action_size": rules.action_size(),
		"action_count": 0,
		"episode_size": TagView.episode_size(rules.agents),
		"masked": false,
	}


func _begin(world: int) -> void:
	var seed_value := _roots[world]
	if _episodes[world] > 0:
		seed_value = SandlotRandom.split(seed_value, _episodes[world])
	_spawn.begin(world, seed_value)
	bodies.arrange(world)
	score.measure(world)
	_show(world, false)
	match_began.emit(world)


func _play_tick(world: int) -> void:
	state.tick[world] += 1
	state.step_ticks[world] += 1
	var first := world * state.agents
	for row in range(first, first + state.agents):
		if state.in_play[row]:
			if state.immunity[row] > 0:
				state.immunity[row] -= 1
			_motion.move(row, world)
	score.judge(world)


## Write what the agents of a world see. Looking has consequences only after a step.
func _show(world: int, after_step: bool) -> void:
	var first := world * state.agents
	for row in range(first, first + state.agents):
		sight.look(row)
		if after_step:
			sight.note(row, world)
			if rules.recall:
				sight.remember(row)
		sight.write(row, world, batch.observations, row * batch.observation_size)


func _finish(world: int) -> void:
	var first := world * state.agents
	var ending := batch.terminated if rules.mode == TagRules.Mode.TIMED else batch.truncated
	for row in range(first, first + state.agents):
		ending[row] = 1
	var wide := state.agents * batch.observation_size
	batch.ended.append(world)
	batch.final_observations.append_array(batch.observations.slice(world * wide, (world + 1) * wide))
	batch.episodes.append_array(TagView.new(self).episode(world))
	match_ended.emit(world)
	if auto_reset:
		next_match(world)
