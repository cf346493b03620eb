class_name TagPolicy
extends TagPlayer
## A trained policy from an exported file (`sandlot export RUN`), played in the scene without any Python.

var policy: SandlotPolicy
var problem := ""  ## why it cannot play here

var _clock := 0.0


func _init(path: String) -> void:
	policy = SandlotPolicy.open(path)
	problem = policy.problem
	if not problem and policy.facts.get("game") != "tag":
		problem = "%s plays %s, this scene is tag." % [path, policy.facts.get("game")]


## The settings that it was trained under; a scene takes them over, so that it sees what it learned to see.
func settings() -> Dictionary:
	return policy.facts.get("config", {})


func act(observation: PackedFloat32Array) -> PackedFloat32Array:
	if policy.facts.config.get("layout") == "rays" and observation[9] > _clock:
		policy.forget()  # the clock went up: a new match
	_clock = observation[9]
	return policy.act(observation)
