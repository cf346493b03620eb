class_name SandlotHttpRouter
extends RefCounted
## Which part of the HTTP API answers a request, after the checks that all of them share: who asks, how often, for what.

const PUBLIC: Array[String] = ["/health", "/status"]  # without a token
const LATER: Array[String] = ["/rl/step", "/rl/exchange"]  # answered when the game has been stepped
const LOCAL: Array[String] = ["127.0.0.1", "localhost", "[::1]"]

var auth: SandlotHttpAuth
var limit := SandlotHttpRateLimit.new()
var refused := 0  ## requests that came from a web page or under a foreign name

var _routes := {}  # "GET /scene" -> Callable


func add(routes: Dictionary) -> void:
	_routes.merge(routes)


func remove(route: String) -> void:
	_routes.erase(route)


## Endpoints, such as "GET /scene".
func routes() -> PackedStringArray:
	return PackedStringArray(_routes.keys())


## The answer; null where the part answers later.
func handle(request: SandlotHttpRequest) -> SandlotHttpResponse:
	var wrong := _check_origin(request)
	if wrong == null:
		wrong = _check_address(request)
	if wrong == null:
		wrong = _check_rate(request.path)
	if wrong == null and request.path not in PUBLIC:
		wrong = _check_token(request)
	if wrong != null:
		return wrong
	var part: Callable = _routes[_key(request)]
	var made: SandlotHttpResponse = part.call(request)
	if made == null and request.path not in LATER:
		return SandlotHttpResponse.error(500, "internal", "A script of the game failed while this was answered.")
	return made


## A page of the web could make its reader's browser call this address, also under a name that leads here.
func _check_origin(request: SandlotHttpRequest) -> SandlotHttpResponse:
	var host: String = request.headers.get("host", "")
	var origin: String = request.headers.get("origin", "")
	var fine := _is_local(host) if host else true
	if origin and not _is_local(origin.get_slice("://", 1)):
		fine = false
	if fine:
		return null
	refused += 1
	return SandlotHttpResponse.error(403, "foreign_origin", "This API answers programs of this machine, not web pages.")


static func _is_local(host: String) -> bool:
	var end := host.rfind(":")
	var port := host.substr(end + 1)
	var name := host.left(end) if end >= 0 and port.is_valid_int() else host
	return name.to_lower() in LOCAL


func _check_address(request: SandlotHttpRequest) -> SandlotHttpResponse:
	if _routes.has(_key(request)):
		return null
	var others := PackedStringArray()
	for route: String in _routes:
		if route.get_slice(" ", 1) == request.path:
			others.append(route.get_slice(" ", 0))
	if others.is_empty():
		return SandlotHttpResponse.error(404, "no_such_endpoint", "There is no %s here." % request.path.left(100))
	var made := SandlotHttpResponse.error(405, "bad_method", "%s takes %s." % [request.path, ", ".join(others)])
	made.headers["Allow"] = ", ".join(others)
	return made


func _key(request: SandlotHttpRequest) -> String:
	return ("GET" if request.method == "HEAD" else request.method) + " " + request.path


func _check_rate(bucket: String) -> SandlotHttpResponse:
	var wait := limit.take(bucket)
	if wait == 0.0:
		return null
	var seconds := maxf(0.001, snappedf(wait, 0.001))
	var made := SandlotHttpResponse.json({
		"error": "rate_limited", "message": "Too many requests: %d a minute are answered." % SandlotHttpRateLimit.per_minute(bucket),
		"retry_after_seconds": seconds, "details": {},
	}, 429)
	made.headers["Retry-After"] = str(ceili(seconds))
	return made


func _check_token(request: SandlotHttpRequest) -> SandlotHttpResponse:
	var why := auth.refusal(request)
	if not why:
		return null
	var too_many := _check_rate("unauthorized")
	if too_many != null:
		return too_many
	var details := "Tokens are in the token file of this port; see docs/http_api.md."
	var made := SandlotHttpResponse.error(401, "unauthorized", why, {"hint": details})
	made.headers["WWW-Authenticate"] = "Bearer"
	return made
