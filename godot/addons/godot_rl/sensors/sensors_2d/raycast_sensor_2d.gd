class_name RaycastSensor2D
extends ISensor2D
## A fan of rays: for each 0 where it meets nothing, else 1 - distance / ray_length, so what is closer is larger.
##
## Rays lie in the middle of equal parts of the cone, which is centred on the node's own +X.

## Which physics layers a ray meets.
@export_flags_2d_physics var collision_mask := 1
@export var collide_with_areas := false
@export var collide_with_bodies := true
@export_range(1, 360, 1, "or_greater") var n_rays := 16:
	set(value):
		n_rays = value
		_obs = _nothing()
## How far a ray sees, in pixels.
@export_range(1.0, 10000.0, 1.0, "or_greater") var ray_length := 200.0
## Degrees from one edge of the cone to the other.
@export_range(1.0, 360.0, 1.0) var cone_width := 360.0
## Draw the rays of the last look.
@export var debug_draw := false

var _query := PhysicsRayQueryParameters2D.new()


func _ready() -> void:
	_obs = _nothing()


func _draw() -> void:
	if debug_draw:
		for i in n_rays:
			var seen: float = _obs[i]
			var end := _direction(i) * ray_length * (1.0 - seen if seen > 0.0 else 1.0)
			draw_line(Vector2.ZERO, end, Color.RED if seen > 0.0 else Color.GREEN)


func _update_observation() -> void:
	var space := get_world_2d().direct_space_state
	_query.collision_mask = collision_mask
	_query.collide_with_areas = collide_with_areas
	_query.collide_with_bodies = collide_with_bodies
	_query.hit_from_inside = false
	_query.from = global_position
	_obs = _nothing()
	for i in n_rays:
		_query.to = to_global(_direction(i) * ray_length)
		var hit := space.intersect_ray(_query)
		if hit:
			_obs[i] = 1.0 - global_position.distance_to(hit.position) / global_position.distance_to(_query.to)
	queue_redraw()


## Where ray `i` goes in the node's own frame.
func _direction(i: int) -> Vector2:
	return Vector2.from_angle(deg_to_rad(cone_width * ((i + 0.5) / n_rays - 0.5)))


func _nothing() -> Array:
	var made := []
	made.resize(n_rays)
	made.fill(0.0)
	return made
