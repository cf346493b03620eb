extends SceneTree
## Runs every test_*.gd of this folder in the real engine. Words: parts of names to choose by.
##
## A test is a function test_… of a script that extends SandlotTestCase; its name is a sentence that can be false.
## Exit code: how many failed, at most 99. Nothing to run is a failure too.

const FOLDER := "res://tests"
const MOST := 99

var _passed := 0
var _failed: PackedStringArray = []


func _initialize() -> void:
	_run.call_deferred()


func _run() -> void:
	var chosen := OS.get_cmdline_user_args()
	for file in DirAccess.get_files_at(FOLDER):
		if file.begins_with("test_") and file.ends_with(".gd") and file != "test_case.gd":
			await _run_file(file, chosen)
	print("%d passed, %d failed" % [_passed, _failed.size()])
	if _passed + _failed.size() == 0:
		printerr("No test has %s in its name." % " or ".join(chosen))
		_failed.append("nothing ran")
	quit(mini(_failed.size(), MOST))


func _run_file(file: String, chosen: PackedStringArray) -> void:
	var script: GDScript = load(FOLDER.path_join(file))
	if script == null or not script.can_instantiate():
		_failed.append(file)
		print("FAIL %s: it does not compile" % file)
		return
	for method in script.get_script_method_list():
		var name: String = method.name
		if name.begins_with("test_") and _is_chosen(file + "::" + name, chosen):
			await _run_test(script, file, name)


func _run_test(script: GDScript, file: String, name: String) -> void:
	var case: SandlotTestCase = script.new()
	case.root = root
	var began := Time.get_ticks_msec()
	await case.call(name)
	var label := "%s::%s" % [file.trim_suffix(".gd"), name]
	case.clean_up()
	if case.checks == 0:
		case.failures.append("it checked nothing")
	if case.failures.is_empty():
		_passed += 1
		print("ok   %s (%d ms)" % [label, Time.get_ticks_msec() - began])
	else:
		_failed.append(label)
		print("FAIL %s: %s" % [label, "; ".join(case.failures.slice(0, 4))])


static func _is_chosen(name: String, chosen: PackedStringArray) -> bool:
	for word in chosen:
		if name.contains(word):
			return true
	return chosen.is_empty()
