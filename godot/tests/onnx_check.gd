extends SceneTree
## Runs ONNX graphs on given inputs and writes what they say: how other programs compare us with onnxruntime.
## Words: CASES.json OUT.json; CASES is a list of {path, inputs: [{name: numbers}], rows}. All in one process.
## With `rows`, each of its inputs holds so many rows behind one another, and they are run at once. With `model`,
## GodotRLModel plays each of them as an observation; `reset` begins a new episode before each.


func _initialize() -> void:
	var arguments := OS.get_cmdline_user_args()
	var results := []
	var cases: Array = JSON.parse_string(FileAccess.get_file_as_string(arguments[0]))
	for case: Dictionary in cases:
		if case.get("model"):
			results.append(_played(case))
			continue
		var graph := SandlotOnnx.open(case.path)
		results.append({"problem": _printable(graph.problem), "shapes": _plain(graph.outputs), "outputs": []})
		if graph.problem:
			continue
		for given: Dictionary in case.inputs:
			var inputs := {}
			for name: String in given:
				inputs[name] = PackedFloat32Array(given[name])
			results[-1].outputs.append(_plain(graph.run_rows(inputs, int(case.get("rows", 1)))))
	var out := FileAccess.open(arguments[1], FileAccess.WRITE)
	out.store_string(JSON.stringify(results, "", false, true))
	out.close()
	quit(0)


func _played(case: Dictionary) -> Dictionary:
	var model := GodotRLModel.new()
	var made := {"problem": "", "actions": []}
	if not model.load(case.path):
		made.problem = _printable(model.problem)
		return made
	for given: Variant in case.get("inputs", []):
		if case.get("reset"):
			model.reset()
		made.actions.append(_list(model.predict(given)))
	if case.has("floats"):
		_play_file(model, case, made)
	return made


## Observations of a file of 32-bit floats, so many at once; their actions go into another.
func _play_file(model: GodotRLModel, case: Dictionary, made: Dictionary) -> void:
	var numbers := FileAccess.get_file_as_bytes(case.floats).to_float32_array()
	var wide := int(case.wide)
	var rows := int(case.rows)
	var actions := PackedFloat32Array()
	var began := Time.get_ticks_usec()
	for from in range(0, numbers.size(), wide * rows):
		var observations := []
		for at in range(from, mini(from + wide * rows, numbers.size()), wide):
			observations.append(numbers.slice(at, at + wide))
		for action: PackedFloat32Array in model.predict(observations):
			actions.append_array(action)
	made.seconds = (Time.get_ticks_usec() - began) / 1e6
	var out := FileAccess.open(case.actions, FileAccess.WRITE)
	out.store_buffer(actions.to_byte_array())
	out.close()


func _list(action: Variant) -> Array:
	return Array(action).map(func(one: Variant) -> Variant: return one if one is float else _list(one))


## Damaged files have odd names in them, and JSON.stringify leaves some characters that no JSON may have.
func _printable(text: String) -> String:
	return "".join(Array(text.split("")).filter(func(letter: String) -> bool: return letter >= " "))


## Packed arrays as lists; infinity and NaN as text, which JSON has no numbers for.
func _plain(arrays: Dictionary) -> Dictionary:
	var made := {}
	for name: String in arrays:
		made[name] = Array(arrays[name]).map(
			func(number: Variant) -> Variant: return number if is_finite(number) else str(number)
		)
	return made
