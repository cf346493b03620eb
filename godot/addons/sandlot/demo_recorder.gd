@tool
@icon("res://addons/sandlot/icons/recorder.svg")
class_name SandlotDemoRecorder
extends Node
## Writes what an agent sees and does as demonstrations, for `sandlot train --demos FILE`: put it below the agent, and play.
##
## Whoever plays is recorded: a person, or a policy that shows how it is done. Only whole episodes are written, each
## as soon as it is over. A name that ends in .jsonl gets a header and one line per episode; one that ends in .json
## the list that godot-rl's recorder writes. The documentation's page "Demonstrations" has both.

signal recorded(episode: int, path: String)

const FORMAT := "sandlot_demos_v1"

## Record at all.
@export var enabled := true
## Where to. Empty: `demos/ROLE.jsonl` of the data root, see data_paths.gd.
@export_global_file("*.jsonl", "*.json") var path := ""
## Only episodes in which this flag of the agent's reports was true, such as `success`; empty: all.
@export var only_with := &""
## Only episodes with at least this return.
@export var least_return := -1e30
## The key that drops the episode under way: it is not written.
@export var drop_key := KEY_F8

var episodes := 0  ## written so far

var _agent: SandlotAgent
var _observations: Array[PackedFloat32Array] = []
var _actions: Array[PackedFloat32Array] = []
var _dropped := false
var _stock: Array[Array] = []  # all episodes, where the file is one list


func _ready() -> void:
	set_process_unhandled_key_input(not Engine.is_editor_hint())
	if Engine.is_editor_hint():
		return
	_agent = _find_agent()
	if _agent == null:
		printerr("sandlot: the demonstration recorder %s has no SandlotAgent above or beside it." % get_path())
		enabled = false
	if not enabled:
		return
	_agent.episode_began.connect(_begin)
	_agent.decided.connect(_add)
	_agent.episode_closed.connect(_end)


## The file that is written.
func file_path() -> String:
	return path if path else SandlotDataPaths.root().path_join("demos/%s.jsonl" % _agent.role)


func _unhandled_key_input(event: InputEvent) -> void:
	if event is InputEventKey and event.pressed and event.keycode == drop_key:
		_dropped = true
		print("sandlot: this episode is not recorded.")


func _find_agent() -> SandlotAgent:
	var above := get_parent()
	if above is SandlotAgent:
		return above
	for beside in above.get_children():
		if beside is SandlotAgent:
			return beside
	return null


func _begin() -> void:
	_observations.clear()
	_actions.clear()
	_dropped = false


func _add() -> void:
	_observations.append(_agent.observation)
	_actions.append(_agent.numbers)


func _end(last: PackedFloat32Array, by_the_game: bool) -> void:
	var wanted := not only_with or bool(_agent.reported.get(only_with, false))
	if _actions.is_empty() or _dropped or not wanted or _agent.episode_return < least_return:
		return
	_observations.append(last)
	_write(by_the_game)
	_begin()


func _write(by_the_game: bool) -> void:
	var place := file_path()
	DirAccess.make_dir_recursive_absolute(place.get_base_dir())
	var problem := _write_list(place) if place.ends_with(".json") else _append_line(place, by_the_game)
	if problem:
		printerr("sandlot: %s cannot be written: %s. Recording ends." % [place, problem])
		enabled = false
		_agent.decided.disconnect(_add)
		_agent.episode_closed.disconnect(_end)
		return
	episodes += 1
	recorded.emit(episodes, place)


## godot-rl's form: [[[observations], [actions]], …]; the whole file anew, so that it is never half a list.
func _write_list(place: String) -> String:
	if _stock.is_empty() and FileAccess.file_exists(place):
		var before: Variant = JSON.parse_string(FileAccess.get_file_as_string(place))
		if before is not Array:
			return "it exists and is no list of demonstrations"
		_stock.assign(before)
	_stock.append([_lists(_observations), _lists(_actions)])
	var file := FileAccess.open(place + ".part", FileAccess.WRITE)
	if file == null:
		return error_string(FileAccess.get_open_error())
	file.store_string(JSON.stringify(_stock, "", false, true))
	file.close()
	var failed := DirAccess.rename_absolute(place + ".part", place)
	return error_string(failed) if failed else ""


## One line per episode, behind a header; a line is whole when its end of line is there.
func _append_line(place: String, by_the_game: bool) -> String:
	var is_new := not FileAccess.file_exists(place)
	var file := FileAccess.open(place, FileAccess.WRITE if is_new else FileAccess.READ_WRITE)
	if file == null:
		return error_string(FileAccess.get_open_error())
	file.seek_end()
	if is_new:
		file.store_line(JSON.stringify(_header(), "", false, true))
	var line := {
		"obs": _lists(_observations), "acts": _lists(_actions), "return": _agent.episode_return,
		"terminated": by_the_game, "reports": _agent.reported,
	}
	file.store_line(JSON.stringify(line, "", false, true))
	file.close()
	return ""


func _header() -> Dictionary:
	var trainer := _trainer()
	return {
		"format": FORMAT, "addon": SandlotLink.ADDON_VERSION, "role": _agent.role,
		"game": trainer.document.get("name", "") if trainer else "",
		"game_version": trainer.document.get("version", "") if trainer else "",
		"observation": _agent.declared_fields(), "actions": _agent.declared_actions(),
	}


func _trainer() -> SandlotTrainer:
	for node in get_tree().root.find_children("*", "SandlotTrainer", true, false):
		return node
	return null


static func _lists(rows: Array[PackedFloat32Array]) -> Array:
	return rows.map(func(row: PackedFloat32Array) -> Array: return Array(row))


func _get_configuration_warnings() -> PackedStringArray:
	return SandlotEditorHints.of_helper(self)
