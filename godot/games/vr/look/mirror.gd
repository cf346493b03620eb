extends Node
## Lets the camera of the small picture look through the wearer's eyes.

@onready var _eye: Camera3D = $"../WearersView/Frame/Picture/View/Eye"
@onready var _head: XRCamera3D = $"../VrPlayer/XROrigin3D/XRCamera3D"


func _process(_delta: float) -> void:
	_eye.global_transform = _head.get_global_transform_interpolated()
