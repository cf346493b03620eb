extends Label
## What the watch has found, above the picture of what the wearer sees.

@onready var _room := owner


func _process(_delta: float) -> void:
	var found: Dictionary = _room.watch.measures()
	text = "%d pose jumps\nhead %.0f cm off\nhands lost %d times, %.1f s" % [
		found.pose_jumps, 100.0 * _room.watch.drift, found.hand_losses, found.lost_hand_s,
	]
