extends SandlotAgent
## The glue between the game and the trainer.

@onready var game := get_parent()


func _init() -> void:
	actions = {"steer": ["left", "stay", "right"]}
	reward_terms = ["caught", "missed"]
	reports = {"success": "flag", "apples": "higher"}
	settings = ["fall_speed"]


func _ready() -> void:
	game.caught.connect(reward.bind(&"caught", 1.0))
	game.missed.connect(reward.bind(&"missed", -1.0))
	game.game_over.connect(_on_game_over)


func _on_game_over(won: bool) -> void:
	report("success", won)
	report("apples", game.score)
	end_episode()


func observe_fields() -> Dictionary:
	return {"basket": game.basket / 320.0 - 1.0, "apple": game.apple / 320.0 - Vector2.ONE}


func act(action: Dictionary) -> void:
	game.steer = action.steer - 1


func human() -> Dictionary:
	return {"steer": 1 + int(Input.get_axis("ui_left", "ui_right"))}


func begin_episode(random: SandlotRandom) -> void:
	game.restart(random)
