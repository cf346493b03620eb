@icon("res://addons/sandlot/icons/link.svg")
class_name SandlotLink
extends Node
## Talks to the trainer in lock-step: sends the state of every arena, waits for the next command.
##
## How a scene uses it, one that steps its own arenas:
## [codeblock]
## var welcome := link.connect_to_trainer("", {"game": "tag", "game_version": "1"})
## if welcome.is_empty():                      # link.problem says why
##     get_tree().quit(2)
## batch = SandlotBatch.from_welcome(welcome)  # welcome.spec, .config, .worlds: build the arenas from them
## command = link.await_command()              # the first one is always RESET
## ...
## # at every decision tick:
## command = link.exchange(batch)
## match command:
##     SandlotLink.Command.STEP: apply(link.actions)                       # play one step, then exchange again
##     SandlotLink.Command.RESET: begin(link.reset_worlds, link.seeds)     # write observations, then exchange again
##     SandlotLink.Command.CLOSE: get_tree().quit(link.exit_code())
## [/codeblock]
## Waiting blocks the engine on purpose: the arenas stand still until the trainer answers, so a run is the same
## at any speed. A trainer that is gone is noticed at once, a silent one after [member timeout_s].

enum Command { STEP, RESET, CLOSE }

const ADDON_VERSION := "0.2.0"
const DEFAULT_URL := "ws://127.0.0.1:8765"
const LONGEST_MESSAGE := 64 << 20  # bytes, in and out
const CONNECT_S := 20.0
const PARTING_S := 2.0  # for the trainer to read a failure and close
const EAGER_USEC := 2000  # looking without a nap first: in play an answer comes at once
const LONGEST_NAP_USEC := 1000  # while the trainer learns, its cores are its own

## Where the trainer listens. Empty: the environment variable SANDLOT_URL, else port 8765 on this machine.
@export var url := ""
## Seconds to wait for the trainer's next command before giving up; a long update counts as silence.
@export_range(1.0, 3600.0, 1.0) var timeout_s := 600.0

var actions := PackedFloat32Array()  ## after STEP: [rows · action_size]
var choices := PackedInt32Array()  ## after STEP in a discrete game: [rows]
var reset_worlds := PackedInt32Array()  ## after RESET: which worlds begin anew
var seeds := PackedInt64Array()  ## after RESET: one seed for each of them
var problem := ""  ## why there is no connection; empty while all is well
var welcome := {}  ## the trainer's welcome message: worlds, spec, config, …
## Answers a `look` message of the trainer: func(world: int) -> {"info": floats, "render": floats, "events": []}.
var look := Callable()

var _socket: RefCounted = WebSocketPeer.new()  # or a SandlotHttpSocket, which has the same methods
var _batch: SandlotBatch
var _step := 0


## Connect and say hello. Returns the trainer's welcome; an empty one when it refused or is not there.
func connect_to_trainer(to := "", hello := {}) -> Dictionary:
	problem = SandlotNetworkPermission.refusal("connect to a trainer")
	if problem:
		return {}
	var address := _address(to)
	_socket.inbound_buffer_size = LONGEST_MESSAGE
	_socket.outbound_buffer_size = LONGEST_MESSAGE
	_socket.max_queued_packets = 64
	if _open(address) != OK or not _wait_until_open():
		problem = "No trainer answers at %s. Start one with `sandlot train`." % address
		return {}
	_socket.set_no_delay(true)
	_socket.send_text(JSON.stringify(_introduction(hello)))
	var answer := _receive(CONNECT_S)
	if answer.is_empty():
		return {}
	var reply: Variant = JSON.parse_string(answer.text) if answer.has("text") else null
	if typeof(reply) != TYPE_DICTIONARY or reply.get("type") != "welcome":
		_refuse(_error_text(reply))
		return {}
	if int(reply.protocol) != SandlotWire.PROTOCOL:
		_refuse(
			"The trainer speaks protocol %d, this addon %d. Update addons/sandlot from the same release."
			% [int(reply.protocol), SandlotWire.PROTOCOL]
		)
		return {}
	welcome = reply
	_batch = SandlotBatch.from_welcome(reply)
	return reply


## Wait for the trainer's next command without sending a state: the first one after a welcome.
func await_command() -> Command:
	while true:
		var message := _receive(timeout_s)
		if message.is_empty():
			return Command.CLOSE
		var command := _read(message)
		match command.type:
			"step":
				_step = command.step
				actions = command.get("actions", actions)
				choices = command.get("choices", choices)
				return Command.STEP
			"reset":
				_step = command.step
				reset_worlds = command.worlds
				seeds = command.seeds
				return Command.RESET
			"look":
				_answer_look(command)
			"close":
				_socket.close(1000, "as asked")
				return Command.CLOSE
			_:
				_refuse(_error_text(command))
				return Command.CLOSE
	return Command.CLOSE


