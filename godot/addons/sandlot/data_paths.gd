class_name SandlotDataPaths
extends RefCounted
## Where recordings go: the data root and its folders, the same rules as scripts/lib/data_paths.sh.
##
## The root is the variable AI_DATA_ROOT, else the project setting `sandlot/data_root`, else `user://`, which every
## project may write to. AI_TRAJECTORIES_DIR and AI_FRAMES_DIR name single folders. A relative path counts from the
## folder that the project's own root lies in.

const SETTING := "sandlot/data_root"


static func root() -> String:
	var named := OS.get_environment("AI_DATA_ROOT")
	return _absolute(named) if named else _project_root()


static func trajectories() -> String:
	return _folder("AI_TRAJECTORIES_DIR", "trajectories")


static func frames() -> String:
	return _folder("AI_FRAMES_DIR", "frames")


static func _folder(variable: String, name: String) -> String:
	var named := OS.get_environment(variable)
	return _absolute(named) if named else root().path_join(name)


static func _project_root() -> String:
	var setting: String = ProjectSettings.get_setting(SETTING, "user://")
	return ProjectSettings.globalize_path(setting).simplify_path()


static func _absolute(path: String) -> String:
	if path.is_absolute_path():
		return ProjectSettings.globalize_path(path).simplify_path()
	return _project_root().get_base_dir().path_join(path).simplify_path()
