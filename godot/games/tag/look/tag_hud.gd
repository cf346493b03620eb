class_name TagHud
extends CanvasLayer
## Clock, roles, score, what each of the two agents sees, and who won.

const WARNING_S := 3.0  ## seconds left from which the clock is red

var _clock := Label.new()
var _title := Label.new()
var _banner := Label.new()
var _hint := Label.new()
var _panes: Array[VisionPane] = []
var _names: Array[Label] = []
var _banner_age := 99.0


func _ready() -> void:
	_place(_clock, Control.PRESET_CENTER_TOP, 76, Vector2(-200, 4), Vector2(400, 100))
	_place(_title, Control.PRESET_TOP_LEFT, 30, Vector2(48, 34), Vector2(700, 48))
	_title.horizontal_alignment = HORIZONTAL_ALIGNMENT_LEFT
	_place(_banner, Control.PRESET_CENTER_TOP, 104, Vector2(-900, 112), Vector2(1800, 150))
	_place(_hint, Control.PRESET_CENTER_BOTTOM, 24, Vector2(-500, -52), Vector2(1000, 40))
	_hint.modulate = Color(1, 1, 1, 0.6)
	for left: bool in [true, false]:
		_panes.append(_make_pane(left))
	_banner.modulate.a = 0.0


func _process(delta: float) -> void:
	_banner_age += delta
	var grown := clampf(_banner_age / 0.28, 0.0, 1.0)
	_banner.scale = Vector2.ONE * (1.25 - 0.25 * ease(grown, 0.3))
	_banner.modulate.a = grown if _banner_age < 90.0 else 0.0


func show_time(seconds: float) -> void:
	_clock.text = "%.1f" % maxf(seconds, 0.0)
	_clock.modulate = Color(1.0, 0.36, 0.32) if seconds < WARNING_S else Color.WHITE


## A name that hangs over somebody, at a place of the picture.
func show_name(index: int, text: String, colour: Color, at: Vector2) -> void:
	while _names.size() <= index:
		var label := Label.new()
		_place(label, Control.PRESET_TOP_LEFT, 22, Vector2.ZERO, Vector2(240, 32))
		_names.append(label)
	_names[index].text = text
	_names[index].modulate = colour.lightened(0.7)
	_names[index].position = at - Vector2(120, 26)


func show_title(text: String) -> void:
	_title.text = text


func show_hint(text: String) -> void:
	_hint.text = text


func show_pane(
	index: int, title: String, colour: Color, distances: PackedFloat32Array, types: PackedFloat32Array
) -> void:
	if index < _panes.size():
		_panes[index].show_sight(title, colour, distances, types)


func set_range(metres: float, degrees: float) -> void:
	for pane in _panes:
		pane.reach = metres
		pane.view_degrees = degrees


func show_banner(text: String, colour: Color) -> void:
	_banner.text = text
	_banner.add_theme_color_override("font_color", colour.lightened(0.25))
	_banner_age = 0.0


func hide_banner() -> void:
	_banner_age = 99.0


func _place(label: Label, preset: Control.LayoutPreset, font_size: int, at: Vector2, size: Vector2) -> void:
	label.set_anchors_preset(preset)
	label.position += at
	label.size = size
	label.pivot_offset = size * 0.5
	label.horizontal_alignment = HORIZONTAL_ALIGNMENT_CENTER
	label.vertical_alignment = VERTICAL_ALIGNMENT_CENTER
	label.add_theme_font_size_override("font_size", font_size)
	label.add_theme_color_override("font_outline_color", Color(0.02, 0.025, 0.04, 0.85))
	label.add_theme_constant_override("outline_size", maxi(font_size / 8, 6))
	add_child(label)


func _make_pane(left: bool) -> VisionPane:
	var pane := VisionPane.new()
	pane.set_anchors_preset(Control.PRESET_BOTTOM_LEFT if left else Control.PRESET_BOTTOM_RIGHT)
	pane.size = Vector2(330, 250)
	pane.position += Vector2(36 if left else -366, -286)
	add_child(pane)
	return pane
