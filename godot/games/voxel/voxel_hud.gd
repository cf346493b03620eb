extends Label
## What the monitor measures and what was found, in a corner of the screen.

@onready var game: VoxelGame = owner


func _process(_delta: float) -> void:
	var now := game.monitor.get_statistics()
	text = "%d chunks, %d waiting\nchunk %.1f ms (longest %.1f, budget 5)\ntick %.1f ms (budget 11.1)\n%.1f MB of terrain\n%s" % [
		now.active_chunk_count, game.terrain.queue_length(), now.chunk_generation_avg_ms, now.chunk_generation_max_ms,
		now.physics_frame_time_ms, now.voxel_memory_mb, _found(),
	]


func _found() -> String:
	var made := PackedStringArray()
	if game.slow_chunks:
		made.append("%d slow chunks" % game.slow_chunks)
	for what: String in ["lod_seam", "memory_growth"]:
		if game.is_broken(what):
			made.append(what.replace("_", " "))
	return "found: " + ", ".join(made) if made else "nothing found yet"
