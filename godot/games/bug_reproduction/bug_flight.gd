class_name BugFlight
extends RefCounted
## A drone over streamed chunks, as a function of a seed and of actions alone: what happened happens again.

const TURN_RATE := 4.0  ## rad/s at most
const SPEED := 10.0  ## m/s at most
const RESPONSE := 0.1  ## s in which it takes over two thirds of a change
const DELTA := 1.0 / 90.0
const LEAST := 9  ## ticks that [method minimised] takes away at once

var place := Vector3.ZERO
var heading := 0.0
var turn_rate := 0.0
var speed := 0.0
var streamer: ChunkStreamer


func _init(seed_value: int, planted: bool) -> void:
	streamer = ChunkStreamer.new(seed_value, planted)


## One tick of an action: turn and move, each -1 to 1.
func tick(turn: float, move: float) -> void:
	var share := minf(DELTA / RESPONSE, 1.0)
	turn_rate += (clampf(turn, -1.0, 1.0) * TURN_RATE - turn_rate) * share
	speed += (clampf(move, -1.0, 1.0) * SPEED - speed) * share
	heading = wrapf(heading - turn_rate * DELTA, -PI, PI)
	place += Vector3(-sin(heading), 0, -cos(heading)) * speed * DELTA
	streamer.look(place, heading)


## Play these actions, [turn, move] of each tick, from the beginning: how many until a line of the log matches, or -1.
static func ticks_until(signature: RegEx, seed_value: int, planted: bool, actions: Array) -> int:
	var flight := BugFlight.new(seed_value, planted)
	for i in actions.size():
		flight.tick(actions[i][0], actions[i][1])
		for line in flight.streamer.problems:
			if signature.search(line):
				return i + 1
		flight.streamer.problems.clear()
	return -1


## Fewer actions that end in the same fault: stretches that do not matter are left out, long ones first. Tries at most
## `tries` times.
static func minimised(signature: RegEx, seed_value: int, planted: bool, actions: Array, tries := 60) -> Array:
	var kept := actions.duplicate(true)
	var length := maxi(kept.size() / 2, 1)
	while tries > 0 and length >= LEAST:
		var at := 0
		while at < kept.size() and tries > 0:
			tries -= 1
			var trial := kept.slice(0, at) + kept.slice(at + length)
			var ends := ticks_until(signature, seed_value, planted, trial)
			if ends > 0:
				kept = trial.slice(0, ends)
			else:
				at += length
		length /= 2
	return kept


func state() -> Dictionary:
	return {
		"place": [place.x, place.y, place.z], "heading": heading, "turn_rate": turn_rate, "speed": speed,
		"terrain": streamer.state(),
	}
