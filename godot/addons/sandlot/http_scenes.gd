class_name SandlotHttpScenes
extends RefCounted
## Endpoints of the HTTP API about scenes: which one runs, loading, checking, listing and reloading one.

const LONGEST_HISTORY := 10
const MOST_LISTED := 2000
const DEEPEST := 12  # folders below each other

var _api: Node
var _whitelist: SandlotHttpWhitelist
var _history: Array[Dictionary] = []
var _loading := ""  # asked for and not there yet
var _failed := ""  # why the last one did not load


func _init(api: Node, whitelist: SandlotHttpWhitelist) -> void:
	_api = api
	_whitelist = whitelist


func routes() -> Dictionary:
	return {
		"GET /scene": current, "POST /scene": load_scene, "PUT /scene": validate, "GET /scenes": list,
		"POST /scene/reload": reload, "GET /scene/history": history, "GET /whitelist": show_whitelist,
		"POST /whitelist": change_whitelist,
	}


func current(_request: SandlotHttpRequest) -> SandlotHttpResponse:
	var scene := _tree().current_scene
	var made := {"scene_name": "", "scene_path": "", "status": "no_scene"}
	if scene != null:
		made = {"scene_name": String(scene.name), "scene_path": scene.scene_file_path, "status": "loaded"}
	if _loading:
		made.status = "loading"
		made.loading = _loading
	if _failed:
		made.error = _failed
	return SandlotHttpResponse.json(made)


func load_scene(request: SandlotHttpRequest) -> SandlotHttpResponse:
	var path: Variant = request.json().get("scene_path")
	var wrong := _wrong_with(request, path)
	if wrong != null:
		return wrong
	_change(path)
	return SandlotHttpResponse.json({"status": "loading", "scene": path, "message": "The scene is being loaded."})


func reload(request: SandlotHttpRequest) -> SandlotHttpResponse:
	request.json()
	if request.wrong != null:
		return request.wrong
	var scene := _tree().current_scene
	if scene == null or not scene.scene_file_path:
		return SandlotHttpResponse.error(500, "no_scene", "There is no scene that could be loaded again.")
	var path := scene.scene_file_path
	var name := String(scene.name)
	_change(path)
	return SandlotHttpResponse.json({
		"status": "reloading", "scene": path, "scene_name": name, "message": "The scene is being loaded again.",
	})


## Looks at a scene without running it.
func validate(request: SandlotHttpRequest) -> SandlotHttpResponse:
	var path: Variant = request.json().get("scene_path")
	var wrong := _wrong_with(request, path)
	if wrong != null:
		return wrong
	var made := {"valid": false, "errors": [], "warnings": [], "scene_info": {}}
	for line in ResourceLoader.get_dependencies(path):
		var place := line.get_slice("::", 2) if "::" in line else line
		if place and not ResourceLoader.exists(place):
			made.errors.append("It needs %s, which is missing." % place)
	var packed: PackedScene = null if made.errors else ResourceLoader.load(path, "PackedScene") as PackedScene
	if packed == null or packed.get_state().get_node_count() == 0:
		made.errors.append("Failed to load scene %s." % path)
		return SandlotHttpResponse.json(made)
	var state := packed.get_state()
	made.valid = true
	made.scene_info = {
		"node_count": state.get_node_count(), "root_type": state.get_node_type(0), "root_name": state.get_node_name(0),
	}
	if not packed.can_instantiate():
		made.warnings.append("It cannot be instantiated.")
	return SandlotHttpResponse.json(made)


func list(request: SandlotHttpRequest) -> SandlotHttpResponse:
	var directory: String = request.query.get("dir", "res://")
	var addons: bool = request.query.get("include_addons", "false").to_lower() in ["true", "1"]
	if not directory.ends_with("/"):
		directory += "/"
	var wrong := {} if directory == "res://" else _whitelist.check_form(directory + "x.tscn")
	if wrong:
		return SandlotHttpResponse.error(wrong.status, wrong.error, wrong.message)
	if not DirAccess.dir_exists_absolute(directory):
		return SandlotHttpResponse.error(404, "no_such_directory", "There is no folder %s." % directory)
	var found: Array[Dictionary] = []
	_gather(directory, addons, found, 0)
	return SandlotHttpResponse.json({
		"scenes": found, "count": found.size(), "directory": directory, "include_addons": addons,
	})


