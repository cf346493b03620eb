class_name TagHud
extends CanvasLayer
## All text of the picture: clock, names above agents, title, caption, the word at the end. Sizes are for a picture
## 720 lines high. `rects()` says where text is, so that tests can hold it apart from the agents.

const BASE := 720.0
const WARNING_S := 3.0  ## seconds left from which the clock is red
const TAG_GAP := 14.0  ## between a cube and its name
const GROWING_S := 0.28  ## of the word at the end

var font: Font = preload("res://games/tag/look/fonts/fredoka_600.woff2")

var shows_clock := true
var shows_names := true
var shows_banner := true

var _layer := Control.new()
var _seconds := 0.0
var _limit_s := 10.0
var _title := ""
var _caption := ""
var _hint := ""
var _banner := ""
var _banner_colour := Color.WHITE
var _banner_age := 99.0
var _names: Array[Dictionary] = []  # text, colour, body (a rectangle of the picture)
var _rects: Array[Rect2] = []


func _ready() -> void:
	_layer.set_anchors_preset(Control.PRESET_FULL_RECT)
	_layer.mouse_filter = Control.MOUSE_FILTER_IGNORE
	_layer.draw.connect(_draw_all)
	add_child(_layer)


func _process(delta: float) -> void:
	_banner_age += delta
	_layer.queue_redraw()


func show_time(seconds: float, limit_s: float) -> void:
	_seconds = maxf(seconds, 0.0)
	_limit_s = maxf(limit_s, 0.1)


## A name over somebody, whose body covers this rectangle of the picture.
func show_name(index: int, text: String, colour: Color, body: Rect2) -> void:
	if _names.size() <= index:
		_names.resize(index + 1)
	_names[index] = {"text": text, "colour": colour, "body": body}


func show_title(text: String) -> void:
	_title = text


func show_caption(text: String) -> void:
	_caption = text


func show_hint(text: String) -> void:
	_hint = text


func show_banner(text: String, colour: Color) -> void:
	_banner = text
	_banner_colour = colour
	_banner_age = 0.0


func hide_banner() -> void:
	_banner = ""


## Where the text of the last picture is.
func rects() -> Array[Rect2]:
	return _rects


func _scale() -> float:
	return minf(_layer.size.x, _layer.size.y) / BASE


func _draw_all() -> void:
	_rects.clear()
	var unit := _scale()
	if shows_clock:
		_draw_clock(unit)
	if _title:
		var wide := _width(_title, 26 * unit) + 36 * unit
		_draw_pill(Rect2(Vector2(24, 24) * unit, Vector2(wide, 46 * unit)), _title, 26 * unit, TagPalette.INK, TagPalette.PAPER)
	if _caption:
		_draw_caption(_caption, 40 * unit, 38 * unit)
	elif _hint:
		_draw_caption(_hint, 20 * unit, 20 * unit, 0.55)
	if shows_names:
		_draw_names(unit)
	if _banner and shows_banner:
		_draw_banner(unit)


func _draw_clock(unit: float) -> void:
	var middle := Vector2(_layer.size.x - 70 * unit, 70 * unit)
	var late := _seconds < WARNING_S
	var tint := TagPalette.LAST_SECONDS if late else TagPalette.INK
	_layer.draw_circle(middle, 46 * unit, TagPalette.PAPER, true, -1.0, true)
	_layer.draw_arc(middle, 38 * unit, 0.0, TAU, 64, Color(TagPalette.INK, 0.12), 9 * unit, true)
	var share := clampf(_seconds / _limit_s, 0.0, 1.0)
	if share > 0.0:
		_layer.draw_arc(middle, 38 * unit, -PI * 0.5, -PI * 0.5 + TAU * share, 64, tint, 9 * unit, true)
	_text("%.1f" % _seconds, middle, 33 * unit, tint)
	_rects.append(Rect2(middle - Vector2.ONE * 46 * unit, Vector2.ONE * 92 * unit))


func _draw_caption(text: String, size: float, gap: float, alpha := 0.9) -> void:
	var wide := _width(text, size) + 1.4 * size
	var tall := size * 1.7
	var place := Rect2((_layer.size.x - wide) * 0.5, _layer.size.y - gap - tall, wide, tall)
	_draw_pill(place, text, size, TagPalette.PAPER, Color(TagPalette.INK, alpha))


