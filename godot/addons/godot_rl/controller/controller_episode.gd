extends RefCounted
## How the episode of an AIController ends: what AIController2D and AIController3D share.
##
## The plugin's interface has one flag for both endings. An episode that is over because [member reset_after] ran out is
## told apart here, and the observation of its end is kept before the game puts the agent back.

var is_watched := false  ## a trainer wants the last observation of every episode
var last_observation: Variant = null  ## a copy, from before the reset

var _has_expired := false  # reset_after ran out, and the next episode has not begun
var _is_looking := false


## Every physics tick.
func tick(agent: Node) -> void:
	agent.n_steps += 1
	_has_expired = agent.n_steps > agent.reset_after
	if _has_expired:
		agent.needs_reset = true
	if not agent.done and not agent.truncated:
		last_observation = null  # kept at a reset that turned out to end nothing


## Before `done` takes this value.
func before_done(agent: Node, value: bool) -> void:
	if not value:
		agent.truncated = false
		last_observation = null
	elif not agent.done:
		if _has_expired or agent.n_steps > agent.reset_after:
			agent.truncated = true
		_look(agent)


## Before the agent begins anew. A game that resets at the time limit without setting `done` was cut off too.
func before_reset(agent: Node) -> void:
	if agent.done:
		return
	if _has_expired:
		agent.truncated = true
	_look(agent)


func _look(agent: Node) -> void:
	if is_watched and not _is_looking and last_observation == null:
		_is_looking = true  # should get_obs() set done
		last_observation = agent.call("get_obs").duplicate(true)
		_is_looking = false