func history(_request: SandlotHttpRequest) -> SandlotHttpResponse:
	return SandlotHttpResponse.json({"count": _history.size(), "history": _history, "max_size": LONGEST_HISTORY})


func show_whitelist(_request: SandlotHttpRequest) -> SandlotHttpResponse:
	return SandlotHttpResponse.json(_whitelist.describe())


func change_whitelist(request: SandlotHttpRequest) -> SandlotHttpResponse:
	var asked := request.json()
	if request.wrong != null:
		return request.wrong
	var action: Variant = asked.get("action")
	var lists := {"add_scene": "scenes", "add_directory": "directories", "add_wildcard": "wildcards"}
	if action == "validate":
		var wrong := _whitelist.check(asked.get("scene_path"))
		return SandlotHttpResponse.json({"valid": wrong.is_empty(), "reason": wrong.get("message", "")})
	if action is not String or action not in ["reload", "set_environment"] + lists.keys():
		return SandlotHttpResponse.error(400, "bad_action", "action is one of add_scene, add_directory, add_wildcard, set_environment, reload, validate.")
	if _whitelist.environment == "production":
		return SandlotHttpResponse.error(403, "forbidden", "In production the whitelist changes by its file and a restart only.")
	var fault := ""
	if action == "reload":
		_whitelist.reload()
	elif action == "set_environment":
		if asked.get("environment") in SandlotHttpSettings.ENVIRONMENTS:
			_whitelist.environment = asked.environment
		else:
			fault = "environment is one of %s." % ", ".join(SandlotHttpSettings.ENVIRONMENTS)
	else:
		var entry: String = action.trim_prefix("add_")
		fault = _whitelist.add(lists[action], asked.get(entry if entry != "scene" else "scene_path", asked.get("path")))
	if fault:
		return SandlotHttpResponse.error(400, "bad_entry", fault)
	return SandlotHttpResponse.json({"status": "ok", "action": action}.merged(_whitelist.describe()))


func _tree() -> SceneTree:
	return _api.get_tree()


func _wrong_with(request: SandlotHttpRequest, path: Variant) -> SandlotHttpResponse:
	if request.wrong != null:
		return request.wrong
	var wrong := _whitelist.check(path)
	if wrong:
		return SandlotHttpResponse.error(wrong.status, wrong.error, wrong.message, {"scene_path": path})
	if not ResourceLoader.exists(path, "PackedScene"):
		return SandlotHttpResponse.error(404, "no_such_scene", "Failed to load scene %s: there is no such file." % path)
	return null


## At the end of this frame, so that nothing is freed while it runs.
func _change(path: String) -> void:
	_loading = path
	_failed = ""
	_change_now.call_deferred(path)


func _change_now(path: String) -> void:
	var tree := _tree()
	tree.paused = false
	var packed := ResourceLoader.load(path, "PackedScene", ResourceLoader.CACHE_MODE_REPLACE) as PackedScene
	var error := tree.change_scene_to_packed(packed) if packed != null else ERR_CANT_OPEN
	if error != OK:
		_failed = "Failed to load scene %s: %s." % [path, error_string(error)]
	await tree.process_frame
	await tree.process_frame
	_loading = ""
	_history.append({
		"scene": path, "scene_name": path.get_file().get_basename(), "status": "failed" if _failed else "loaded",
		"timestamp": int(Time.get_unix_time_from_system()),
	})
	if _history.size() > LONGEST_HISTORY:
		_history.pop_front()


func _gather(directory: String, addons: bool, found: Array[Dictionary], depth: int) -> void:
	if depth > DEEPEST or (not addons and directory.begins_with("res://addons/")):
		return
	for file in DirAccess.get_files_at(directory):
		var path := directory + file.trim_suffix(".remap")
		if path.ends_with(".tscn") and found.size() < MOST_LISTED:
			found.append({
				"name": path.get_file().get_basename(), "path": path, "size_bytes": _size(directory + file),
				"modified": FileAccess.get_modified_time(directory + file),
			})
	for folder in DirAccess.get_directories_at(directory):
		if not folder.begins_with("."):
			_gather(directory + folder + "/", addons, found, depth + 1)


static func _size(path: String) -> int:
	var file := FileAccess.open(path, FileAccess.READ)
	return file.get_length() if file != null else 0
