class_name SandlotHttpAuth
extends RefCounted
## Who may use the HTTP API: bearer tokens, made here, good for an hour and kept in a file that only this user can read.
##
## A token is a JSON Web Token signed by HMAC-SHA-256 with a key that never leaves this process.

const LIFETIME_S := 3600
const RENEW_S := 3000  # a new one is in the file before the old one ends
const FOLDER := "sandlot/http_api"  # in the user's cache

var failures := 0  ## requests refused so far
var path := ""  ## of the token file; "" where it could not be written

var _environment := ""
var _fixed := ""
var _key := Crypto.new().generate_random_bytes(32)
var _made_at := 0
var _token := ""
var _about := {}  # what the file says besides


## fixed: a token that somebody chose, which is never written to a file.
func _init(environment: String, fixed := "") -> void:
	_environment = environment
	_fixed = fixed


## Make a token and write it to the file that clients of this port read.
func publish(port: int) -> void:
	_about = {"url": "http://%s:%d" % [SandlotHttpServer.ADDRESS, port], "environment": _environment, "pid": OS.get_process_id()}
	path = _folder().path_join("%d.json" % port)
	renew()


func renew() -> void:
	if _fixed:
		return
	_made_at = now()
	_token = make(_made_at)
	DirAccess.make_dir_recursive_absolute(path.get_base_dir())
	var beside := "%s.%d" % [path, OS.get_process_id()]  # whole or not at all
	var file := FileAccess.open(beside, FileAccess.WRITE)
	if file == null:
		path = ""
		return
	FileAccess.set_unix_permissions(beside, FileAccess.UNIX_READ_OWNER | FileAccess.UNIX_WRITE_OWNER)
	file.store_string(JSON.stringify(_about.merged({"token": _token, "expires_at": _made_at + LIFETIME_S})))
	file.close()
	if DirAccess.rename_absolute(beside, path) != OK:
		DirAccess.remove_absolute(beside)
		path = ""


func renew_in_time() -> void:
	if _made_at and now() - _made_at > RENEW_S:
		renew()


## The file goes when the API does, unless another process has taken the port since.
func withdraw() -> void:
	if not path or not _made_at:
		return
	var read: Variant = JSON.parse_string(FileAccess.get_file_as_string(path))
	if read is Dictionary and int(read.get("pid", 0)) == OS.get_process_id():
		DirAccess.remove_absolute(path)


## Why a request may not be answered; "" where it may. In development a request of this machine without a token may.
func refusal(request: SandlotHttpRequest) -> String:
	var given: String = request.headers.get("authorization", "")
	if given.is_empty() and _environment == "development" and not _fixed:
		return ""
	var words := given.split(" ", false)
	if words.size() != 2 or words[0].to_lower() != "bearer":
		failures += 1
		return "Send the header Authorization: Bearer TOKEN."
	var fault := _fault_of(words[1])
	failures += 1 if fault else 0
	return fault


## A token made at this time.
func make(at: int) -> String:
	var head := _encode(JSON.stringify({"alg": "HS256", "typ": "JWT"}).to_utf8_buffer())
	var id := Crypto.new().generate_random_bytes(8).hex_encode()
	var claims := {"iat": at, "exp": at + LIFETIME_S, "jti": id, "sub": "godot-http-api"}
	var signed := head + "." + _encode(JSON.stringify(claims).to_utf8_buffer())
	return signed + "." + _encode(_sign(signed))


static func now() -> int:
	return int(Time.get_unix_time_from_system())


func _fault_of(token: String) -> String:
	if _fixed:
		return "" if _same(_fixed.to_utf8_buffer(), token.to_utf8_buffer()) else "The token is not known here."
	var parts := token.split(".")
	if parts.size() != 3 or token.length() > 1024:
		return "The token is none of this server."
	if not _same(_sign(parts[0] + "." + parts[1]), _decode(parts[2])):
		return "The token is none of this server; it may be of an earlier start. Read it from the token file again."
	var claims: Variant = JSON.parse_string(_decode(parts[1]).get_string_from_utf8())
	if claims is not Dictionary or now() >= int(claims.get("exp", 0)):
		return "The token has expired. Read the new one from the token file."
	return ""


func _sign(text: String) -> PackedByteArray:
	return Crypto.new().hmac_digest(HashingContext.HASH_SHA256, _key, text.to_utf8_buffer())


static func _same(one: PackedByteArray, other: PackedByteArray) -> bool:
	return one.size() == other.size() and Crypto.new().constant_time_compare(one, other)


static func _encode(bytes: PackedByteArray) -> String:
	return Marshalls.raw_to_base64(bytes).replace("+", "-").replace("/", "_").replace("=", "")


static func _decode(text: String) -> PackedByteArray:
	if not RegEx.create_from_string("^[A-Za-z0-9_-]*$").search(text):
		return PackedByteArray()
	var plain := text.replace("-", "+").replace("_", "/")
	return Marshalls.base64_to_raw(plain + "=".repeat((4 - plain.length() % 4) % 4))


## The user's cache folder, found in the same way by src/sandlot/bridge/http_client.py.
static func _folder() -> String:
	var base := OS.get_environment("XDG_CACHE_HOME")
	if not base and OS.has_feature("windows"):
		base = OS.get_environment("LOCALAPPDATA")
	if not base:
		base = OS.get_environment("HOME").path_join(".cache")
	return base.path_join(FOLDER)
