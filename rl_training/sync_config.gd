extends Node
## Sets the autoload GodotRLAgentsSync up for training: 8 physics ticks per action, 8 times as fast as real time.
##
## Copy it into the project, as an autoload below GodotRLAgentsSync or as a node of the scene that is trained. A trainer
## that starts the game itself says the same with --action_repeat= and --speedup=, which win.

const ACTION_REPEAT := 8
const SPEED_UP := 8.0


func _ready() -> void:
	var sync: Sync = GodotRLAgentsSync
	sync.control_mode = sync.ControlModes.TRAINING
	sync.action_repeat = ACTION_REPEAT
	sync.speed_up = SPEED_UP
