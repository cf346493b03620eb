extends "res://tests/test_case.gd"
## Parts of the HTTP API that need no socket: settings, tokens, limits, the whitelist, the request parser.

const VARIABLES: Array[String] = ["GODOT_ENABLE_HTTP_API", "GODOT_ENV", "GODOT_HTTP_API_PORT", "GODOT_HTTP_API_TOKEN"]


func test_it_is_on_in_debug_and_off_in_release_unless_asked() -> void:
	for row: Array in [
		[true, "", true, "development"], [false, "", false, "production"], [false, "true", true, "production"],
		[true, "false", false, "development"], [true, "0", false, "development"], [false, "yes please", false, "production"],
	]:
		OS.set_environment("GODOT_ENABLE_HTTP_API", row[1])
		var made := SandlotHttpSettings.from_variables(row[0])
		check(made.enabled == row[2] and made.environment == row[3], "debug %s, variable '%s': %s" % [row[0], row[1], made.enabled])
	_clear()


func test_variables_that_cannot_be_used_are_named_and_nothing_becomes_laxer() -> void:
	OS.set_environment("GODOT_ENV", "devel")
	var made := SandlotHttpSettings.from_variables(true)
	check(made.environment == "production" and "GODOT_ENV = devel" in made.problem, made.problem)
	OS.set_environment("GODOT_ENV", "test")
	OS.set_environment("GODOT_HTTP_API_PORT", "99999")
	made = SandlotHttpSettings.from_variables(true)
	check(made.environment == "test" and "GODOT_HTTP_API_PORT" in made.problem, made.problem)
	OS.set_environment("GODOT_HTTP_API_PORT", "9000")
	OS.set_environment("GODOT_HTTP_API_TOKEN", "short")
	made = SandlotHttpSettings.from_variables(true)
	check(made.port == 9000 and "GODOT_HTTP_API_TOKEN" in made.problem, made.problem)
	_clear()


func test_tokens_end_after_an_hour_and_no_other_is_taken() -> void:
	var auth := SandlotHttpAuth.new("production")
	var now := SandlotHttpAuth.now()
	check(auth.refusal(_bearing("Bearer " + auth.make(now))) == "", "a good token is refused")
	check(auth.refusal(_bearing("bearer " + auth.make(now - 3590))) == "", "a token of almost an hour is refused")
	check("expired" in auth.refusal(_bearing("Bearer " + auth.make(now - 3600))), "a token lives too long")
	var parts := auth.make(now).split(".")
	var none := SandlotHttpAuth._encode('{"alg":"none"}'.to_utf8_buffer())
	var far := SandlotHttpAuth._encode('{"exp":99999999999}'.to_utf8_buffer())
	for bad: String in [
		"", "Basic x", "Bearer", "Bearer x", "Bearer ..", "Bearer a.b.c", "Bearer %s.%s." % [none, parts[1]],
		"Bearer %s.%s.%s" % [parts[0], far, parts[2]], "Bearer %s.%s.%s" % [parts[0], parts[1], parts[2].left(-2)],
		"Bearer " + SandlotHttpAuth.new("production").make(now), "Bearer " + parts[0] + "." + parts[1], "Bearer é.é.é",
	]:
		check(auth.refusal(_bearing(bad)) != "", "taken: %s" % bad)
	check(SandlotHttpAuth.new("development").refusal(_bearing("")) == "", "development wants a token")
	check(SandlotHttpAuth.new("development").refusal(_bearing("Bearer x")) != "", "development takes a wrong token")
	check(SandlotHttpAuth.new("test").refusal(_bearing("")) != "", "test wants no token")
	check(SandlotHttpAuth.new("development", "a token that was chosen").refusal(_bearing("")) != "", "a chosen token is not asked for")


func test_a_bucket_gives_as_many_as_a_minute_has_and_says_when_there_are_more() -> void:
	var limit := SandlotHttpRateLimit.new()
	for i in 20:
		check(limit.take("/scene/reload") == 0.0, "call %d was refused" % i)
	var wait := limit.take("/scene/reload")
	check(wait > 2.0 and wait <= 3.0, "20 a minute is one in 3 s, not in %s" % wait)
	check(limit.take("/scene") == 0.0, "one endpoint uses another's")
	for i in 5000:
		limit.take("/rl/step")
	check(limit.take("/rl/step") == 0.0, "training is held up")


func test_the_whitelist_by_environment_and_the_blacklist_over_it() -> void:
	var dev := SandlotHttpWhitelist.new("development")
	check(dev.problem == "", dev.problem)
	check(dev.check("res://scenes/Main.tscn").is_empty(), "the main scene is refused")
	check(dev.check("res://games/tag/Main.tscn").is_empty(), "a directory is refused")
	check(dev.check("res://gamesx/tag/Main.tscn").status == 403, "a folder whose name only begins so is taken")
	check(dev.check("res://addons/x.tscn").error == "scene_blacklisted", "the blacklist does not win")
	check(dev.check("res://games/private/x.tscn").error == "scene_blacklisted", "the blacklist does not win in a folder that is listed")
	var live := SandlotHttpWhitelist.new("production")
	check(live.check("res://scenes/Main.tscn").is_empty() and live.check("res://games/tag/Main.tscn").status == 403, "production opens more than its scene")
	check(SandlotHttpWhitelist.matches("res://a/b.tscn", "res://*/b.tscn"), "one star")
	check(not SandlotHttpWhitelist.matches("res://a/c/b.tscn", "res://*/b.tscn"), "one star crosses a slash")
	check(SandlotHttpWhitelist.matches("res://a/c/b.tscn", "res://**/b.tscn"), "two stars")
	check(not SandlotHttpWhitelist.matches("res://a/bxtscn", "res://a/b.tscn"), "a dot is any letter")


