extends RefCounted
## The agents of a scene, all nodes of the group AGENT in the order of the tree, sorted by who controls them.

const GROUP := &"AGENT"
## The ControlModes of AIController2D and AIController3D; those of [Sync] are the same without the first and last.
enum AgentMode { INHERIT_FROM_SYNC, HUMAN, TRAINING, ONNX_INFERENCE, RECORD_EXPERT_DEMOS }
const METHODS: PackedStringArray = ["get_obs", "get_reward", "get_action_space", "set_action"]

var all: Array[Node] = []
var training: Array[Node] = []
var inference: Array[Node] = []
var recording: Node  ## whose demonstrations are recorded; null for nobody
var problem := ""


static func of(tree: SceneTree, sync_mode: int) -> RefCounted:
	var made := new()
	made.all.assign(tree.get_nodes_in_group(GROUP))
	for agent in made.all:
		made._sort(agent, sync_mode + AgentMode.HUMAN)
	return made


## The first agent that was freed, as a sentence; "" where all are there.
func missing() -> String:
	for i in all.size():
		if not is_instance_valid(all[i]):
			return "agent %d of the scene was freed; put it back into place when an episode begins instead" % i
	return ""


func _sort(agent: Node, inherited: int) -> void:
	var lacking := Array(METHODS).filter(func(method: String) -> bool: return not agent.has_method(method))
	if lacking:
		problem = "%s is in the group %s and has no %s(); let its script extend AIController2D or AIController3D" % [
			agent.get_path(), GROUP, lacking[0]
		]
		return
	var own: Variant = agent.get("control_mode")
	match own if own is int and own != AgentMode.INHERIT_FROM_SYNC else inherited:
		AgentMode.TRAINING:
			training.append(agent)
		AgentMode.ONNX_INFERENCE:
			inference.append(agent)
		AgentMode.RECORD_EXPERT_DEMOS when recording:
			problem = "%s and %s both record demonstrations; only one agent can" % [recording.get_path(), agent.get_path()]
		AgentMode.RECORD_EXPERT_DEMOS:
			recording = agent
