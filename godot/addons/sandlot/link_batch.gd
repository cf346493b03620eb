class_name SandlotBatch
extends RefCounted
## What every arena shows after a step, as the packed arrays that travel to the trainer.
##
## rows = worlds × agents, world after world, agent after agent. A world whose episode ended in this step has
## already begun its next one: [member observations] show the new episode, [member final_observations] the end
## of the old. The sizes come from the trainer's welcome.

var worlds := 0
var agents := 0
var observation_size := 0
var action_size := 0  ## floats an agent; 0 for a game with one discrete choice
var action_count := 0  ## choices of a discrete game; 0 for a continuous one
var episode_size := 0
var masked := false

var observations := PackedFloat32Array()  ## [rows · observation_size]
var rewards := PackedFloat32Array()  ## [rows]
var terminated := PackedByteArray()  ## [rows] 1: the game ended
var truncated := PackedByteArray()  ## [rows] 1: only our watching stopped
var ticks := PackedInt32Array()  ## [worlds] how many ticks this step lasted
var masks := PackedByteArray()  ## [rows · action_count] 1: legal; empty for a game without masks
var ended := PackedInt32Array()  ## worlds whose episode ended in this step
var final_observations := PackedFloat32Array()  ## [ended · agents · observation_size]
var episodes := PackedFloat32Array()  ## [ended · episode_size] the spec's `episode` block of each


## Sizes from a welcome, arrays made once and zeroed.
static func from_welcome(welcome: Dictionary) -> SandlotBatch:
	var made := SandlotBatch.new()
	made.worlds = int(welcome.worlds)
	made.agents = int(welcome.agents)
	made.observation_size = int(welcome.observation_size)
	made.action_size = int(welcome.action_size)
	made.action_count = int(welcome.action_count)
	made.episode_size = int(welcome.episode_size)
	made.masked = bool(welcome.masked)
	made.observations.resize(made.rows() * made.observation_size)
	made.rewards.resize(made.rows())
	made.terminated.resize(made.rows())
	made.truncated.resize(made.rows())
	made.ticks.resize(made.worlds)
	if made.masked:
		made.masks.resize(made.rows() * made.action_count)
		made.masks.fill(1)
	return made


func rows() -> int:
	return worlds * agents


## Forget who ended; call it before a step is played.
func begin_step() -> void:
	ended.clear()
	final_observations.clear()
	episodes.clear()
	terminated.fill(0)
	truncated.fill(0)
	rewards.fill(0.0)


## What does not fit together, or an empty string: asked before anything is sent.
func problem() -> String:
	var sizes := {
		"observations": [observations.size(), rows() * observation_size],
		"rewards": [rewards.size(), rows()],
		"terminated": [terminated.size(), rows()],
		"truncated": [truncated.size(), rows()],
		"ticks": [ticks.size(), worlds],
		"masks": [masks.size(), rows() * action_count if masked else 0],
		"final_observations": [final_observations.size(), ended.size() * agents * observation_size],
		"episodes": [episodes.size(), ended.size() * episode_size],
	}
	for name: String in sizes:
		if sizes[name][0] != sizes[name][1]:
			return "The batch has %d %s, expected %d." % [sizes[name][0], name, sizes[name][1]]
	return ""
