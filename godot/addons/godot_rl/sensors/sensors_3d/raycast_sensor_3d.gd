class_name RayCastSensor3D
extends ISensor3D
## A fan of rays: for each 0 where it meets nothing, else 1 - distance / ray_length, so what is closer is larger.
##
## Rays lie in the middle of equal parts of the cone, which is centred on the node's own +Z, column after column. With
## [member class_sensor] each is followed by a 1 where what it met is on a layer of [member boolean_class_mask], else a 0.

## Which physics layers a ray meets.
@export_flags_3d_physics var collision_mask := 1
## Layers of the things that class_sensor tells apart.
@export_flags_3d_physics var boolean_class_mask := 1
@export_range(1, 100, 1, "or_greater") var n_rays_width := 6:
	set(value):
		n_rays_width = value
		_obs = _nothing()
@export_range(1, 100, 1, "or_greater") var n_rays_height := 6:
	set(value):
		n_rays_height = value
		_obs = _nothing()
## How far a ray sees, in metres.
@export_range(0.1, 1000.0, 0.1, "or_greater") var ray_length := 10.0
## Degrees from the left edge of the cone to the right one.
@export_range(1.0, 360.0, 1.0) var cone_width := 60.0
## Degrees from the lower edge of the cone to the upper one.
@export_range(1.0, 360.0, 1.0) var cone_height := 60.0
@export var collide_with_areas := false
@export var collide_with_bodies := true
## A second number for every ray: whether it met something of boolean_class_mask.
@export var class_sensor := false:
	set(value):
		class_sensor = value
		_obs = _nothing()

var _query := PhysicsRayQueryParameters3D.new()


func _ready() -> void:
	_obs = _nothing()


func _update_observation() -> void:
	var space := get_world_3d().direct_space_state
	_query.collision_mask = collision_mask
	_query.collide_with_areas = collide_with_areas
	_query.collide_with_bodies = collide_with_bodies
	_query.hit_from_inside = false
	_query.from = global_position
	_obs = _nothing()
	var numbers := 2 if class_sensor else 1
	for i in n_rays_width * n_rays_height:
		_query.to = to_global(_direction(i) * ray_length)
		var hit := space.intersect_ray(_query)
		if hit:
			_obs[i * numbers] = 1.0 - global_position.distance_to(hit.position) / global_position.distance_to(_query.to)
			if class_sensor and _layer_of(hit.collider) & boolean_class_mask:
				_obs[i * numbers + 1] = 1.0


## Where ray `i` goes in the node's own frame.
func _direction(i: int) -> Vector3:
	@warning_ignore("integer_division")
	var across := deg_to_rad(cone_width * ((i / n_rays_height + 0.5) / n_rays_width - 0.5))
	var up := deg_to_rad(cone_height * ((i % n_rays_height + 0.5) / n_rays_height - 0.5))
	return Vector3(sin(across) * cos(up), sin(up), cos(across) * cos(up))


static func _layer_of(collider: Object) -> int:
	var layer: Variant = collider.get("collision_layer")
	return layer if layer is int else 0


func _nothing() -> Array:
	var made := []
	made.resize(n_rays_width * n_rays_height * (2 if class_sensor else 1))
	made.fill(0.0)
	return made
