class_name SandlotFrameRecorder
extends Node
## Saves what the screen shows as numbered pictures, at a fixed rate of simulated time.
##
## A slow machine takes longer and gets the same film: pictures are counted in physics ticks, not in seconds of
## the clock. Without a screen there is nothing to save, and it says so. For whole films the engine's own movie
## maker (`--write-movie`) is quicker; this node needs no words on the command line.

## Save at all. The variable AI_RECORD=1 switches it on too.
@export var enabled := false
## Pictures a second of simulated time; at most the physics ticks a second.
@export_range(1, 240) var fps := 60
## Where pictures go. Empty: the variable AI_FRAMES_DIR, else data/frames beside the project.
@export_global_dir var folder := ""

var saved := 0  ## pictures so far

var _ticks := 0


func _ready() -> void:
	enabled = enabled or OS.get_environment("AI_RECORD") == "1"
	if OS.get_environment("AI_RECORD_FPS").is_valid_int():
		fps = clampi(OS.get_environment("AI_RECORD_FPS").to_int(), 1, 240)
	if enabled and DisplayServer.get_name() == "headless":
		printerr("sandlot: frames cannot be recorded without a screen. Run it with a window, or under Xvfb.")
		enabled = false
	if enabled:
		DirAccess.make_dir_recursive_absolute(_folder())
		RenderingServer.frame_post_draw.connect(_save)


func _physics_process(_delta: float) -> void:
	_ticks += 1


func _save() -> void:
	var due := _ticks * fps / Engine.physics_ticks_per_second
	if saved > due:
		return
	var picture := get_viewport().get_texture().get_image()
	var path := _folder().path_join("frame_%05d.png" % saved)
	if picture == null or picture.save_png(path) != OK:
		printerr("sandlot: %s cannot be written; recording ends." % path)
		RenderingServer.frame_post_draw.disconnect(_save)
		return
	saved += 1


func _folder() -> String:
	for candidate: String in [folder, OS.get_environment("AI_FRAMES_DIR")]:
		if candidate:
			return candidate
	return ProjectSettings.globalize_path("res://").path_join("../data/frames").simplify_path()
