class_name SandlotHttpResponse
extends RefCounted
## One answer of the HTTP API: a status and JSON, or bytes.

const REASONS := {
	200: "OK", 202: "Accepted", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
	405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
	413: "Content Too Large", 414: "URI Too Long", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
	500: "Internal Server Error", 503: "Service Unavailable", 505: "HTTP Version Not Supported",
}

var status := 200
var headers := {}
var body := PackedByteArray()
var kind := "application/json"


static func json(data: Variant, with_status := 200) -> SandlotHttpResponse:
	var made := SandlotHttpResponse.new()
	made.status = with_status
	made.body = JSON.stringify(data, "", false, true).to_utf8_buffer()
	return made


static func bytes(data: PackedByteArray) -> SandlotHttpResponse:
	var made := SandlotHttpResponse.new()
	made.body = data
	made.kind = "application/octet-stream"
	return made


## What went wrong: `error` for programs, `message` for people.
static func error(with_status: int, code: String, message: String, details := {}) -> SandlotHttpResponse:
	return json({"error": code, "message": message, "details": details}, with_status)


func to_bytes(keep_alive: bool, with_body := true) -> PackedByteArray:
	var lines := PackedStringArray(["HTTP/1.1 %d %s" % [status, REASONS.get(status, "Unknown")]])
	lines.append("Content-Type: " + kind)
	lines.append("Content-Length: %d" % body.size())
	lines.append("Connection: " + ("keep-alive" if keep_alive else "close"))
	lines.append("Cache-Control: no-store")
	lines.append("X-Content-Type-Options: nosniff")
	for name: String in headers:
		lines.append("%s: %s" % [name, headers[name]])
	var made := ("\r\n".join(lines) + "\r\n\r\n").to_utf8_buffer()
	if with_body:
		made.append_array(body)
	return made
