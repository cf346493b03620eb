class_name SandlotHttpMetrics
extends RefCounted
## Endpoints of the HTTP API about the process: whether it lives, what it is, what it measures.

const API_VERSION := "1.0"

var _api: Node


func _init(api: Node) -> void:
	_api = api


func routes() -> Dictionary:
	return {"GET /health": health, "GET /status": status, "GET /performance/metrics": metrics, "GET /performance": metrics}


func health(_request: SandlotHttpRequest) -> SandlotHttpResponse:
	return SandlotHttpResponse.json({"status": "healthy", "timestamp": Time.get_unix_time_from_system()})


func status(_request: SandlotHttpRequest) -> SandlotHttpResponse:
	var xr := XRServer.primary_interface
	var autoloads := {}
	for property in ProjectSettings.get_property_list():
		var name: String = property.name
		if name.begins_with("autoload/"):
			autoloads[name.trim_prefix("autoload/")] = _api.get_node_or_null("/root/" + name.trim_prefix("autoload/")) != null
	return SandlotHttpResponse.json({
		"status": "ok", "http_api": "running", "environment": _api.environment(), "api_version": API_VERSION,
		"vr_initialized": xr != null and xr.is_initialized(), "vr_mode": "xr" if _api.get_viewport().use_xr else "desktop",
		"engine": Engine.get_version_info().string, "autoloads": autoloads,
	})


func metrics(_request: SandlotHttpRequest) -> SandlotHttpResponse:
	var made := {
		"timestamp": Time.get_unix_time_from_system(),
		"engine": {
			"fps": Performance.get_monitor(Performance.TIME_FPS),
			"process_time": Performance.get_monitor(Performance.TIME_PROCESS),
			"physics_process_time": Performance.get_monitor(Performance.TIME_PHYSICS_PROCESS),
			"objects_in_use": int(Performance.get_monitor(Performance.OBJECT_COUNT)),
			"resources_in_use": int(Performance.get_monitor(Performance.OBJECT_RESOURCE_COUNT)),
			"nodes_in_use": int(Performance.get_monitor(Performance.OBJECT_NODE_COUNT)),
		},
		"memory": {
			"static_memory_usage": OS.get_static_memory_usage(),
			"static_memory_max": OS.get_static_memory_peak_usage(),
			"dynamic_memory_usage": maxi(resident_bytes() - OS.get_static_memory_usage(), 0),
		},
		"cache": {
			"video_memory": int(Performance.get_monitor(Performance.RENDER_VIDEO_MEM_USED)),
			"texture_memory": int(Performance.get_monitor(Performance.RENDER_TEXTURE_MEM_USED)),
			"buffer_memory": int(Performance.get_monitor(Performance.RENDER_BUFFER_MEM_USED)),
		},
		"security": _api.counters(),
	}
	var monitor := _api.get_node_or_null("/root/VoxelPerformanceMonitor")
	if monitor != null and monitor.has_method("get_statistics"):
		made.monitor = monitor.call("get_statistics")
	return SandlotHttpResponse.json(made)


## Memory of this process as the system counts it; 0 where it does not say (it does on Linux).
static func resident_bytes() -> int:
	var file := FileAccess.open("/proc/self/statm", FileAccess.READ)
	if file == null:
		return 0
	var words := file.get_line().split(" ")
	return words[1].to_int() * 4096 if words.size() > 1 else 0
