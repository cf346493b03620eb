extends SceneTree
## Runs ONNX graphs on given inputs and writes what they say: how other programs compare us with onnxruntime.
## Words: CASES.json OUT.json; CASES is a list of {path, inputs: [{name: numbers}]}. All in one process.


func _initialize() -> void:
	var arguments := OS.get_cmdline_user_args()
	var results := []
	var cases: Array = JSON.parse_string(FileAccess.get_file_as_string(arguments[0]))
	for case: Dictionary in cases:
		var graph := SandlotOnnx.open(case.path)
		results.append({"problem": _printable(graph.problem), "shapes": _plain(graph.outputs), "outputs": []})
		if graph.problem:
			continue
		for given: Dictionary in case.inputs:
			var inputs := {}
			for name: String in given:
				inputs[name] = PackedFloat32Array(given[name])
			results[-1].outputs.append(_plain(graph.run(inputs)))
	var out := FileAccess.open(arguments[1], FileAccess.WRITE)
	out.store_string(JSON.stringify(results, "", false, true))
	out.close()
	quit(0)


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
