class_name SandlotPolicy
extends RefCounted
## A trained policy in a stock Godot: an exported ONNX file, no .NET and no plugin. For one agent, or many at once.
##
## [codeblock]
## var policy := SandlotPolicy.open("res://seeker.onnx")
## if policy.problem: push_error(policy.problem)
## var action := policy.act(observation)
## [/codeblock]
## A policy with memory remembers by itself; call [method forget] when an episode begins. Files that other programs
## exported are played by [GodotRLModel].

const FORMAT := "sandlot_onnx_v1"
## By kind of head, the outputs that an action is made from.
const HEADS: Dictionary[String, Array] = {
	"categorical": ["logits"], "table": ["logits"],
	"gaussian": ["mean", "log_std"], "mixed": ["mean", "log_std", "button_logits"],
	"composed": ["mean", "log_std", "button_logits", "choice_logits"],  # those of them that it has
}

var problem := ""  ## why it cannot play
var facts := {}  ## what the file says of itself: game, role, head, observation_size, …
## Draw actions with these random numbers; null: take the likeliest.
var random: SandlotRandom

var _graph: SandlotOnnx
var _state := PackedFloat32Array()
var _low := PackedFloat32Array()  # of the action space, one a number
var _high := PackedFloat32Array()


static func open(path: String) -> SandlotPolicy:
	var made := SandlotPolicy.new()
	var file := SandlotOnnxFile.read(path)
	made.facts = file.facts
	made.problem = file.problem
	if not made.problem:
		var fault := made._check_facts()
		if not fault:
			made._graph = SandlotOnnx.of(file, path, made._wanted())
			made.problem = made._graph.problem
			fault = "" if made.problem else made._check_shapes()
		if fault:
			made.problem = "%s cannot be played: %s." % [path, fault]
	made.forget()
	return made


func observation_size() -> int:
	return int(facts.get("observation_size", 0))


## Forget what was seen: a new episode begins. row: of one agent only, in the order of [method act_many].
func forget(row := -1) -> void:
	var memory := 0 if problem else int(facts.get("memory", 0))
	if row < 0:
		_state.resize(memory)
		_state.fill(0.0)
	for i in range(row * memory, mini((row + 1) * memory, _state.size())):
		_state[i] = 0.0


## What to do: numbers within the action space, or for a game with one discrete choice its index as the only number.
func act(observation: PackedFloat32Array, mask := PackedFloat32Array()) -> PackedFloat32Array:
	var seen := outputs(observation, mask)
	return PackedFloat32Array() if seen.is_empty() else _action(seen)


## What many agents do, in one call. Agents keep their places: memory goes by them.
func act_many(
	observations: Array[PackedFloat32Array], masks: Array[PackedFloat32Array] = []
) -> Array[PackedFloat32Array]:
	var rows := observations.size()
	var seen := PackedFloat32Array()
	var allowed := PackedFloat32Array()
	for row in rows:
		seen.append_array(observations[row])
		allowed.append_array(_mask_of(masks[row] if row < masks.size() else PackedFloat32Array()))
	var made: Array[PackedFloat32Array] = []
	var answers := _run(seen, allowed, rows) if rows else {}
	for row in rows if answers else 0:
		var own := {}
		for name: String in answers:
			var size := SandlotTensor.count_of(_graph.outputs[name])
			own[name] = (answers[name] as PackedFloat32Array).slice(row * size, (row + 1) * size)
		made.append(_action(own))
	return made


## What the network says, by name: logits, mean, log_std, button_logits.
func outputs(observation: PackedFloat32Array, mask := PackedFloat32Array()) -> Dictionary:
	return _run(observation, _mask_of(mask), 1)


func _run(observations: PackedFloat32Array, masks: PackedFloat32Array, rows: int) -> Dictionary:
	if problem:
		push_error(problem)
		return {}
	_state.resize(rows * int(facts.get("memory", 0)))
	var made := _graph.run_rows({"observations": observations, "masks": masks, "state": _state}, rows)
	_state = made.get("next_state", _state)
	return made


## Whatever is not said is allowed.
func _mask_of(mask: PackedFloat32Array) -> PackedFloat32Array:
	if mask or problem or not _graph.inputs.has("masks"):
		return mask
	var made := PackedFloat32Array()
	made.resize(SandlotTensor.count_of(_graph.inputs.masks))
	made.fill(1.0)
	return made


func _action(seen: Dictionary) -> PackedFloat32Array:
	var head: Dictionary = facts.head
	match head.kind:
		"categorical":
			return PackedFloat32Array([_choose(seen.logits)])
		"table":
			return PackedFloat32Array(head.table[_choose(seen.logits)])
		"gaussian":
			return _numbers(seen)
		"composed":
			return _compose(seen, head.entries)
	var made := _numbers(seen)
	for logit: float in seen.button_logits:
		made.append(_press(logit))
	return made


# ---------------------------------------------------------------- what a file has to say of itself


