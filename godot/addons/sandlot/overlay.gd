@icon("res://addons/sandlot/icons/overlay.svg")
class_name SandlotOverlay
extends CanvasLayer
## Shows what each agent sees, does and is rewarded for, over the running game; F3 shows and hides it.
##
## Beside each agent is who plays it: a person, or a policy. Click it, or press F4 for the first agent, to change
## that while the game goes on. Policies are those in the agent's `policy_path`, in the folder `res://policies`, and
## those that the command line named. A [SandlotTrainer] that plays in a debug build adds an overlay by itself.

const BY_HAND := "by hand"
const MOST_NUMBERS := 12  # of a field; more are drawn as bars alone
const POLICIES := "res://policies"

## The key that shows and hides it.
@export var key := KEY_F3
## The key that gives the first agent to the next player.
@export var switch_key := KEY_F4
## Shown from the beginning.
@export var shown := false

var _trainer: SandlotTrainer
var _panels := {}  # by agent: what its panel consists of
var _column := VBoxContainer.new()


static func is_in(tree: SceneTree) -> bool:
	return not tree.root.find_children("*", "SandlotOverlay", true, false).is_empty()


func _ready() -> void:
	layer = 99
	visible = shown
	process_mode = Node.PROCESS_MODE_ALWAYS
	var scroll := ScrollContainer.new()
	scroll.set_anchors_and_offsets_preset(Control.PRESET_LEFT_WIDE, Control.PRESET_MODE_MINSIZE, 8)
	scroll.custom_minimum_size.x = 300.0
	scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	scroll.mouse_filter = Control.MOUSE_FILTER_PASS
	_column.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	scroll.add_child(_column)
	add_child(scroll)


func _input(event: InputEvent) -> void:
	if event is not InputEventKey or not event.pressed or event.echo:
		return
	if event.keycode == key:
		visible = not visible
	elif event.keycode == switch_key and visible and not _agents().is_empty():
		switch(_agents()[0])


func _process(_delta: float) -> void:
	if not visible:
		return
	for agent in _agents():
		if not _panels.has(agent):
			_add_panel(agent)
		_show(agent)


## Give an agent to the next player: from by hand to each policy in turn. Returns who plays now.
func switch(agent: SandlotAgent) -> String:
	var players := players_of(agent)
	var next := players[(players.find(_trainer.player_of(agent)) + 1) % players.size()]
	var refused := _trainer.set_player(agent, next)
	if refused:
		printerr("sandlot: ", refused)
		_panels[agent].trouble.text = refused
	return _trainer.player_of(agent)


## "" for a person, and the paths of the policies that may play this agent.
func players_of(agent: SandlotAgent) -> PackedStringArray:
	var made := PackedStringArray([""])
	for path in [agent.policy_path, _trainer.player_of(agent)] + _policies():
		if path and not made.has(path):
			made.append(path)
	return made


## What is shown of an agent, as text.
func text_of(agent: SandlotAgent) -> String:
	var panel: Dictionary = _panels.get(agent, {})
	return "" if panel.is_empty() else "\n".join([panel.sees.text, panel.does.text, panel.earns.text])


static func _policies() -> Array:
	var made := []
	for file in DirAccess.get_files_at(POLICIES) if DirAccess.dir_exists_absolute(POLICIES) else PackedStringArray():
		if file.ends_with(".onnx"):
			made.append(POLICIES.path_join(file))
	return made


func _agents() -> Array[SandlotAgent]:
	if not is_instance_valid(_trainer):
		for node in get_tree().root.find_children("*", "SandlotTrainer", true, false):
			_trainer = node
	var nobody: Array[SandlotAgent] = []
	return _trainer.playing_agents() if is_instance_valid(_trainer) else nobody


func _add_panel(agent: SandlotAgent) -> void:
	var frame := PanelContainer.new()
	var style := StyleBoxFlat.new()
	style.bg_color = Color(0.06, 0.07, 0.1, 0.82)
	style.set_corner_radius_all(6)
	style.set_content_margin_all(10)
	frame.add_theme_stylebox_override("panel", style)
	var rows := VBoxContainer.new()
	var title := Label.new()
	title.text = "%s  (%s)" % [agent.get_parent().name if agent.get_parent() else agent.name, agent.role]
	title.add_theme_color_override("font_color", Color(0.6, 0.78, 1.0))
	var player := Button.new()
	player.focus_mode = Control.FOCUS_NONE  # the keys belong to the game
	player.alignment = HORIZONTAL_ALIGNMENT_LEFT
	player.pressed.connect(switch.bind(agent))
	var panel := {"player": player, "sees": _text(), "bars": SandlotBars.new(), "does": _text(), "earns": _text(), "trouble": _text()}
	panel.fields = agent.declared_fields()
	panel.trouble.add_theme_color_override("font_color", Color(1.0, 0.5, 0.45))
	for part: Control in [title, player, panel.sees, panel.bars, panel.does, panel.earns, panel.trouble]:
		rows.add_child(part)
	frame.add_child(rows)
	_column.add_child(frame)
	_panels[agent] = panel


static func _text() -> Label:
	var made := Label.new()
	made.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	made.add_theme_font_size_override("font_size", 13)
	made.mouse_filter = Control.MOUSE_FILTER_IGNORE
	return made


func _show(agent: SandlotAgent) -> void:
	var panel: Dictionary = _panels[agent]
	var path := _trainer.player_of(agent)
	panel.player.text = "plays: %s" % (path.get_file() if path else BY_HAND)
	panel.sees.text = "sees\n" + "\n".join(_seen(agent, panel.fields))
	panel.bars.show_numbers(agent.observation)
	panel.does.text = "does  " + ", ".join(_done(agent))
	panel.earns.text = "earns  " + ", ".join(_earned(agent))


## The fields of the last observation, short ones with their numbers.
static func _seen(agent: SandlotAgent, fields: Array[Dictionary]) -> PackedStringArray:
	var made := PackedStringArray()
	var at := 0
	for field in fields:
		var size := SandlotSceneSpec._size([field])
		var numbers := agent.observation.slice(at, at + size)
		at += size
		var values := PackedStringArray(Array(numbers).map(func(one: float) -> String: return "%.2f" % one))
		made.append("  %s  %s" % [field.name, " ".join(values) if size <= MOST_NUMBERS else "%d numbers" % size])
	return made


static func _done(agent: SandlotAgent) -> PackedStringArray:
	var made := PackedStringArray()
	for declared in agent.declared_actions():
		var value: Variant = agent.chosen.get(declared.name, 0)
		match declared.kind:
			"choice":
				made.append("%s %s" % [declared.name, declared.options[int(value)]])
			"button":
				made.append("%s %s" % [declared.name, "pressed" if value else "-"])
			_:
				made.append("%s %+.2f" % [declared.name, value])
	return made


## Rewards of the last decision by name, and the episode so far.
static func _earned(agent: SandlotAgent) -> PackedStringArray:
	var made := PackedStringArray()
	for term: StringName in agent.earned:
		made.append("%s %+.3f" % [term, agent.earned[term]])
	made.append("episode %+.2f" % agent.episode_return)
	for term: StringName in agent.terms:
		made.append("Σ %s %+.2f" % [term, agent.terms[term]])
	return made
