extends SceneTree
## Runs a policy on given observations and writes what it says: how other programs compare us with PyTorch.
## Words: POLICY.onnx CASE.json OUT.json; CASE is a list of {observation, mask}.


func _initialize() -> void:
	var arguments := OS.get_cmdline_user_args()
	var policy := SandlotPolicy.open(arguments[0])
	if policy.problem:
		printerr("sandlot: ", policy.problem)
		quit(2)
		return
	var results := []
	var began := Time.get_ticks_usec()
	var cases: Array = JSON.parse_string(FileAccess.get_file_as_string(arguments[1]))
	for case: Dictionary in cases:
		var mask := PackedFloat32Array(case.get("mask", []))
		var seen := policy.outputs(PackedFloat32Array(case.observation), mask)
		for name: String in seen:
			seen[name] = Array(seen[name])
		results.append(seen)
	print("%.2f ms an action" % ((Time.get_ticks_usec() - began) / 1000.0 / maxi(cases.size(), 1)))
	policy.forget()
	for i in cases.size():
		var mask := PackedFloat32Array(cases[i].get("mask", []))
		results[i].action = Array(policy.act(PackedFloat32Array(cases[i].observation), mask))
	var out := FileAccess.open(arguments[2], FileAccess.WRITE)
	out.store_string(JSON.stringify(results, "", false, true))
	out.close()
	quit(0)
