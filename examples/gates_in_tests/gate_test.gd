extends GdUnitTestSuite
## A gate called from GdUnit4: does this commit's scene play as the committed baseline did?
##
## Copy it into your project's test folder. SANDLOT names the program where it is not on the PATH.

const UNDECIDED_IS_FINE := ["--undecided", "pass"]  # a short test is red only for what it has shown


func test_the_scene_plays_as_it_did() -> void:
	var project := ProjectSettings.globalize_path("res://")
	var baseline := project.path_join("baselines/main")
	var answer := _gate(["--baseline", baseline.path_join("report.json"), "--current", baseline.path_join("policy.pt"),
			"--game", "godot:" + project, "--engine", "godot", "--pairs", "60"] + UNDECIDED_IS_FINE)
	assert_int(answer.code).override_failure_message(answer.text).is_equal(0)


func _gate(words: Array) -> Dictionary:
	var program := OS.get_environment("SANDLOT") if OS.has_environment("SANDLOT") else "sandlot"
	var output: Array = []
	var code := OS.execute(program, PackedStringArray(["gate", "regression"] + words), output, true)
	return {"code": code, "text": "".join(output)}
