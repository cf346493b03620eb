extends SceneTree
## The comfort measures of a recorded motion: reads FILE (positions, rotate, roll, tick_rate, max_speed), prints them as JSON.


func _initialize() -> void:
	var file := OS.get_cmdline_user_args()[0]
	var motion: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(file))
	var comfort := VrComfort.new()
	var places: Array = motion.positions
	comfort.begin(Vector3(places[0][0], 0, places[0][1]), motion.tick_rate, motion.max_speed)
	var vignettes := PackedFloat64Array()
	for i in range(1, places.size()):
		comfort.tick(Vector3(places[i][0], 0, places[i][1]), motion.rotate[i], motion.roll[i])
		vignettes.append(comfort.vignette)
	print("measures ", JSON.stringify(comfort.measures()))
	quit()
