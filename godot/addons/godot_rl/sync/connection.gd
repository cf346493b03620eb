extends RefCounted
## TCP to the trainer: whole messages, a deadline for every wait, and a sentence in [member problem] when it is lost.
##
## A message is an unsigned 32-bit little-endian count of bytes, then that many bytes of JSON in UTF-8.

const HOST := "127.0.0.1"
const LONGEST_MESSAGE := 64 << 20  ## bytes
const HEADER := 4  ## bytes
const REDIAL_USEC := 20_000
const NAP_SHARE := 20  ## a nap is this part of what was waited so far, so waiting costs little time and no processor
const LONGEST_NAP_USEC := 1000
const USEC_PER_S := 1e6

var problem := ""  ## why there is no connection any more
var timeout_s := 600.0  ## longest silence of a connected trainer; 0 is no limit

var _stream := StreamPeerTCP.new()
var _port := 0


## Dial until somebody answers: a trainer may start the game before it listens.
func open(port: int, limit_s: float) -> bool:
	_port = port
	var until := Time.get_ticks_usec() + int(limit_s * USEC_PER_S)
	while true:
		_stream.poll()
		var status := _stream.get_status()
		if status == StreamPeerTCP.STATUS_CONNECTED:
			_stream.set_no_delay(true)
			return true
		if Time.get_ticks_usec() > until:
			break
		if status != StreamPeerTCP.STATUS_CONNECTING:
			_stream.disconnect_from_host()
			_stream.connect_to_host(HOST, port)
		OS.delay_usec(REDIAL_USEC if status == StreamPeerTCP.STATUS_ERROR else LONGEST_NAP_USEC)
	_stream.disconnect_from_host()
	problem = "no trainer answers at %s:%d" % [HOST, port]
	return false


## Send a JSON text. False: `problem` says why not.
func send(text: String) -> bool:
	var bytes := text.to_utf8_buffer()
	var framed := PackedByteArray()
	framed.resize(HEADER)
	framed.encode_u32(0, bytes.size())
	framed.append_array(bytes)
	var began := Time.get_ticks_usec()
	while not framed.is_empty():
		var done: Array = _stream.put_partial_data(framed)
		if done[0] != OK:
			problem = "the trainer closed the connection"
			return false
		if done[1] > 0:
			framed = framed.slice(done[1])
		elif not _may_wait(began):
			return false
	return true


## The next message; {} when the connection is lost, and then `problem` says why.
func receive() -> Dictionary:
	var header := _read(HEADER)
	if problem:
		return {}
	var size := header.decode_u32(0)
	if size > LONGEST_MESSAGE:
		problem = "the other end announced a message of %d bytes, at most %d are read; is it a trainer that listens at port %d?" % [
			size, LONGEST_MESSAGE, _port
		]
		return {}
	var bytes := _read(size)
	if problem:
		return {}
	var reader := JSON.new()
	if reader.parse(bytes.get_string_from_utf8()) == OK and reader.data is Dictionary:
		return reader.data
	problem = "the other end sent %d bytes that are no JSON object; is it a trainer that listens at port %d?" % [size, _port]
	return {}


func close() -> void:
	_stream.disconnect_from_host()


func _read(count: int) -> PackedByteArray:
	var got := PackedByteArray()
	var began := Time.get_ticks_usec()
	while got.size() < count:
		_stream.poll()
		var there := mini(_stream.get_available_bytes(), count - got.size())
		if there > 0:
			got.append_array(_stream.get_partial_data(there)[1])
		elif not _may_wait(began):
			break
	return got


## Rest a moment; false when there is nothing to wait for any more.
func _may_wait(began: int) -> bool:
	var waited := Time.get_ticks_usec() - began
	if _stream.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		problem = "the trainer closed the connection"
	elif timeout_s > 0.0 and waited > timeout_s * USEC_PER_S:
		problem = "the trainer was silent for %s s; --trainer_timeout=SECONDS waits longer" % String.num(timeout_s)
	else:
		OS.delay_usec(mini(waited / NAP_SHARE, LONGEST_NAP_USEC))
	return not problem
