extends SceneTree
## The main scene with its Recorder switched on, for a number of drawn pictures; some of them are held up on purpose.

const DRAWN := 12
const FPS := 20


func _initialize() -> void:
	var scene: Node = (load("res://scenes/Main.tscn") as PackedScene).instantiate()
	var recorder: SandlotFrameRecorder = scene.get_node("Recorder")
	recorder.enabled = true
	recorder.fps = FPS
	root.add_child(scene)
	for _picture in DRAWN:
		await process_frame
	print("SAVED ", recorder.saved, " IN ", recorder.place())
	quit(0)
