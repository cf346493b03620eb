class_name SandlotHttpRequest
extends RefCounted
## One request to the HTTP API.

var method := ""
var path := ""  ## without the query
var query := {}
var headers := {}  ## names in lower case
var body := PackedByteArray()
var keep_alive := true
var connection := 0  ## which connection it came by
var wrong: SandlotHttpResponse  ## what to answer where [method json] failed


## The body as a JSON object; {} where there is none. `wrong` says why it cannot be used.
func json() -> Dictionary:
	wrong = null
	if body.is_empty():
		return {}
	var kind: String = headers.get("content-type", "")
	if kind.split(";")[0].strip_edges().to_lower() != "application/json":
		wrong = SandlotHttpResponse.error(400, "bad_content_type", "A body needs the header Content-Type: application/json.")
		return {}
	var text := body.get_string_from_utf8()
	var reader := JSON.new()
	if reader.parse(text) != OK:
		wrong = SandlotHttpResponse.error(400, "bad_json", "The body is no JSON: %s in line %d." % [
			reader.get_error_message(), reader.get_error_line() + 1
		])
		return {}
	if reader.data is not Dictionary:
		wrong = SandlotHttpResponse.error(400, "bad_json", "The body is a JSON object: {…}.")
		return {}
	return reader.data

