@icon("res://addons/sandlot/icons/link.svg")
class_name SandlotLiveLink
extends Node
## Streams to a live server (`sandlot bridge`) while the game goes on: requests actions, sends transitions.
##
## [codeblock]
## live.actions_received.connect(func(step, actions): ...)          # {"Agent1": [move_x, move_z, jump], ...}
## live.request_actions({"Agent1": observation, "Agent2": other})     # returns the step's number
## live.send_transition("Agent1", before, action, reward, after, terminated, truncated, {"role": "seeker"})
## [/codeblock]
## It connects by itself and again when the server comes back; nothing here blocks the game unasked. An answer to an
## older request than the newest one is dropped.

signal connected(welcome: Dictionary)
signal disconnected
## The answer to the newest request.
signal actions_received(step: int, actions: Dictionary)
## The server could not use a message; the text says why.
signal refused(code: String, text: String)

const DEFAULT_URL := "ws://127.0.0.1:8765"
const LONGEST_MESSAGE := 4 << 20  # bytes
const MOST_WAITING := 4096  # transitions kept while the server is away

## Where the server listens. Empty: the environment variable SANDLOT_URL, else port 8765 on this machine.
@export var url := ""
## Connect as soon as the node is ready.
@export var connect_on_ready := true
## Transitions that are sent together.
@export_range(1, 4096) var batch := 32
## Ask with `act`, one message an agent, as the oldest servers know it. AI_LEGACY_ACT_FALLBACK=1 sets it.
@export var legacy_act_fallback := false
## Seconds between two attempts to connect.
@export_range(0.1, 60.0, 0.1) var retry_s := 2.0
## What the hello says beside protocol and engine.
@export var hello := {}

var policy_version := 0  ## of the last answer
var stored := 0  ## transitions that the server has acknowledged

var _socket: WebSocketPeer
var _step := 0
var _answered := 0  # the newest request that was answered
var _open := false
var _wanted := false
var _dialled_msec := 0
var _waiting: Array[Dictionary] = []


func _ready() -> void:
	legacy_act_fallback = legacy_act_fallback or SandlotArguments.variable("AI_LEGACY_ACT_FALLBACK")
	if connect_on_ready:
		start()


func start() -> void:
	var refusal := SandlotNetworkPermission.refusal("connect to a live server")
	if refusal:
		printerr("sandlot: ", refusal)
		refused.emit("release_build", refusal)
		return
	_wanted = true
	_dial()


func stop() -> void:
	_wanted = false
	flush()
	if _socket != null:
		_socket.close()


func is_open() -> bool:
	return _open


## Request an action for each agent, by name. Returns the number that the answer will carry; 0 when nobody listens.
func request_actions(observations: Dictionary) -> int:
	if not _open:
		return 0
	_step += 1
	if legacy_act_fallback:
		for name: String in observations:
			_send({"type": "act", "obs": Array(observations[name]), "step": _step, "agent": name})
	else:
		var rows := {}
		for name: String in observations:
			rows[name] = Array(observations[name])
		_send({"type": "act_batch", "obs": rows, "step": _step})
	return _step


## Send one transition. `after` may be empty when the episode ended.
func send_transition(
	agent: String, before: Variant, action: Variant, reward: float, after: Variant, terminated: bool,
	truncated := false, info := {}, step := 0
) -> void:
	var transition := {
		"obs": Array(before), "action": Array(action), "reward": reward, "done": terminated or truncated,
		"terminated": terminated, "truncated": truncated, "policy_version": policy_version,
		"info": {"agent": agent}.merged(info, true),
	}
	if after != null and not after.is_empty():
		transition.next_obs = Array(after)
	if step:
		transition.step = step
	_waiting.append(transition)
	if _waiting.size() >= batch or transition.done:
		flush()


## Send what is waiting.
func flush() -> void:
	if _open and not _waiting.is_empty():
		_send({"type": "transition_batch", "transitions": _waiting})
		_waiting.clear()
	elif _waiting.size() > MOST_WAITING:
		_waiting = _waiting.slice(-MOST_WAITING)


## Wait a moment for the answer to the newest request, so that a game need not lose a frame to a server nearby. Returns
## whether it came; if not, it will come by the signal later.
func await_answer(most_msec: int) -> bool:
	var end_msec := Time.get_ticks_msec() + most_msec
	while _open and _answered < _step and Time.get_ticks_msec() < end_msec:
		_listen()
		OS.delay_usec(200)
	return _answered == _step


func _process(_delta: float) -> void:
	_listen()


func _listen() -> void:
	if _socket == null:
		return
	_socket.poll()
	var state := _socket.get_ready_state()
	if state == WebSocketPeer.STATE_OPEN and not _open:
		_greet()
	while _socket.get_available_packet_count() > 0:
		_handle(_socket.get_packet().get_string_from_utf8())
	if state == WebSocketPeer.STATE_CLOSED:
		_lost()


func _dial() -> void:
	_socket = WebSocketPeer.new()
	_socket.inbound_buffer_size = LONGEST_MESSAGE
	_socket.outbound_buffer_size = LONGEST_MESSAGE
	var address := url if url else OS.get_environment("SANDLOT_URL")
	_socket.connect_to_url(address if address else DEFAULT_URL)
	_dialled_msec = Time.get_ticks_msec()  # real time, however fast the scene's own runs


func _greet() -> void:
	_open = true
	var message := {
		"type": "hello", "protocol": SandlotWire.PROTOCOL, "mode": "streaming", "addon": SandlotLink.ADDON_VERSION,
		"engine": "Godot %s" % Engine.get_version_info().string,
	}
	var token := OS.get_environment("SANDLOT_TOKEN")
	if token:
		message.token = token
	_send(message.merged(hello, true))


func _lost() -> void:
	if _open:
		_open = false
		if _socket.get_close_code() > 1001:  # more than goodbye: the reason says why
			refused.emit("closed", _socket.get_close_reason())
		disconnected.emit()
	if _wanted and Time.get_ticks_msec() - _dialled_msec > retry_s * 1000.0:
		_dial()


func _handle(text: String) -> void:
	var message: Variant = JSON.parse_string(text)
	if typeof(message) != TYPE_DICTIONARY:
		return
	policy_version = _integer(message.get("policy_version"), policy_version)
	match message.get("type"):
		"welcome":
			connected.emit(message)
		"action_batch":
			_receive_actions(_integer(message.get("step")), _object(message.get("actions")))
		"action":
			_receive_actions(_integer(message.get("step")), {"agent": message.get("action", [])})
		"echo":
			if _object(message.get("recv")).get("type") == "hello":
				connected.emit({})  # a server that knows no hello: it knows nothing of the game
		"ack":
			stored += _integer(message.get("stored"))
		"error":
			refused.emit(str(message.get("code")), str(message.get("text")))


static func _integer(value: Variant, usual := 0) -> int:
	return int(value) if typeof(value) in [TYPE_INT, TYPE_FLOAT] else usual


static func _object(value: Variant) -> Dictionary:
	return value if typeof(value) == TYPE_DICTIONARY else {}


func _receive_actions(step: int, actions: Dictionary) -> void:
	if step == _step:
		_answered = step
		actions_received.emit(step, actions)


func _send(message: Dictionary) -> void:
	_socket.send_text(JSON.stringify(message, "", false, true))
