class_name TagPlayer
extends RefCounted
## Decides for one agent: an observation in, an action out.


## Override. `observation` is one agent's row in layout `rays`; returns move_x, move_z, jump and perhaps turn.
func act(_observation: PackedFloat32Array) -> PackedFloat32Array:
	return PackedFloat32Array([0.0, 0.0, 0.0, 0.0])


## A direction of the arena as an action in the frame of the eyes.
static func toward(way: Vector2, facing: Vector2, jump: bool) -> PackedFloat32Array:
	var right := way.y * facing.x - way.x * facing.y
	var ahead := way.dot(facing)
	var turn := signf(right) if ahead < 0.0 else clampf(right * 3.0, -1.0, 1.0)
	return PackedFloat32Array([clampf(right, -1.0, 1.0), clampf(-ahead, -1.0, 1.0), 1.0 if jump else 0.0, turn])


## By name: human, chase, evade, wander or still, with a level after a colon ("chase:2"); or an exported policy.
static func named(name: String, rules: TagRules, seed_value: int, camera: TagCamera = null) -> TagPlayer:
	if name.ends_with(".onnx"):
		var trained := TagPolicy.new(name)
		if trained.problem:
			push_error(trained.problem)
			return null
		return trained
	var parts := name.split(":")
	var level := parts[1].to_int() if parts.size() > 1 else 3
	match parts[0]:
		"human":
			return TagHuman.new(camera)
		"chase", "evade", "wander":
			return TagScripted.new(rules, parts[0], level, seed_value)
		"still":
			return TagPlayer.new()
	push_error("There is no player called %s. There are: human, chase, evade, wander, still, and FILE.onnx." % name)
	return null
