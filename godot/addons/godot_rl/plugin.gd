@tool
extends EditorPlugin
## Enabling the addon adds the autoload GodotRLAgentsSync; every other type has a class name, so the editor lists it.
##
## The autoload stands back where a scene has a [Sync] of its own.

const AUTOLOAD := "GodotRLAgentsSync"


func _enter_tree() -> void:
	print("godot_rl: the plugin is on; add a Sync node to the scene, or use the autoload %s." % AUTOLOAD)


func _enable_plugin() -> void:
	add_autoload_singleton(AUTOLOAD, (get_script() as Script).resource_path.get_base_dir().path_join("sync.gd"))


func _disable_plugin() -> void:
	remove_autoload_singleton(AUTOLOAD)
