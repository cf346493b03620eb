extends Node
## An autoload of the tests: presses F3, lets a policy take over from a person and back, and prints what is shown.

const STEP_FRAMES := 12  # between two things that are done

var _frames := 0
var _overlay: SandlotOverlay


func _physics_process(_delta: float) -> void:
	_frames += 1
	match _frames:
		STEP_FRAMES:
			_overlay = get_tree().root.find_children("*", "SandlotOverlay", true, false)[0]
			print("shown at first: ", _overlay.visible)
			_press(KEY_F3)
		2 * STEP_FRAMES:
			_tell("by hand")
			print("now plays ", _overlay.switch(_agent()).get_file())
		3 * STEP_FRAMES:
			_tell("by policy")
			_press(KEY_F4)
		4 * STEP_FRAMES:
			_tell("by hand again")
			if OS.get_environment("SANDLOT_SCREENSHOT"):
				_overlay.switch(_agent())
				await get_tree().create_timer(0.5).timeout
				await RenderingServer.frame_post_draw
				get_viewport().get_texture().get_image().save_png(OS.get_environment("SANDLOT_SCREENSHOT"))
			get_tree().quit()


func _agent() -> SandlotAgent:
	var trainer: SandlotTrainer = get_tree().root.find_children("*", "SandlotTrainer", true, false)[0]
	return trainer.playing_agents()[0]


func _tell(what: String) -> void:
	print(what, ": ", JSON.stringify({"visible": _overlay.visible, "text": _overlay.text_of(_agent())}))


func _press(key: Key) -> void:
	var event := InputEventKey.new()
	event.keycode = key
	event.pressed = true
	get_tree().root.push_input(event)
