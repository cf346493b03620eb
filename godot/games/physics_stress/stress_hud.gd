extends Label
## What the yard holds and how long its ticks take.

@onready var game: PhysicsStress = owner


func _process(_delta: float) -> void:
	var now := game.monitor.get_statistics()
	text = "%d crates, %d chunks\ntick %.1f ms, longest %.1f (budget 11.1)\n%d of %d frames held, %d too slow, %d jitters" % [
		game.bodies.size(), game.chunks, now.physics_frame_time_ms, game.longest_ms,
		game.frames - game.slow_frames, PhysicsStress.FRAMES, game.slow_frames, game.jitters,
	]
