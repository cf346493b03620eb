extends Polygon2D
## A paddle below falling balls. A miss ends the episode; so does the time limit.

const WIDTH := 400.0  # pixels
const HEIGHT := 400.0
const REACH := 40.0  # half of the paddle
const SPEED := 8.0  # pixels per tick
const FALL := 8.0

var caught := 0

@onready var ball: Polygon2D = $"../Ball"
@onready var ai_controller: AIController2D = $AIController2D


func _ready() -> void:
	ai_controller.init(self)
	begin()


func _physics_process(_delta: float) -> void:
	if ai_controller.needs_reset:
		if ai_controller.n_steps > ai_controller.reset_after:
			ai_controller.is_success = caught >= 6
			ai_controller.done = true
		begin()
		return
	var before := absf(ball.position.x - position.x)
	position.x = clampf(position.x + SPEED * get_direction(), 0.0, WIDTH)
	ai_controller.reward += (before - absf(ball.position.x - position.x)) / WIDTH
	ball.position.y += FALL
	if ball.position.y >= HEIGHT:
		land()


func get_direction() -> float:
	if ai_controller.heuristic == "human":
		return Input.get_axis("ui_left", "ui_right")
	return ai_controller.move


func land() -> void:
	if absf(ball.position.x - position.x) <= REACH:
		caught += 1
		ai_controller.reward += 1.0
		drop()
	else:
		ai_controller.is_success = false
		ai_controller.reward -= 1.0
		ai_controller.done = true
		ai_controller.needs_reset = true


func begin() -> void:
	caught = 0
	position = Vector2(WIDTH / 2.0, HEIGHT)
	drop()
	ai_controller.reset()


func drop() -> void:
	ball.position = Vector2(randf_range(0.0, WIDTH), 0.0)
