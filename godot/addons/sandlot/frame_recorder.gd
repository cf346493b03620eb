@icon("res://addons/sandlot/icons/recorder.svg")
class_name SandlotFrameRecorder
extends Node
## Saves what the screen shows as numbered pictures, `frame_00000.png` and so on, at a fixed rate of the game's time.
##
## The rate is kept beside them (`frames.json`), so that a film made later has true speed. Where the machine draws
## fewer pictures than that, one is kept for several moments. Without a screen there is nothing to save, and it says
## so. Pictures of an earlier recording in the same folder are removed first.

const RATE_FILE := "frames.json"
const GROUP := "sandlot_frame_recorders"
const LONGEST_GAP_S := 2.0  # of the game's time without a picture that is filled; more than that was a pause

## Save at all. The variable AI_RECORD=1 switches it on too.
@export var enabled := false
## Pictures a second of the game's time. The variable AI_RECORD_FPS wins.
@export_range(1, 240) var fps := 60
## Where pictures go. Empty: `frames` of the data root, see data_paths.gd.
@export_global_dir var folder := ""

var saved := 0  ## pictures so far

var _time_s := 0.0


func _ready() -> void:
	enabled = (enabled or SandlotArguments.variable("AI_RECORD")) and not _has_colleague()
	if OS.get_environment("AI_RECORD_FPS").is_valid_int():
		fps = clampi(OS.get_environment("AI_RECORD_FPS").to_int(), 1, 240)
	if enabled and DisplayServer.get_name() == "headless":
		printerr("sandlot: frames cannot be recorded without a screen. Run it with a window, or under Xvfb.")
		enabled = false
	if enabled:
		add_to_group(GROUP)
		_prepare()
		RenderingServer.frame_post_draw.connect(_save)


func _process(delta: float) -> void:
	_time_s += delta


func place() -> String:
	return folder if folder else SandlotDataPaths.frames()


## One recorder is enough for a screen: a scene's own comes before that of a part of it.
func _has_colleague() -> bool:
	return not get_tree().get_nodes_in_group(GROUP).is_empty()


func _prepare() -> void:
	DirAccess.make_dir_recursive_absolute(place())
	for name in DirAccess.get_files_at(place()):
		if name.begins_with("frame_") and name.ends_with(".png"):
			DirAccess.remove_absolute(place().path_join(name))
	var rate := FileAccess.open(place().path_join(RATE_FILE), FileAccess.WRITE)
	if rate != null:
		rate.store_string(JSON.stringify({"fps": fps}) + "\n")


func _save() -> void:
	var due := roundi(_time_s * fps)
	if saved >= due:
		return
	var first := _path(saved)
	var picture := get_viewport().get_texture().get_image()
	if picture == null or picture.save_png(first) != OK:
		printerr("sandlot: %s cannot be written; recording ends." % first)
		RenderingServer.frame_post_draw.disconnect(_save)
		return
	if due - saved > LONGEST_GAP_S * fps:
		_time_s = (saved + 1.0) / fps
		due = saved + 1
	for number in range(saved + 1, due):
		DirAccess.copy_absolute(first, _path(number))
	saved = due


func _path(number: int) -> String:
	return place().path_join("frame_%05d.png" % number)
