@tool
@icon("res://addons/sandlot/icons/navigation.svg")
class_name SandlotNavigationSensor
extends SandlotSensor
## How far it is to a node on foot: along the navigation mesh, around walls, in two or three dimensions.
##
## Numbers: the length of the way divided by [member max_distance], 1 where it can be reached at all, and the
## direction of the way's next corner in the body's own axes. Without a way: 1, 0 and zeros.

## Where to: Node2D or Node3D as the body.
@export var target: Node:
	set(value):
		target = value
		if Engine.is_editor_hint():
			update_configuration_warnings()
## The length that 1 stands for; longer ways count as this long.
@export_range(0.1, 100000.0, 0.1) var max_distance := 50.0
## How far from the target the way may end, where the mesh does not reach it.
@export_range(0.0, 1000.0, 0.1) var tolerance := 1.0
## Which navigation layers may be walked on.
@export_flags_3d_navigation var layers := 1
## Look only at every so manieth decision, and repeat the numbers in between: a way is dear.
@export_range(1, 120) var refresh_steps := 1

var way := PackedVector3Array()  ## of the last look, from corner to corner; empty where there is none

var _refresh := SandlotRefresh.new()


func size() -> int:
	return labels().size()


func labels() -> PackedStringArray:
	var axes := PackedStringArray(["x", "y", "z"]).slice(0, SandlotPlace.dimensions(SandlotPlace.body_of(self)))
	return PackedStringArray(["distance", "reachable"]) + axes


func sense() -> PackedFloat32Array:
	return _refresh.numbers(refresh_steps, _look)


func forget() -> void:
	_refresh.forget()


## The length of the last way; INF where there is none.
func distance() -> float:
	var sum := 0.0
	for i in way.size() - 1:
		sum += way[i].distance_to(way[i + 1])
	return sum if way else INF


func _look() -> PackedFloat32Array:
	var body := SandlotPlace.body_of(self)
	way = _find_way(body) if is_instance_valid(target) else PackedVector3Array()
	var next := Vector3.ZERO
	for corner in way:
		next = SandlotPlace.seen_from(body, corner)
		if next.length() > 0.01 * max_distance:
			break  # the first corner is where the body stands
	var out := PackedFloat32Array([minf(distance() / max_distance, 1.0), 1.0 if way else 0.0])
	out.append_array(SandlotPlace.numbers(next.normalized(), SandlotPlace.dimensions(body)))
	return out


func _find_way(body: Node) -> PackedVector3Array:
	var made := PackedVector3Array()
	var goal := SandlotPlace.of(target)
	if body is Node2D:
		var flat := (body as Node2D).get_world_2d().navigation_map
		var from := (body as Node2D).global_position
		for corner in NavigationServer2D.map_get_path(flat, from, Vector2(goal.x, goal.y), true, layers):
			made.append(Vector3(corner.x, corner.y, 0.0))
	else:
		var map := (body as Node3D).get_world_3d().navigation_map
		made = NavigationServer3D.map_get_path(map, SandlotPlace.of(body), goal, true, layers)
	return made if made and made[-1].distance_to(goal) <= tolerance else PackedVector3Array()


func _get_configuration_warnings() -> PackedStringArray:
	var made := super()
	if target == null:
		made.append("There is no way to nowhere. Name the node to go to in target.")
	return made
