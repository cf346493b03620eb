class_name ISensor2D
extends Node2D
## Base of a sensor in two dimensions: numbers for a controller's get_obs().

var _obs: Array = []  # of the last look
var _active := true


## What is sensed now; a sensor that is not active repeats its last look.
func get_observation() -> Array:
	if _active:
		_update_observation()
	return _obs


func activate() -> void:
	_active = true


func deactivate() -> void:
	_active = false


## Override where a sensor remembers something: an episode begins.
func reset() -> void:
	pass


## Override: look, and fill `_obs`.
func _update_observation() -> void:
	pass