func test_tricks_with_paths_are_refused() -> void:
	var list := SandlotHttpWhitelist.new("development")
	for path: Variant in [
		null, "", 7, ["res://scenes/Main.tscn"], "scenes/Main.tscn", "/etc/passwd", "user://x.tscn", "file:///x.tscn",
		"res://scenes/../secret.tscn", "res://scenes/..%2fsecret.tscn", "res://scenes/%2e%2e/x.tscn", "res:///scenes/Main.tscn",
		"res://scenes//Main.tscn", "res://scenes/./Main.tscn", "res://scenes\\Main.tscn", "res://scenes/Main.tscn\u0000.tscn",
		"res://scenes/Main.gd", "res://scenes/Main.tscn.gd", "res://scenes/Main.tscn ", "RES://scenes/Main.tscn",
		"res://scenes/a\nb.tscn", "res://scenes/Main.tscn::sub.tscn", "res://" + "x".repeat(300) + ".tscn", "uid://abc.tscn",
		"res://scenes/*.tscn",
	]:
		var wrong := list.check(path)
		check(wrong.get("status") == 400, "%s: %s" % [path, wrong])


func test_a_damaged_whitelist_opens_the_main_scene_alone() -> void:
	for text: String in ["{", "[]", '{"environments": {"development": {"scenes": "res://x.tscn"}}}', '{"blacklist": []}']:
		var file := FileAccess.open("user://whitelist_test.json", FileAccess.WRITE)
		file.store_string(text)
		file.close()
		var list := SandlotHttpWhitelist.new("development", "user://whitelist_test.json")
		check(list.problem != "" and list.check("res://scenes/Main.tscn").is_empty(), "%s: %s" % [text, list.problem])
		check(list.check("res://games/tag/Main.tscn").get("status") == 403, "%s opens more" % text)
	DirAccess.remove_absolute("user://whitelist_test.json")
	check(SandlotHttpWhitelist.new("development", "res://none.json").check("res://tests/a.tscn").is_empty(), "without a file the tests are closed")
	check(SandlotHttpWhitelist.new("production", "res://none.json").check("res://tests/a.tscn").get("status") == 403, "production opens the tests")


func test_requests_come_in_any_pieces_and_what_is_ambiguous_is_refused() -> void:
	var text := "POST /scene?a=1&b=x%20y HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}GET /health HTTP/1.0\r\n\r\n"
	var parser := SandlotHttpParser.new()
	var found: Array[SandlotHttpRequest] = []
	for byte in text.to_utf8_buffer():
		parser.feed(PackedByteArray([byte]))
		var request := parser.next()
		if request != null:
			found.append(request)
	check(found.size() == 2 and found[0].path == "/scene" and found[0].query == {"a": "1", "b": "x y"}, "two requests")
	check(found[0].body.get_string_from_ascii() == "{}" and found[0].keep_alive and not found[1].keep_alive, "their parts")
	for row: Array in [
		["GET  /x HTTP/1.1", 400], ["FETCH /x HTTP/1.1", 400], ["GET /x HTTP/2.0", 505], ["GET x HTTP/1.1", 400],
		["GET /%2e%2e/x HTTP/1.1", 400], ["GET //x HTTP/1.1", 400], ["GET /a/../b HTTP/1.1", 400], ["GET /x HTTP/1.1\r\nbad", 400],
		["GET /x HTTP/1.1\r\nA : b", 400], ["GET /x HTTP/1.1\r\n folded: b", 400], ["GET /x HTTP/1.1\nA: b", 400],
		["POST /x HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3", 400], ["POST /x HTTP/1.1\r\nContent-Length: -1", 400],
		["POST /x HTTP/1.1\r\nContent-Length: 0x2", 400], ["POST /x HTTP/1.1\r\nContent-Length: +2", 400],
		["POST /x HTTP/1.1\r\nContent-Length: 1048577", 413], ["POST /x HTTP/1.1\r\nContent-Length: 99999999999999999999", 400],
		["POST /x HTTP/1.1\r\nTransfer-Encoding: chunked", 411], ["GET /x HTTP/1.1\r\nA: \u0001", 400],
		["GET /" + "x".repeat(9000) + " HTTP/1.1", 414], ["GET /x HTTP/1.1" + "\r\nA: b".repeat(100), 431],
		["GET /x HTTP/1.1\r\nA: " + "b".repeat(17000), 431],
	]:
		parser = SandlotHttpParser.new()
		parser.feed((row[0] + "\r\n\r\n").to_utf8_buffer())
		check(parser.next() == null and parser.failure != null and parser.failure.status == row[1],
			"%s: %s" % [row[0].left(60), parser.failure.status if parser.failure else "taken"])


func _bearing(authorization: String) -> SandlotHttpRequest:
	var made := SandlotHttpRequest.new()
	if authorization:
		made.headers.authorization = authorization
	return made


func _clear() -> void:
	for name in VARIABLES:
		OS.unset_environment(name)
