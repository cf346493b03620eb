extends Node
## Opens a scene for the Godot RL Agents interface: takes out the trainer of our own, and puts the controllers of
## rl_training/ beside its agents. The word --task= says which; see TASKS.

const ArgumentsScript := preload("res://addons/godot_rl/sync/arguments.gd")
## Scene and controller by task.
const TASKS := {
	"vr_locomotion": ["res://scenes/features/vr_locomotion_test.tscn", "vr_locomotion_controller.gd"],
	"spacecraft_landing": ["res://games/landing/site.tscn", "spacecraft_landing_controller.gd"],
	"voxel_stress": ["res://games/voxel/voxel_stress.tscn", "voxel_stress_controller.gd"],
	"multi_agent": ["res://games/multi_agent/multi_agent.tscn", "multi_agent_controller.gd"],
	"bug_reproduction": ["res://games/bug_reproduction/bug_reproduction.tscn", "bug_reproduction_controller.gd"],
}
const FOLDERS: PackedStringArray = ["res://rl_training", "res://../rl_training"]  ## of a project, and of a checkout
const USUAL := "vr_locomotion"
const COULD_NOT_RUN := 2

## The task that is played where no word says otherwise.
@export var task := USUAL


func _enter_tree() -> void:
	var asked: String = ArgumentsScript.parse(OS.get_cmdline_args() + OS.get_cmdline_user_args()).get("task", task)
	var problem := open(asked)
	if problem:
		printerr("rl_training: ", problem)
		get_tree().quit(COULD_NOT_RUN)


## Put the scene of a task below this node. Returns why not.
func open(wanted: String) -> String:
	if not TASKS.has(wanted):
		return "there is no task %s; expected %s." % [wanted, ", ".join(PackedStringArray(TASKS.keys()))]
	var script := _script(TASKS[wanted][1])
	if script == null:
		return "%s is in neither %s. Copy the folder rl_training into the project." % [TASKS[wanted][1], " nor ".join(FOLDERS)]
	var scene := (load(TASKS[wanted][0]) as PackedScene).instantiate()
	SandlotTrainer._remove_trainers(scene)
	for agent in scene.find_children("Agent", "SandlotAgent", true, false):
		var controller := AIController3D.new()
		controller.name = "Controller"
		controller.set_script(script)
		agent.get_parent().add_child(controller)
	add_child(scene)
	return ""


static func _script(file: String) -> GDScript:
	for folder in FOLDERS:
		if FileAccess.file_exists(folder.path_join(file)):
			return load(folder.path_join(file))
	return null
