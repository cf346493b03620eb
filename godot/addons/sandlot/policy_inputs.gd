class_name SandlotPolicyInputs
extends RefCounted
## What the inputs and outputs of somebody's ONNX policy are for: the observation, the action, and memory.
##
## Exporters name them as they like. One input is the observation; any other holds memory, and gets it from the output
## of the same name (`hidden` and `hidden_out`, `h_0` and `h_n`, `state_in_1` and `state_out_1`), else from the last
## outputs in their order.

const OBSERVATIONS: Array[String] = ["obs", "observation", "observations", "input", "inputs", "x", "features", "state"]
const ACTIONS: Array[String] = ["output", "actions", "action", "mean", "logits"]
## Inputs that hold memory, and the outputs that they get it from.
const MEMORY: Dictionary[String, String] = {
	"state_ins": "state_outs", "state_in": "state_out", "h_in": "h_out", "c_in": "c_out", "hidden_in": "hidden_out",
	"h0": "hn", "c0": "cn",
}
## Parts of a name that say when: what is left is the same before and after.
const WHEN: Array[String] = ["in", "ins", "out", "outs", "input", "output", "next", "new", "prev", "old", "init", "final"]
const COUNTS: Array[String] = ["0", "n", "t"]  ## of `h_0` and `h_n`, but not of `state_in_0` and `state_in_1`

var problem := ""
var observation := ""
var action := ""
var memory: Dictionary[String, String] = {}  ## by input, the output that gives it; "" where none does


static func of(file: SandlotOnnxFile, path: String) -> SandlotPolicyInputs:
	var made := SandlotPolicyInputs.new()
	var names := PackedStringArray()
	for name: String in file.inputs:
		if not file.tensors.has(name):
			names.append(name)
	made._find_action(file.outputs)
	made._find_inputs(names, file.outputs)
	if not made.observation:
		made.problem = "%s has the inputs %s; expected one that is the observation." % [path, ", ".join(names)]
	return made


## The outputs that have to be run.
func wanted() -> PackedStringArray:
	var names := PackedStringArray([action])
	for name: String in memory.values():
		if name:
			names.append(name)
	return names


func _find_action(outputs: PackedStringArray) -> void:
	action = "".join(outputs.slice(0, 1))
	for name in ACTIONS:
		if outputs.has(name):
			action = name
			return


func _find_inputs(names: PackedStringArray, outputs: PackedStringArray) -> void:
	if names.size() == 1:  # whatever it is called
		observation = names[0]
		return
	var observed := PackedStringArray()
	for name in names:
		var source := _source_of(name, outputs)
		if source or name in MEMORY:
			memory[name] = source
		else:
			observed.append(name)
	if observed.size() > 1:
		_take_by_order(observed, outputs)
	elif observed:
		observation = observed[0]


## The output that gives this memory; "" for none.
func _source_of(name: String, outputs: PackedStringArray) -> String:
	if MEMORY.has(name) and outputs.has(MEMORY[name]):
		return MEMORY[name]
	for ignored: Array[String] in [WHEN, WHEN + COUNTS]:
		for output in outputs:
			if output != action and _stem(output, ignored) and _stem(output, ignored) == _stem(name, ignored):
				return output
	return ""


## One input is called as observations are; the others are memory, which the last outputs give.
func _take_by_order(observed: PackedStringArray, outputs: PackedStringArray) -> void:
	var called := Array(observed).filter(func(name: String) -> bool: return name.to_lower() in OBSERVATIONS)
	var left := Array(outputs).filter(func(name: String) -> bool: return name != action and name not in memory.values())
	if called.size() != 1 or left.size() < observed.size() - 1:
		return
	observation = called[0]
	observed.remove_at(observed.find(observation))
	for i in observed.size():
		memory[observed[i]] = left[left.size() - observed.size() + i]


static func _stem(name: String, ignored: Array[String]) -> String:
	var parts := Array(name.to_lower().replace(".", "_").split("_", false))
	return "_".join(parts.filter(func(part: String) -> bool: return part not in ignored))
