class_name NativeTrainer
extends SandlotTrainer
## The trainer node of a scene that plays a native game: what is seen, done and reported is what the native spec says,
## in its order, so that a policy that was trained natively plays here unchanged.
##
## The arena's root has configure(settings): every setting in training, those that differ in play.

## The spec beside the scene; `sandlot godot sync` writes it.
@export_file("*.json") var spec_file := ""


func describe() -> Dictionary:
	var spec := SandlotSpec.from_file(spec_file)
	problem = spec.problem
	if problem:
		return {}
	document = spec.description
	var size := 0
	for field: Dictionary in document.observation:
		size += spec.field(field.name).y
	for one in _running:
		one.reset(0)
		one.sizes = PackedInt32Array([size])
	return document


func _pace(config: Dictionary) -> void:
	ticks_per_step = int(config.get("ticks_per_step", ticks_per_step))
	max_steps = 0  # the game knows its own time limit


## The rules of a native game under these settings; a scene's own settings among them are left aside.
static func rules_with(file: String, settings: Dictionary) -> Dictionary:
	var standard := SandlotSpec.from_file(file).config
	var native := {}
	for name: String in settings:
		if standard.has(name):
			native[name] = settings[name]
	var spec := SandlotSpec.from_file(file, native)
	if spec.problem:
		push_error(spec.problem)
	return spec.config
