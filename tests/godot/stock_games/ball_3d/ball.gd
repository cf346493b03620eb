extends CharacterBody3D
## A ball on a platform, pushed towards a goal. Falling off the edge ends the episode; so do the goal and the time limit.

const EDGE := 5.0  # metres from the middle
const TOUCH := 0.8
const PUSH := 0.25  # metres per second and tick
const DRAG := 0.95

@onready var goal: Node3D = $"../Goal"
@onready var ai_controller: AIController3D = $AIController3D
@onready var approach: ApproachNodeReward3D = $Approach


func _ready() -> void:
	ai_controller.init(self)
	begin()


func _physics_process(_delta: float) -> void:
	if ai_controller.needs_reset:
		if ai_controller.n_steps > ai_controller.reset_after:
			ai_controller.is_success = false
			ai_controller.done = true
		begin()
		return
	var push := get_push()
	velocity = (velocity + Vector3(push.x, 0.0, push.y) * PUSH) * DRAG
	move_and_slide()
	ai_controller.reward += approach.get_reward()
	if position.distance_to(goal.position) < TOUCH:
		end(true)
	elif maxf(absf(position.x), absf(position.z)) > EDGE:
		end(false)


func get_push() -> Vector2:
	if ai_controller.heuristic == "human":
		return Input.get_vector("ui_left", "ui_right", "ui_up", "ui_down")
	return ai_controller.push


func end(is_success: bool) -> void:
	ai_controller.is_success = is_success
	ai_controller.reward += 1.0 if is_success else -1.0
	ai_controller.done = true
	ai_controller.needs_reset = true


func begin() -> void:
	velocity = Vector3.ZERO
	position = Vector3(randf_range(-3.0, 3.0), 0.5, randf_range(-3.0, 3.0))
	goal.position = position
	while position.distance_to(goal.position) < 2.0:
		goal.position = Vector3(randf_range(-4.0, 4.0), 0.5, randf_range(-4.0, 4.0))
	approach.reset()
	ai_controller.reset()
