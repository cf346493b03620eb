@tool
extends EditorNode3DGizmoPlugin
## Draws what a sensor looks at, in the editor's 3D view: whatever has `preview_lines()`.

const SEEN := Color(0.48, 0.85, 0.56, 0.6)


func _init() -> void:
	create_material("seen", SEEN)


func _get_gizmo_name() -> String:
	return "Sandlot sensors"


func _has_gizmo(node: Node3D) -> bool:
	return node is SandlotRaySensor or node is SandlotGridSensor3D


func _redraw(gizmo: EditorNode3DGizmo) -> void:
	gizmo.clear()
	var lines: PackedVector3Array = gizmo.get_node_3d().call("preview_lines")
	gizmo.add_lines(lines, get_material("seen", gizmo))
	gizmo.add_collision_segments(lines)  # a click on a line selects the sensor
