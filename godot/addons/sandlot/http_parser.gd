class_name SandlotHttpParser
extends RefCounted
## Reads HTTP/1.1 requests from bytes as they come, one after the other. Everything has a limit, and what is ambiguous
## is refused: two readers that see different requests in the same bytes are how servers are attacked.

const LONGEST_LINE := 8192  # bytes of the request line, or of one header
const LONGEST_HEAD := 16384
const MOST_HEADERS := 64
const LARGEST_BODY := 1_048_576
const METHODS: Array[String] = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"]
const ONCE: Array[String] = ["content-length", "host", "authorization", "content-type"]  # headers that may come once

var failure: SandlotHttpResponse  ## what to answer before the connection is closed; null while all is well

var _bytes := PackedByteArray()
var _request: SandlotHttpRequest  # whose body is still missing
var _length := 0


func feed(bytes: PackedByteArray) -> void:
	_bytes.append_array(bytes)


## Whether a request has begun to come and is not whole yet.
func is_waiting() -> bool:
	return _request != null or not _bytes.is_empty()


## The next whole request; null where none is there yet, or `failure` says why there will be none.
func next() -> SandlotHttpRequest:
	if failure == null and _request == null:
		_read_head()
	if failure != null or _request == null or _bytes.size() < _length:
		return null
	var made := _request
	made.body = _bytes.slice(0, _length)
	_bytes = _bytes.slice(_length)
	_request = null
	return made


func _read_head() -> void:
	while _bytes.size() >= 2 and _bytes[0] == 13 and _bytes[1] == 10:
		_bytes = _bytes.slice(2)  # empty lines between requests
	var end := _end_of_head()
	if end < 0:
		if _bytes.size() > LONGEST_HEAD:
			_fail(431, "head_too_large", "The headers are larger than %d bytes." % LONGEST_HEAD)
		return
	var head := _bytes.slice(0, end)
	for byte in head:
		if (byte < 32 and byte not in [9, 10, 13]) or byte > 126:
			_fail(400, "bad_request", "The head of a request is plain ASCII text.")
			return
	var lines := head.get_string_from_ascii().split("\r\n")
	_bytes = _bytes.slice(end + 4)
	var made := _read_request_line(lines[0])
	if made != null and _read_headers(made, lines.slice(1)):
		_request = made


## Where the empty line after the headers begins; -1 where it has not come yet.
func _end_of_head() -> int:
	var at := _bytes.find(13)
	while at >= 0 and at + 3 < _bytes.size() and at <= LONGEST_HEAD:
		if _bytes[at + 1] == 10 and _bytes[at + 2] == 13 and _bytes[at + 3] == 10:
			return at
		at = _bytes.find(13, at + 1)
	return -1


func _read_request_line(line: String) -> SandlotHttpRequest:
	var parts := line.split(" ")
	if line.length() > LONGEST_LINE:
		return _fail(414, "uri_too_long", "The request line is longer than %d characters." % LONGEST_LINE)
	if parts.size() != 3 or parts[0] not in METHODS:
		return _fail(400, "bad_request", "Expected a request line such as GET /health HTTP/1.1.")
	if parts[2] not in ["HTTP/1.1", "HTTP/1.0"]:
		return _fail(505, "bad_version", "HTTP/1.1 and HTTP/1.0 are known here.")
	if not parts[1].begins_with("/"):
		return _fail(400, "bad_request", "The address begins with a slash.")
	var made := SandlotHttpRequest.new()
	made.method = parts[0]
	var address := parts[1].split("?", true, 1)
	if "%" in address[0] or "\\" in address[0] or ".." in address[0] or "//" in address[0] or "#" in parts[1]:
		return _fail(400, "bad_path", "A path here has no %, backslash, fragment, double slash or two dots.")
	made.path = address[0].trim_suffix("/") if address[0] != "/" else "/"
	for pair in address[1].split("&", false) if address.size() > 1 else PackedStringArray():
		var sides := pair.split("=", true, 1)
		made.query[sides[0].uri_decode()] = sides[1].uri_decode() if sides.size() > 1 else ""
	made.keep_alive = parts[2] == "HTTP/1.1"
	return made


func _read_headers(request: SandlotHttpRequest, lines: PackedStringArray) -> bool:
	if lines.size() > MOST_HEADERS:
		_fail(431, "head_too_large", "More than %d headers." % MOST_HEADERS)
		return false
	for line in lines:
		var colon := line.find(":")
		var name := line.left(maxi(colon, 0)).to_lower()
		if "\n" in line or "\r" in line or colon < 1 or name != name.strip_edges() or " " in name or line.length() > LONGEST_LINE:
			_fail(400, "bad_header", "A header is Name: value, on one line.")
			return false
		if request.headers.has(name) and name in ONCE:
			_fail(400, "bad_header", "The header %s comes twice." % name)
			return false
		request.headers[name] = line.substr(colon + 1).strip_edges()
	if request.headers.get("connection", "").to_lower() == "close":
		request.keep_alive = false
	return _read_length(request)


func _read_length(request: SandlotHttpRequest) -> bool:
	_length = 0
	if request.headers.has("transfer-encoding"):
		_fail(411, "length_required", "Bodies come with a Content-Length here, not in chunks.")
	elif request.headers.has("content-length"):
		var text: String = request.headers["content-length"]
		if text.length() > 15 or not RegEx.create_from_string("^[0-9]+$").search(text):
			_fail(400, "bad_header", "Content-Length is a number of bytes.")
			return false
		if text.to_int() > LARGEST_BODY:
			_fail(413, "body_too_large", "A body is at most %d bytes." % LARGEST_BODY, {"max_size_bytes": LARGEST_BODY})
		_length = text.to_int()
	return failure == null


func _fail(status: int, error: String, message: String, details := {}) -> SandlotHttpRequest:
	failure = SandlotHttpResponse.error(status, error, message, details)
	return null
