class_name SandlotBars
extends Control
## Numbers of about -1 to 1 as a row of small bars, up for positive and down for negative ones.

const TALL := 28.0

var _numbers := PackedFloat32Array()


func _init() -> void:
	custom_minimum_size.y = TALL
	mouse_filter = Control.MOUSE_FILTER_IGNORE


func show_numbers(numbers: PackedFloat32Array) -> void:
	_numbers = numbers
	queue_redraw()


func _draw() -> void:
	var wide := size.x / maxf(_numbers.size(), 1.0)
	for i in _numbers.size():
		var tall := clampf(_numbers[i], -1.0, 1.0) * 0.5 * TALL
		var color := Color(0.48, 0.85, 0.56) if tall >= 0.0 else Color(0.95, 0.6, 0.35)
		draw_rect(Rect2(i * wide, 0.5 * TALL - maxf(tall, 0.0), maxf(wide - 1.0, 1.0), maxf(absf(tall), 1.0)), color)
