class_name SandlotHttpSocket
extends RefCounted
## The trainer's messages over HTTP, for [SandlotLink]: the same messages as over a WebSocket, asked and answered.
##
## The game listens and the trainer calls: GET /rl/hello reads what the game says of itself, POST /rl/session brings
## the trainer's welcome, each POST /rl/exchange a command whose answer is the game's next message, and DELETE
## /rl/session ends it. It has the methods of WebSocketPeer that the link uses.

const GONE_S := 10.0  # without any connection, once a trainer was there

var inbound_buffer_size := 0  # as WebSocketPeer has them; bodies have limits of their own here
var outbound_buffer_size := 0
var max_queued_packets := 0

var _api := SandlotHttpApi.new()
var _hello := ""
var _state := WebSocketPeer.STATE_CLOSED
var _reason := ""
var _pending: SandlotHttpRequest  # a command that waits for its answer
var _packets: Array[SandlotHttpRequest] = []
var _was_text := false
var _has_session := false
var _was_read := false  # the hello
var _is_closing := false
var _seen_usec := 0


## Listen at an address such as http://127.0.0.1:8080. parent: a node of the scene, which the endpoints look from.
func connect_to_url(address: String, parent: Node) -> Error:
	var settings := SandlotHttpSettings.from_variables()
	settings.port = address.get_slice(":", 2).to_int()
	settings.token = OS.get_environment("SANDLOT_TOKEN")
	parent.add_child(_api)
	if not _api.start(settings):
		return ERR_ALREADY_IN_USE
	_api.set_process(false)  # polled here, where the engine waits for the trainer
	for route: String in ["POST /scene", "POST /scene/reload"]:
		_api.router.remove(route)  # the scene belongs to the trainer
	_api.router.add({
		"GET /rl/hello": _say_hello, "POST /rl/session": _open, "POST /rl/exchange": _exchange,
		"DELETE /rl/session": _end,
	})
	_state = WebSocketPeer.STATE_OPEN
	return OK


func set_no_delay(_no_delay: bool) -> void:
	pass  # the server does so for every connection


func get_ready_state() -> WebSocketPeer.State:
	return _state


func get_close_reason() -> String:
	return _reason


func poll() -> void:
	_api.server.poll()
	if _is_closing and _was_read:
		_state = WebSocketPeer.STATE_CLOSED
	if _api.server.connection_count():
		_seen_usec = Time.get_ticks_usec()
	elif _has_session and Time.get_ticks_usec() - _seen_usec > GONE_S * 1e6:
		_state = WebSocketPeer.STATE_CLOSED
		_reason = "nobody has called for %d s" % GONE_S


func get_available_packet_count() -> int:
	return _packets.size()


func get_packet() -> PackedByteArray:
	var request: SandlotHttpRequest = _packets.pop_front()
	_was_text = _is_json(request)
	return request.body


func was_string_packet() -> bool:
	return _was_text


## The first message is the hello; every other one answers the command that came last.
func send_text(text: String) -> Error:
	if not _hello:
		_hello = text
		return OK
	var made := SandlotHttpResponse.new()
	made.body = text.to_utf8_buffer()
	return _answer(made)


func send(bytes: PackedByteArray) -> Error:
	return _answer(SandlotHttpResponse.bytes(bytes))


func close(_code := 1000, reason := "") -> void:
	_reason = reason
	_answer(SandlotHttpResponse.error(410, "closed", reason if reason else "The game has ended."))
	_is_closing = true  # a failure that nobody has read yet is kept until then
	if _was_read:
		_state = WebSocketPeer.STATE_CLOSED


# ---------------------------------------------------------------- endpoints


func _say_hello(_request: SandlotHttpRequest) -> SandlotHttpResponse:
	if not _hello:
		return SandlotHttpResponse.error(503, "starting", "The scene has not described itself yet.")
	_was_read = true
	var made := SandlotHttpResponse.new()
	made.body = _hello.to_utf8_buffer()
	return made


func _open(request: SandlotHttpRequest) -> SandlotHttpResponse:
	if _has_session:
		return SandlotHttpResponse.error(409, "busy", "Another trainer has the session already.")
	if not _is_json(request):
		return SandlotHttpResponse.error(400, "bad_content_type", "The welcome is JSON: Content-Type: application/json.")
	_has_session = true
	_packets.append(request)
	return SandlotHttpResponse.json({"status": "open"})


func _exchange(request: SandlotHttpRequest) -> SandlotHttpResponse:
	if not _has_session:
		return SandlotHttpResponse.error(409, "no_session", "Open a session first: POST /rl/session.")
	if _pending != null and _api.server.is_waiting(_pending):
		return SandlotHttpResponse.error(409, "step_in_progress", "Another command is being answered.")
	_pending = request
	_packets.append(request)
	return null


func _end(_request: SandlotHttpRequest) -> SandlotHttpResponse:
	if not _has_session:
		return SandlotHttpResponse.error(409, "no_session", "There is no session.")
	var made := SandlotHttpRequest.new()
	made.headers["content-type"] = "application/json"
	made.body = JSON.stringify({"type": "close"}).to_utf8_buffer()
	_packets.append(made)
	return SandlotHttpResponse.json({"status": "closed"})


func _answer(response: SandlotHttpResponse) -> Error:
	if _pending != null:
		_api.server.answer(_pending, response)
		_pending = null
	return OK


static func _is_json(request: SandlotHttpRequest) -> bool:
	return (request.headers.get("content-type", "") as String).begins_with("application/json")