func _draw_names(unit: float) -> void:
	var places := name_places(unit, _layer.size)
	for i in places.size():
		_draw_pill(places[i], _names[i].text, 22 * unit, Color.WHITE, _names[i].colour)


## Where the names go, in a picture of this size.
func name_places(unit: float, picture: Vector2) -> Array[Rect2]:
	var bodies: Array[Rect2] = []
	var sizes := PackedVector2Array()
	for name in _names:
		bodies.append(name.body)
		sizes.append(Vector2(_width(name.text, 22 * unit) + 26 * unit, 34 * unit))
	return place_names(bodies, sizes, unit, picture)


## Where names of these sizes go: above their bodies, beside those of others, and never over one another.
static func place_names(
	bodies: Array[Rect2], sizes: PackedVector2Array, unit: float, picture: Vector2
) -> Array[Rect2]:
	var places: Array[Rect2] = []
	for i in bodies.size():
		var top := bodies[i].position.y - TAG_GAP * unit - sizes[i].y
		places.append(Rect2(Vector2(bodies[i].get_center().x - sizes[i].x * 0.5, top), sizes[i]))
	for _round in 3:  # stepping aside from a body may lead into another name, and back
		for i in places.size():
			for j in places.size():
				if i != j:
					places[i] = _clear_of(places[i], bodies[j], 6 * unit)
		for i in places.size():
			for j in i:
				var both := places[i].grow(4 * unit).intersection(places[j])
				if both.has_area():
					var right := places[i].get_center().x >= places[j].get_center().x
					places[i].position.x += both.size.x * (0.5 if right else -0.5)
					places[j].position.x -= both.size.x * (0.5 if right else -0.5)
	for i in places.size():
		places[i].position = places[i].position.clamp(Vector2.ZERO, picture - places[i].size)
	return places


## A name steps aside from another's body, the short way.
static func _clear_of(pill: Rect2, body: Rect2, gap: float) -> Rect2:
	var both := pill.grow(gap).intersection(body)
	if both.has_area():
		var right := pill.get_center().x >= body.get_center().x
		pill.position.x += both.size.x if right else -both.size.x
	return pill


func _draw_banner(unit: float) -> void:
	var grown := clampf(_banner_age / GROWING_S, 0.0, 1.0)
	var size := 120 * unit * (1.35 - 0.35 * ease(grown, 0.3))
	var wide := _width(_banner, size)
	if wide > _layer.size.x * 0.92:
		size *= _layer.size.x * 0.92 / wide
	var middle := Vector2(_layer.size.x * 0.5, _layer.size.y * 0.135)
	_text(_banner, middle, size, _banner_colour, grown, 22 * unit)
	_rects.append(Rect2(middle - Vector2(wide, size) * 0.5, Vector2(wide, size)))


func _draw_pill(place: Rect2, text: String, size: float, ink: Color, ground: Color) -> void:
	var box := StyleBoxFlat.new()
	box.bg_color = ground
	box.set_corner_radius_all(int(minf(place.size.y * 0.5, 20.0 * _scale())))
	box.anti_aliasing_size = 1.0
	_layer.draw_style_box(box, place)
	_text(text, place.get_center(), size, ink)
	_rects.append(place)


func _text(text: String, middle: Vector2, size: float, colour: Color, alpha := 1.0, outline := 0.0) -> void:
	var whole := int(maxf(size, 1.0))
	var wide := _width(text, size)
	var lift := (font.get_ascent(whole) - font.get_descent(whole)) * 0.5
	var at := middle + Vector2(-wide * 0.5, lift)
	if outline > 0.0:
		_layer.draw_string_outline(
			font, at, text, HORIZONTAL_ALIGNMENT_LEFT, -1, whole, int(outline), Color(TagPalette.INK, alpha)
		)
	_layer.draw_string(font, at, text, HORIZONTAL_ALIGNMENT_LEFT, -1, whole, Color(colour, alpha))


func _width(text: String, size: float) -> float:
	return font.get_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, -1, int(maxf(size, 1.0))).x
