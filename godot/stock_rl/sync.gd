class_name StockSync
extends Node
## A plain peer of the stock godot-rl client: what `benchmarks/godot_bridge.py` measures the bridge against.
##
## It speaks the protocol as the stock plugin does: TCP, a length and JSON, one dictionary an agent, the clock of
## the engine's own physics ticks. It is here to be compared with, not to be used; SandlotLink is the better one.
##
## Words of the command line, without the usual `--` before them, since that is how the client gives them:
## --port=11008 --action_repeat=8 --speedup=1

const HOST := "127.0.0.1"
const DEFAULT_PORT := 11008
const CONNECT_S := 20.0
const TIMEOUT_S := 120.0  ## without a word from the client the game ends
const NAP_USEC := 10
const TICK_RATE := 60  ## ticks a second at speed-up 1
const LONGEST_MESSAGE := 64 << 20  ## bytes

var action_repeat := 8  ## physics ticks a decision
var agents: Array[StockController] = []
var problem := ""  ## why there is no connection

var _stream := StreamPeerTCP.new()
var _ticks := 0
var _is_reset_asked := false
var _is_action_out := false


static func arguments() -> SandlotArguments:
	return SandlotArguments.parse(OS.get_cmdline_args())


## Read the arguments, before the arenas are built: they play `action_repeat` ticks a step.
func _init() -> void:
	var given := arguments()
	action_repeat = maxi(given.integer("action_repeat", action_repeat), 1)
	var speed_up := maxf(given.number("speedup", 1.0), 1.0)
	Engine.physics_ticks_per_second = int(TICK_RATE * speed_up)
	Engine.time_scale = speed_up


func _ready() -> void:
	set_physics_process(false)  # until begin()


## Connect to the client and send it the spaces of all agents in the tree. False: `problem` says why not.
func begin() -> bool:
	for node in get_tree().get_nodes_in_group("AGENT"):
		agents.append(node as StockController)
	if not _connect(arguments().integer("port", DEFAULT_PORT)):
		problem = "No godot-rl client answers at %s:%d." % [HOST, arguments().integer("port", DEFAULT_PORT)]
		return false
	if _receive().get("type") != "handshake" or _receive().get("type") != "env_info":
		problem = "The client did not begin with a handshake and a question about the spaces."
		return false
	_send(_env_info())
	set_physics_process(true)
	return true


## Every `action_repeat` ticks, before the arenas play theirs: send, wait, act.
func _physics_process(_delta: float) -> void:
	if _ticks % action_repeat == 0:
		_decide()
	_ticks += 1


func _decide() -> void:
	var seen := agents.map(func(agent: StockController) -> Dictionary: return agent.get_obs())
	var info := agents.map(func(agent: StockController) -> Dictionary: return agent.get_info())
	if _is_reset_asked:
		_is_reset_asked = false
		_send({"type": "reset", "obs": seen, "info": info})
		return  # one more step is played before the first action is read, as in the stock plugin
	if _is_action_out:
		_is_action_out = false
		_send({"type": "step", "obs": seen, "reward": _rewards(), "done": _endings(), "info": info})
	_obey(_receive())


func _obey(message: Dictionary) -> void:
	match message.get("type"):
		"reset":
			_is_reset_asked = true
			for agent in agents:
				agent.needs_reset = true
		"action":
			_is_action_out = true
			for i in agents.size():
				agents[i].set_action(message.action[i])
		_:  # "close", or nothing because the client is gone
			set_physics_process(false)
			get_tree().quit(0 if message.get("type") == "close" else 1)


func _env_info() -> Dictionary:
	return {
		"type": "env_info",
		"observation_space": agents.map(func(agent: StockController) -> Dictionary: return agent.get_obs_space()),
		"action_space": agents.map(func(agent: StockController) -> Dictionary: return agent.get_action_space()),
		"n_agents": agents.size(),
		"agent_policy_names": agents.map(func(_agent: StockController) -> String: return "shared_policy"),
	}


func _rewards() -> Array:
	var made := []
	for agent in agents:
		made.append(agent.reward)
		agent.reward = 0.0
	return made


func _endings() -> Array:
	var made := []
	for agent in agents:
		made.append(agent.done)
		agent.done = false
	return made


## The client starts the game before it listens, so the first tries may fail.
func _connect(port: int) -> bool:
	var until := Time.get_ticks_usec() + int(CONNECT_S * 1e6)
	while Time.get_ticks_usec() < until:
		_stream.poll()
		match _stream.get_status():
			StreamPeerTCP.STATUS_CONNECTED:
				_stream.set_no_delay(true)
				return true
			StreamPeerTCP.STATUS_CONNECTING:
				OS.delay_usec(1000)
			_:
				_stream.disconnect_from_host()
				OS.delay_msec(50)
				_stream.connect_to_host(HOST, port)
	return false


func _send(message: Dictionary) -> void:
	_stream.put_string(JSON.stringify(message, "", false))


## The next message; {} when the client is gone, silent for too long, or sends nonsense.
func _receive() -> Dictionary:
	if not _wait_for(4):
		return {}
	var length := _stream.get_u32()
	if length > LONGEST_MESSAGE or not _wait_for(1):
		return {}
	var message: Variant = JSON.parse_string(_stream.get_utf8_string(length))
	return message if typeof(message) == TYPE_DICTIONARY else {}


func _wait_for(bytes: int) -> bool:
	var until := Time.get_ticks_usec() + int(TIMEOUT_S * 1e6)
	while _stream.get_available_bytes() < bytes:
		_stream.poll()
		if _stream.get_status() != StreamPeerTCP.STATUS_CONNECTED or Time.get_ticks_usec() > until:
			return false
		OS.delay_usec(NAP_USEC)
	return true
