"""The wire between Sandlot and Godot: the engine found or fetched, its processes, and the messages."""
