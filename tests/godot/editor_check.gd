@tool
extends EditorPlugin
## An editor plugin of the tests: opens the scene and prints what the editor shows of the addon's nodes, as JSON.

const SCENE := "res://editor.tscn"
const FIRST_LOOK := 30  # frames after which the scene is open and its gizmos are made

var _frames := 0


func _process(_delta: float) -> void:
	_frames += 1
	if _frames == 5:
		EditorInterface.open_scene_from_path(SCENE)
	if _frames == FIRST_LOOK:
		EditorInterface.set_main_screen_editor("3D")
		EditorInterface.edit_node(EditorInterface.get_edited_scene_root().get_node("Body/Eyes"))
	if _frames == 2 * FIRST_LOOK:
		print("editor sees ", JSON.stringify(_seen()))
		if OS.get_environment("SANDLOT_SCREENSHOT"):
			var picture := get_viewport().get_texture().get_image()
			picture.save_png(OS.get_environment("SANDLOT_SCREENSHOT"))
		get_tree().quit()


func _seen() -> Dictionary:
	var made := {}
	for node in EditorInterface.get_edited_scene_root().find_children("*", "", true, true):
		var script: Script = node.get_script()
		var gizmos: Array = node.call("get_gizmos") if node is Node3D else []
		made[String(node.name)] = {
			"warnings": Array(node.call("_get_configuration_warnings")) if script and script.is_tool() else [],
			"gizmos": gizmos.filter(_is_ours).size(),
			"tooltip": _tooltip(script),
		}
	var settings := ["sandlot/network/allow_in_release", "sandlot/data_root"]
	made["settings"] = settings.filter(ProjectSettings.has_setting)
	made["icons"] = _icons()
	return made


static func _is_ours(gizmo: Variant) -> bool:
	return gizmo is EditorNode3DGizmo and gizmo.get_plugin() and gizmo.get_plugin().get_script()


## Of every class of the addon that is a node: the icon that the editor loads for it, by name.
static func _icons() -> Dictionary:
	var made := {}
	for entry in ProjectSettings.get_global_class_list():
		if String(entry["class"]).begins_with("Sandlot") and entry.icon:
			made[String(entry["class"])] = (load(entry.icon) as Texture2D).get_width()
	return made


## The properties of a node's script that the inspector shows, by name: their hint.
static func _tooltip(script: Script) -> Dictionary:
	var made := {}
	for property in script.get_script_property_list() if script else []:
		if property.usage & PROPERTY_USAGE_EDITOR and not property.usage & PROPERTY_USAGE_CATEGORY:
			made[property.name] = property.hint_string
	return made
