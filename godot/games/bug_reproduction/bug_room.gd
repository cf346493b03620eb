class_name BugRoom
extends Node3D
## Looks for a known fault: flies, listens to the log, and writes a report when the signature appears.
##
## Which fault is a setting. Rules and rewards: docs/tasks/bug_reproduction.md.

signal reproduced(line: String)

## What the log says when a fault shows, by the fault's name.
const SIGNATURES := {
	"voxel_chunk_race_condition": "chunk \\(-?\\d+, -?\\d+\\) shows level \\d+ of request \\d+ over level",
	"voxel_queue_overflow": "generation queue overflow",
}
const MOST_REPORTS := 20  # of one process

## The fault to reproduce.
@export_enum("voxel_chunk_race_condition", "voxel_queue_overflow") var target := "voxel_chunk_race_condition"
## The faults are there. Off: a sound terrain, in which nothing is found.
@export var planted := true
## Write a report of what is found; of one process at most 20.
@export var save_reports := true

var settings := PackedStringArray(["target", "planted", "save_reports"])
var flight: BugFlight
var shape: TerrainShape
var hit := ""  ## the line of the log
var report_folder := ""
var actions: Array[Array] = []  ## of this episode, [turn, move] of each tick
var seed_text := ""

static var _reports := 0

var _seed := 0
var _signature := RegEx.new()
var _watch: RefCounted
var _turn := 0.0
var _move := 0.0


func _enter_tree() -> void:
	VrSession.begin(self)
	if _watch == null and ClassDB.class_exists("Logger") and OS.has_method("add_logger"):
		_watch = (load("res://games/bug_reproduction/log_watch.gd") as GDScript).new()
		OS.call("add_logger", _watch)


func _exit_tree() -> void:
	if _watch:
		OS.call("remove_logger", _watch)
		_watch = null


func begin_episode(random: SandlotRandom) -> void:
	seed_text = str(random.seed_value)
	_seed = random.draw()
	shape = TerrainShape.new(random.integer_in(0, 1 << 20), 30.0)
	flight = BugFlight.new(_seed, planted)
	_signature.compile(SIGNATURES[target])
	hit = ""
	report_folder = ""
	actions.clear()
	steer(0.0, 0.0)


## What to do until further notice.
func steer(turn: float, move: float) -> void:
	_turn = turn
	_move = move


func _physics_process(_delta: float) -> void:
	if flight == null or hit or $Agent.ended:
		return
	actions.append([_turn, _move])
	flight.tick(_turn, _move)
	var lines := flight.streamer.problems.duplicate()
	flight.streamer.problems.clear()
	if lines.is_empty():
		return
	if _watch:
		_watch.call("take")
	for line in lines:
		push_error(line)
	_listen()


## The log is asked, not the terrain: whatever prints the signature is the fault.
func _listen() -> void:
	if _watch == null:
		$Agent.problem = "Looking for a line in the log needs Godot 4.5 or newer."
		return
	for line: String in _watch.call("take"):
		if not hit and _signature.search(line):
			hit = line
			_write_report()
			reproduced.emit(line)


func _write_report() -> void:
	if not save_reports or _reports >= MOST_REPORTS:
		return
	_reports += 1
	report_folder = BugReport.write({
		"target": target, "signature": SIGNATURES[target], "line": hit, "seed": seed_text, "state": flight.state(),
		"settings": {"target": target, "planted": planted, "action_repeat": 1}, "actions": actions,
		"minimal": BugFlight.minimised(_signature, _seed, planted, actions),
	})


func get_rl_observation() -> Dictionary:
	return $Agent.observe_fields()


func get_api_state() -> Dictionary:
	return {"target": target, "hit": hit, "report": report_folder, "flight": flight.state() if flight else {}}
