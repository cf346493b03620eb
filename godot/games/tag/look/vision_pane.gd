class_name VisionPane
extends Control
## What one agent sees, as the fan of its rays: left in the picture is left of the eyes.

const AGENT := Color(1.0, 0.62, 0.18)
const WALL := Color(0.62, 0.66, 0.72)
const NOTHING := Color(0.55, 0.78, 1.0, 0.45)

var reach := 15.0  ## metres
var view_degrees := 120.0

var _title := ""
var _colour := Color.WHITE
var _distances := PackedFloat32Array()
var _types := PackedFloat32Array()


func _ready() -> void:
	clip_contents = true


func show_sight(title: String, colour: Color, distances: PackedFloat32Array, types: PackedFloat32Array) -> void:
	_title = title
	_colour = colour
	_distances = distances
	_types = types
	queue_redraw()


## The end of ray `i` in this pane. Ray 0 is the right edge of the view and is drawn on the right.
func ray_end(i: int, share: float) -> Vector2:
	var angle := deg_to_rad(view_degrees * (i / float(maxi(_distances.size() - 1, 1)) - 0.5))
	var widest := sin(deg_to_rad(minf(view_degrees, 180.0)) * 0.5)
	var long := minf(size.y - 62.0, (size.x - 20.0) * 0.5 / widest) * share
	return _eye() + Vector2(-sin(angle), -cos(angle)) * long


func _eye() -> Vector2:
	return Vector2(size.x * 0.5, size.y - 14.0)


func _draw() -> void:
	var frame := StyleBoxFlat.new()
	frame.bg_color = Color(0.04, 0.05, 0.075, 0.82)
	frame.set_corner_radius_all(14)
	frame.border_color = Color(_colour, 0.9)
	frame.set_border_width_all(3)
	draw_style_box(frame, Rect2(Vector2.ZERO, size))
	var font := ThemeDB.fallback_font
	draw_string(font, Vector2(0, 36), _title, HORIZONTAL_ALIGNMENT_CENTER, size.x, 24, _colour.lightened(0.3))
	for i in _distances.size():
		_draw_ray(i)
	draw_circle(_eye(), 7.0, _colour)


func _draw_ray(i: int) -> void:
	var met := AGENT if _types[i] > 1.5 else (WALL if _types[i] > 0.5 else NOTHING)
	var end := ray_end(i, clampf(_distances[i] / reach, 0.04, 1.0))
	draw_line(_eye(), end, Color(met, 0.35 if _types[i] < 1.5 else 0.9), 2.0, true)
	draw_circle(end, 5.0 if _types[i] > 1.5 else 3.2, met)
