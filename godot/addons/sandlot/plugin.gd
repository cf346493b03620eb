@tool
extends EditorPlugin
## What the editor shows of this addon besides its nodes, which have class names and need no registration:
## the lines of sensors in the 3D view, settings of the project, and two entries under Project > Tools.

const Gizmo := preload("editor/sensor_gizmo.gd")
const MONITOR := "VoxelPerformanceMonitor"
const ADD_MONITOR := "Sandlot: add the autoload VoxelPerformanceMonitor"
const REMOVE_MONITOR := "Sandlot: remove the autoload VoxelPerformanceMonitor"

var _gizmo := Gizmo.new()


func _enter_tree() -> void:
	add_node_3d_gizmo_plugin(_gizmo)
	add_tool_menu_item(ADD_MONITOR, _add_monitor)
	add_tool_menu_item(REMOVE_MONITOR, remove_autoload_singleton.bind(MONITOR))
	_add_setting(SandlotNetworkPermission.SETTING, false)
	_add_setting(SandlotDataPaths.SETTING, "user://")


func _exit_tree() -> void:
	remove_node_3d_gizmo_plugin(_gizmo)
	remove_tool_menu_item(ADD_MONITOR)
	remove_tool_menu_item(REMOVE_MONITOR)


func _add_monitor() -> void:
	add_autoload_singleton(MONITOR, (get_script() as Script).resource_path.get_base_dir().path_join("performance_monitor.gd"))


## Show a setting in Project > Project Settings; it is stored only where it is changed.
func _add_setting(setting: String, usual: Variant) -> void:
	if not ProjectSettings.has_setting(setting):
		ProjectSettings.set_setting(setting, usual)
	ProjectSettings.set_initial_value(setting, usual)
	ProjectSettings.set_as_basic(setting, true)
