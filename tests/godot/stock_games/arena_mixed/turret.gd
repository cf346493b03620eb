extends Polygon2D
## Turns towards a moving target and fires; three hits win, and a shot at nothing costs.

const TURN := 0.08  # radians per tick
const AIM := 0.25  # radians, within which a shot hits
const RELOAD := 16  # ticks

var hits := 0
var reload := 0  # ticks left
var target := 0.0  # angle
var drift := 0.0  # radians per tick

@onready var ai_controller: AIController2D = $AIController2D


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
	var before := absf(error())
	rotation += ai_controller.turn * TURN
	target += drift
	reload = maxi(reload - 1, 0)
	ai_controller.reward += before - absf(error())
	if ai_controller.is_firing and reload == 0:
		fire()


func error() -> float:
	return angle_difference(rotation, target)


func fire() -> void:
	reload = RELOAD
	if absf(error()) > AIM:
		ai_controller.reward -= 0.2
		return
	hits += 1
	ai_controller.reward += 1.0
	if hits == 3:
		ai_controller.is_success = true
		ai_controller.done = true
		ai_controller.needs_reset = true


func begin() -> void:
	hits = 0
	reload = 0
	rotation = 0.0
	target = randf_range(-PI, PI)
	drift = randf_range(-0.01, 0.01)
	ai_controller.reset()
