class_name VrSession
extends RefCounted
## What every VR scene does when it starts: 90 ticks per second, a headset if there is one, less to draw in training.

const TICK_RATE := 90  ## per second: a frame of 11.11 ms, in play and under any speed-up
## Nodes in this group are only looked at: particles, detail meshes, lights. Training frees them.
const DECORATION := &"decoration"


## Call it from the scene root's _enter_tree, before its children are ready.
static func begin(root: Node) -> void:
	Engine.physics_ticks_per_second = TICK_RATE
	if is_training() and not SandlotArguments.variable("SANDLOT_KEEP_DECORATION"):
		strip(root)


## Game time `factor` times faster than the clock. The engine stretches ticks by its time scale, so the rate has to grow
## with it: a tick stays a ninetieth of a second. Training does without: it plays ticks without any clock.
static func speed_up(factor: float) -> void:
	Engine.time_scale = factor
	Engine.physics_ticks_per_second = roundi(TICK_RATE * factor)
	Engine.max_physics_steps_per_frame = maxi(8, ceili(2.0 * factor))


## An exported training build (feature tag `training`), or a scene that a trainer has started.
static func is_training() -> bool:
	return OS.has_feature("training") or OS.get_environment("SANDLOT_URL") != ""


## Free everything below `root` that is only looked at. Returns how many nodes that were.
static func strip(root: Node) -> int:
	var count := 0
	for child in root.get_children():
		if child.is_in_group(DECORATION):
			count += child.find_children("*", "", true, false).size() + 1
			root.remove_child(child)
			child.free()
		else:
			count += strip(child)
	return count


## Draw into the headset, where one is there: the engine was started with --xr-mode on and OpenXR answers. Never in
## training. False: the mock headset takes its place.
static func start_headset(viewport: Viewport) -> bool:
	var openxr := XRServer.find_interface("OpenXR")
	if is_training() or openxr == null or not (openxr.is_initialized() or openxr.initialize()):
		return false
	DisplayServer.window_set_vsync_mode(DisplayServer.VSYNC_DISABLED)  # the headset paces the frames
	viewport.use_xr = true
	return true