func _wanted() -> PackedStringArray:
	var names := PackedStringArray(HEADS[facts.head.kind])
	if facts.head.kind == "composed":
		names = PackedStringArray(_outputs_of(facts.head.entries))
	if int(facts.get("memory", 0)):
		names.append("next_state")
	return names


func _check_facts() -> String:
	if facts.get("format") != FORMAT:
		return "it is no policy of Sandlot (format %s, expected %s)" % [facts.get("format"), FORMAT]
	var head: Variant = facts.get("head")
	if head is not Dictionary or head.get("kind") not in HEADS:
		return "its head is %s; known are %s" % [head, ", ".join(PackedStringArray(HEADS.keys()))]
	if head.kind == "composed" and head.get("entries") is not Array:
		return "its composed head does not list its entries"
	for name: String in ["observation_size", "memory"]:
		if facts.get(name, 0) is not float and facts.get(name, 0) is not int:
			return "its %s is no number" % name
	return ""


func _check_shapes() -> String:
	var head: Dictionary = facts.head
	var sizes := {"observations": observation_size(), "state": int(facts.get("memory", 0))}
	for name: String in _graph.inputs:
		if name not in ["observations", "masks", "state"]:
			return "its input %s is not known" % name
		if name in sizes and SandlotTensor.count_of(_graph.inputs[name]) != sizes[name]:
			return "its input %s has shape %s, its metadata says %d" % [name, _graph.inputs[name], sizes[name]]
	if head.kind == "table":
		return _check_table(head.get("table"))
	if head.kind != "categorical" and "mean" in _wanted():
		return _take_bounds(head)
	return ""


func _check_table(table: Variant) -> String:
	var choices := SandlotTensor.count_of(_graph.outputs.logits)
	if table is not Array or table.size() != choices:
		return "its table of actions has not one row for each of %d choices" % choices
	for row: Variant in table:
		if row is not Array or not row.all(func(number: Variant) -> bool: return number is float):
			return "its table of actions has a row that is no list of numbers"
	return ""


## The bounds of the action space: -1 and 1, unless the head names others, one for all or one for each.
func _take_bounds(head: Dictionary) -> String:
	var count := SandlotTensor.count_of(_graph.outputs.mean)
	if SandlotTensor.count_of(_graph.outputs.log_std) != count:
		return "its log_std has another size than its mean"
	for side: Array in [["low", -1.0, _low], ["high", 1.0, _high]]:
		var given: Variant = head.get(side[0], side[1])
		var numbers: Array = given if given is Array else [given]
		if numbers.size() not in [1, count] or not numbers.all(func(one: Variant) -> bool: return one is float):
			return "the bound %s of its actions is %s, for %d numbers" % [side[0], given, count]
		side[2].resize(count)
		for i in count:
			side[2][i] = numbers[i % numbers.size()]
	return ""


## What a composed head gives: by entry 0 for an axis, 1 for a button, else the options of a choice.
static func _outputs_of(entries: Array) -> Array:
	var made: Array = []
	if entries.has(0.0):
		made.append_array(["mean", "log_std"])
	if entries.has(1.0):
		made.append("button_logits")
	if entries.any(func(options: float) -> bool: return options > 1.0):
		made.append("choice_logits")
	return made


# ---------------------------------------------------------------- from outputs to an action


func _press(logit: float) -> float:
	var pressed := logit > 0.0 if random == null else random.uniform() < 1.0 / (1.0 + exp(-logit))
	return 1.0 if pressed else -1.0


## Axes, buttons and choices, each in its own output, as one list in the order of the game's actions.
func _compose(seen: Dictionary, entries: Array) -> PackedFloat32Array:
	var numbers := _numbers(seen) if seen.has("mean") else PackedFloat32Array()
	var made := PackedFloat32Array()
	var axes := 0
	var buttons := 0
	var options := 0
	for entry: float in entries:
		if entry == 0.0:
			made.append(numbers[axes])
			axes += 1
		elif entry == 1.0:
			made.append(_press(seen.button_logits[buttons]))
			buttons += 1
		else:
			made.append(_choose((seen.choice_logits as PackedFloat32Array).slice(options, options + int(entry))))
			options += int(entry)
	return made


func _numbers(seen: Dictionary) -> PackedFloat32Array:
	var made: PackedFloat32Array = seen.mean.duplicate()
	for i in made.size():
		if random:
			made[i] += exp(seen.log_std[i]) * _normal()
		made[i] = minf(maxf(made[i], _low[i]), _high[i])
	return made


## The likeliest index, the first of equals; or one drawn by its probability.
func _choose(logits: PackedFloat32Array) -> int:
	var best := 0
	for i in logits.size():
		if logits[i] > logits[best]:
			best = i
	if random == null:
		return best
	var weights := PackedFloat32Array()
	var total := 0.0
	for logit in logits:
		weights.append(exp(logit - logits[best]))
		total += weights[-1]
	var left := random.uniform() * total
	for i in weights.size():
		left -= weights[i]
		if left <= 0.0 and weights[i] > 0.0:
			return i
	return best


func _normal() -> float:
	return sqrt(-2.0 * log(maxf(random.uniform(), 1e-8))) * cos(TAU * random.uniform())
