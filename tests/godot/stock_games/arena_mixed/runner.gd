extends CharacterBody2D
## Runs to a flag, past walls; a sprint is faster and costs a little.

const SIZE := 400.0  # pixels
const TOUCH := 25.0
const SPEED := 120.0  # pixels per second
const SPRINT := 2.0

@onready var flag: Node2D = $"../Flag"
@onready var ai_controller: AIController2D = $AIController2D


func _ready() -> void:
	ai_controller.init(self)
	begin()


func _physics_process(_delta: float) -> void:
	if ai_controller.needs_reset:
		begin()
		return
	var before := position.distance_to(flag.position)
	velocity = ai_controller.move * SPEED * (SPRINT if ai_controller.is_sprinting else 1.0)
	move_and_slide()
	position = position.clamp(Vector2.ZERO, Vector2(SIZE, SIZE))
	ai_controller.reward += (before - position.distance_to(flag.position)) / 100.0
	if position.distance_to(flag.position) < TOUCH:
		ai_controller.is_success = true
		ai_controller.reward += 1.0
		ai_controller.done = true
		ai_controller.needs_reset = true


func begin() -> void:
	position = Vector2(randf_range(20.0, SIZE - 20.0), SIZE - 20.0)
	flag.position = Vector2(randf_range(20.0, SIZE - 20.0), 40.0)
	ai_controller.reset()
