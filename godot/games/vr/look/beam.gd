extends MeshInstance3D
## The pointer's ray, from the hand to what it meets.

const FAR := 4.0  ## metres, where it meets nothing

@onready var _pointer: VrPointer = get_parent()


func _process(_delta: float) -> void:
	var from := _pointer.hand.global_position
	var to := _pointer.hit if _pointer.on_screen else from - _pointer.hand.global_basis.z * FAR
	if from.distance_squared_to(to) > 1e-4:
		global_transform = Transform3D(Basis.looking_at(to - from), (from + to) / 2.0).scaled_local(Vector3(1, 1, from.distance_to(to)))
