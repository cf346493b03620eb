extends Label
## What the robots are about, in a corner of the screen.

@onready var room: MultiAgentRoom = owner


func _process(_delta: float) -> void:
	var about := "Together: gather" if room.rewards == "cooperative" else "Opponents: keep away"
	text = "%s\n%.0f s left\n%.1f m from the middle to the farthest\n%d collisions" % [
		about, (MultiAgentRoom.LIMIT_TICKS - room.ticks) / float(VrSession.TICK_RATE), room.spread(), room.collisions,
	]
