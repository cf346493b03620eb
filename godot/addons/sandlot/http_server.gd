class_name SandlotHttpServer
extends RefCounted
## The sockets of the HTTP API: accepts connections of this machine, hands whole requests on, writes the answers.
##
## Nothing here waits: [method poll] does what can be done now. Slow, silent and greedy clients are ended by limits.

const ADDRESS := "127.0.0.1"
const MOST_CONNECTIONS := 64
const MOST_AT_ONCE := 262_144  # bytes read from one connection in one poll: a flood must not hold a frame
const MOST_ACCEPTED := 16  # connections taken in one poll
const REQUEST_S := 10.0  # from the first byte of a request to its last
const IDLE_S := 60.0  # of a connection without a request
const WRITE_S := 10.0  # for a client to read an answer

var problem := ""  ## why it does not listen
var handler := Callable()  ## func(request) -> SandlotHttpResponse, or null: answered later, by [method answer]
var requests := 0  ## answered so far

var _server := TCPServer.new()
var _connections: Dictionary[int, Connection] = {}
var _next := 1


class Connection:
	var peer: StreamPeerTCP
	var parser := SandlotHttpParser.new()
	var outgoing := PackedByteArray()
	var request: SandlotHttpRequest  # that is being answered
	var since_usec := 0  # of what is being waited for
	var is_ending := false  # closed when the answer is written


## Whether it listens. port 0: a free one.
func listen(port: int) -> bool:
	if _server.listen(port, ADDRESS) != OK:
		problem = "Port %d of %s is taken by another program." % [port, ADDRESS]
	return not problem


func port() -> int:
	return _server.get_local_port() if _server.is_listening() else 0


func connection_count() -> int:
	return _connections.size()


func stop() -> void:
	for id in _connections:
		_connections[id].peer.disconnect_from_host()
	_connections.clear()
	_server.stop()


## Read, hand on and write what is there.
func poll() -> void:
	if not _server.is_listening():
		return
	_accept()
	for id: int in _connections.keys():
		var one := _connections[id]
		if not _serve(id, one):
			one.peer.disconnect_from_host()
			_connections.erase(id)


## Answer a request that the handler left open.
func answer(request: SandlotHttpRequest, response: SandlotHttpResponse) -> void:
	var one: Connection = _connections.get(request.connection)
	if one != null and one.request == request:
		_respond(one, response, request.keep_alive, request.method != "HEAD")
		_flush(one)


## Whether the client of a request that is still open is there.
func is_waiting(request: SandlotHttpRequest) -> bool:
	var one: Connection = _connections.get(request.connection)
	return one != null and one.request == request


func _accept() -> void:
	for i in MOST_ACCEPTED:
		if not _server.is_connection_available():
			return
		var peer := _server.take_connection()
		peer.set_no_delay(true)
		var one := Connection.new()
		one.peer = peer
		one.since_usec = Time.get_ticks_usec()
		if _connections.size() >= MOST_CONNECTIONS and not _end_idle():
			var busy := SandlotHttpResponse.error(503, "busy", "%d connections are open already." % MOST_CONNECTIONS)
			peer.put_partial_data(busy.to_bytes(false))
			peer.disconnect_from_host()
			continue
		_connections[_next] = one
		_next += 1


## Make room: the connection that has been idle for longest ends, one that is being served never does.
func _end_idle() -> bool:
	var oldest := 0
	for id in _connections:
		var one := _connections[id]
		if one.request == null and one.outgoing.is_empty():
			if oldest == 0 or one.since_usec < _connections[oldest].since_usec:
				oldest = id
	if oldest == 0 or Time.get_ticks_usec() - _connections[oldest].since_usec < 1e6:
		return false
	_connections[oldest].peer.disconnect_from_host()
	_connections.erase(oldest)
	return true


## One look at a connection; false where it is over.
func _serve(id: int, one: Connection) -> bool:
	one.peer.poll()
	if one.peer.get_status() not in [StreamPeerTCP.STATUS_CONNECTED, StreamPeerTCP.STATUS_CONNECTING]:
		return false
	if not _flush(one):
		return false
	if one.outgoing.is_empty() and one.is_ending:
		return false
	if one.request == null and one.outgoing.is_empty() and not one.is_ending:
		if not _read(id, one):
			return false
	return _is_in_time(one)


func _read(id: int, one: Connection) -> bool:
	var request := one.parser.next()  # one that came together with the last
	var waiting := one.parser.is_waiting()
	var available := mini(one.peer.get_available_bytes(), MOST_AT_ONCE)
	if request == null and one.parser.failure == null and available > 0:
		var got := one.peer.get_partial_data(available)
		if got[0] != OK:
			return false
		one.parser.feed(got[1])
		if not waiting:
			one.since_usec = Time.get_ticks_usec()
		request = one.parser.next()
	if request != null:
		_hand_on(id, one, request)
	elif one.parser.failure != null:
		_respond(one, one.parser.failure, false, true)
	return true


func _hand_on(id: int, one: Connection, request: SandlotHttpRequest) -> void:
	request.connection = id
	one.request = request
	var response: SandlotHttpResponse = handler.call(request)
	if response != null and one.request == request:
		_respond(one, response, request.keep_alive, request.method != "HEAD")


func _respond(one: Connection, response: SandlotHttpResponse, keep_alive: bool, with_body: bool) -> void:
	requests += 1
	one.request = null
	one.is_ending = not keep_alive
	one.outgoing.append_array(response.to_bytes(keep_alive, with_body))
	one.since_usec = Time.get_ticks_usec()
	_flush(one)


func _flush(one: Connection) -> bool:
	if one.outgoing.is_empty():
		return true
	var sent := one.peer.put_partial_data(one.outgoing)
	if sent[0] != OK:
		return false
	if sent[1] > 0:
		one.outgoing = one.outgoing.slice(sent[1])
		one.since_usec = Time.get_ticks_usec()
	return true


func _is_in_time(one: Connection) -> bool:
	var waited := (Time.get_ticks_usec() - one.since_usec) / 1e6
	if not one.outgoing.is_empty():
		return waited < WRITE_S
	if one.request != null:
		return true  # it is our turn
	if one.parser.is_waiting():
		if waited >= REQUEST_S and not one.is_ending:
			var late := SandlotHttpResponse.error(408, "too_slow", "The request was not whole within %d s." % REQUEST_S)
			_respond(one, late, false, true)
		return true
	return waited < IDLE_S
