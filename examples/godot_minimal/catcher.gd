extends Node2D
## A whole small game: a basket catches falling apples. Three that fall past it lose, twenty caught win.

signal caught
signal missed
signal game_over(won: bool)

const FIELD := Vector2(640, 480)
const BASKET := Vector2(96, 36)
const BASKET_SPEED := 320.0  # pixels per second
const LIVES := 3
const GOAL := 20

## How fast an apple falls, in pixels per second.
@export_range(100.0, 600.0, 1.0, "suffix:px/s") var fall_speed := 300.0

var basket := FIELD.x / 2
var steer := 0  # -1 left, 1 right
var apple := Vector2.ZERO
var score := 0
var lives := LIVES

var _random: SandlotRandom


func restart(random: SandlotRandom) -> void:
	_random = random
	basket = random.uniform_in(BASKET.x / 2, FIELD.x - BASKET.x / 2)
	score = 0
	lives = LIVES
	_drop()


func _drop() -> void:
	apple = Vector2(_random.uniform_in(20, FIELD.x - 20), 0)


func _physics_process(delta: float) -> void:
	var half := BASKET.x / 2
	basket = clampf(basket + steer * BASKET_SPEED * delta, half, FIELD.x - half)
	apple.y += fall_speed * delta
	if apple.y >= FIELD.y - BASKET.y:
		_land(absf(apple.x - basket) <= half)
	queue_redraw()


func _land(in_basket: bool) -> void:
	if in_basket:
		score += 1
		caught.emit()
	else:
		lives -= 1
		missed.emit()
	_drop()
	if score == GOAL or lives == 0:
		game_over.emit(score == GOAL)


func _draw() -> void:
	draw_rect(Rect2(0, FIELD.y - 12, FIELD.x, 12), Color(0.36, 0.55, 0.25))
	draw_circle(apple, 14, Color(0.82, 0.18, 0.16))
	draw_line(apple + Vector2(0, -12), apple + Vector2(5, -22), Color(0.35, 0.22, 0.1), 3)
	var left := basket - BASKET.x / 2
	var top := FIELD.y - BASKET.y
	var shape := PackedVector2Array([
		Vector2(left, top), Vector2(left + BASKET.x, top), Vector2(left + BASKET.x - 14, FIELD.y - 6),
		Vector2(left + 14, FIELD.y - 6)
	])
	draw_colored_polygon(shape, Color(0.66, 0.45, 0.22))
	draw_line(Vector2(left - 4, top), Vector2(left + BASKET.x + 4, top), Color(0.5, 0.32, 0.14), 6)
	for i in lives:
		draw_circle(Vector2(24 + 26 * i, 24), 8, Color(0.82, 0.18, 0.16))
	draw_string(ThemeDB.fallback_font, Vector2(FIELD.x - 70, 34), "%d / %d" % [score, GOAL])