## Send the state of every arena after the last command, and wait for the next command.
func exchange(batch: SandlotBatch) -> Command:
	var mismatch := batch.problem()
	if mismatch:
		_refuse(mismatch)
		return Command.CLOSE
	var sent: Error
	if welcome.get("encoding") == "json":
		sent = _socket.send_text(SandlotWire.state_to_json(_step, batch))
	else:
		sent = _socket.send(SandlotWire.state_to_bytes(_step, batch))
	if sent != OK:
		_lose("a message could not be sent (%s)" % error_string(sent))
		return Command.CLOSE
	return await_command()


## Tell the trainer that the game cannot go on, also before the hello; it is answered by nothing.
func send_failure(text: String) -> void:
	problem = text
	if not SandlotNetworkPermission.is_given():
		return
	if _socket.get_ready_state() == WebSocketPeer.STATE_CLOSED:
		if _open(_address("")) != OK or not _wait_until_open():
			return
	var message := {"type": "error", "code": "game_failed", "text": text, "token": OS.get_environment("SANDLOT_TOKEN")}
	_socket.send_text(JSON.stringify(message))
	_socket.close(1000, "the game cannot go on")  # what was sent before is read first
	var until := Time.get_ticks_usec() + int(PARTING_S * 1e6)
	while _socket.get_ready_state() != WebSocketPeer.STATE_CLOSED and Time.get_ticks_usec() < until:
		_socket.poll()
		while _socket.get_available_packet_count() > 0:
			_socket.get_packet()
		OS.delay_usec(1000)


## What a game should exit with: 0 after a polite end, 1 when the trainer was lost, 2 when it refused.
func exit_code() -> int:
	return 0 if problem.is_empty() else (2 if welcome.is_empty() else 1)


## ws://… connects to a trainer that listens; http://… listens for one that calls.
func _open(address: String) -> Error:
	if not address.begins_with("http://"):
		return _socket.connect_to_url(address)
	_socket = SandlotHttpSocket.new()
	return _socket.connect_to_url(address, self)


func _address(to: String) -> String:
	for candidate: String in [to, url, OS.get_environment("SANDLOT_URL")]:
		if candidate:
			return candidate
	return DEFAULT_URL


func _introduction(hello: Dictionary) -> Dictionary:
	var message := {
		"type": "hello",
		"protocol": SandlotWire.PROTOCOL,
		"addon": ADDON_VERSION,
		"engine": "Godot %s" % Engine.get_version_info().string,
		"mode": "lockstep",
		"encodings": ["binary", "json"],
	}
	var token := OS.get_environment("SANDLOT_TOKEN")
	if token:
		message.token = token
	message.merge(hello, true)
	return message


func _wait_until_open() -> bool:
	var until := Time.get_ticks_usec() + int(CONNECT_S * 1e6)
	while Time.get_ticks_usec() < until:
		_socket.poll()
		match _socket.get_ready_state():
			WebSocketPeer.STATE_OPEN:
				return true
			WebSocketPeer.STATE_CLOSED:
				return false
		OS.delay_usec(1000)
	return false


## The next message, {"text"} or {"bytes"}; {} when there will be none, and `problem` says why.
func _receive(seconds: float) -> Dictionary:
	var began := Time.get_ticks_usec()
	while true:
		_socket.poll()
		if _socket.get_available_packet_count() > 0:
			var packet: PackedByteArray = _socket.get_packet()
			return {"text": packet.get_string_from_utf8()} if _socket.was_string_packet() else {"bytes": packet}
		if _socket.get_ready_state() == WebSocketPeer.STATE_CLOSED:
			_lose("it closed the connection%s" % _close_reason())
			return {}
		var waited := Time.get_ticks_usec() - began
		if waited > seconds * 1e6:
			_lose("it sent nothing for %d s" % seconds)
			return {}
		if waited > EAGER_USEC:
			OS.delay_usec(mini(waited / 20, LONGEST_NAP_USEC))
	return {}


func _close_reason() -> String:
	var reason: String = _socket.get_close_reason()
	return ": " + reason if reason else ""


func _read(message: Dictionary) -> Dictionary:
	if message.has("text"):
		return SandlotWire.command_from_json(message.text, _batch)
	return SandlotWire.command_from_bytes(message.bytes, _batch)


func _answer_look(request: Dictionary) -> void:
	var world := int(request.get("world", 0))
	var seen: Dictionary = look.call(world) if look.is_valid() else {}
	var answer := {"type": "view", "world": world, "info": [], "render": [], "events": []}
	for name: String in seen:
		answer[name] = Array(seen[name])
	_socket.send_text(JSON.stringify(answer, "", false, true))


func _error_text(message: Variant) -> String:
	if typeof(message) == TYPE_DICTIONARY and message.get("type") == "error":
		return str(message.get("text", message.get("code", "an error without a text")))
	return "The trainer sent something that is no command: %s" % str(message).left(200)


func _refuse(why: String) -> void:
	problem = why
	push_error("sandlot: " + why)
	_socket.close(1002, why.left(120))
	_socket.poll()


func _lose(why: String) -> void:
	problem = "The trainer is gone: %s." % why
	printerr("sandlot: ", problem)
