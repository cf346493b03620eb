@icon("res://addons/sandlot/icons/link.svg")
class_name SandlotHttpApi
extends Node
## The HTTP API of a running game: http://127.0.0.1:8080, for programs of this machine that load scenes, read what it
## measures, and act in it. As an autoload it is on in the editor and in debug builds, and off in a release build
## unless GODOT_ENABLE_HTTP_API=true.
##
## This node holds the parts together: server, router, tokens, limits, whitelist, and the endpoints.

const WINDOW_WAIT_USEC := 2_000  # how long a frame may wait for the next call of a client that steps the game
const HEADLESS_WAIT_USEC := 50_000

var server := SandlotHttpServer.new()
var router := SandlotHttpRouter.new()
var whitelist: SandlotHttpWhitelist
var problem := ""  ## why it is off, where it should be on

var _settings: SandlotHttpSettings
var _episode: SandlotHttpEpisode
var _parts: Array[RefCounted] = []  # routes alone do not keep them


func _ready() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	set_process(false)
	if server.port() or Engine.is_editor_hint() or OS.get_environment("SANDLOT_URL"):
		return  # started by hand already, or a trainer steps this game through its own connection
	var settings := SandlotHttpSettings.from_variables()
	if settings.enabled:
		start(settings)


## Listen. What is wrong is a sentence in `problem`, and the game goes on without the API.
func start(settings: SandlotHttpSettings) -> bool:
	_settings = settings
	problem = settings.problem
	if not problem and not server.listen(settings.port):
		problem = server.problem + " Set %s to another one." % SandlotHttpSettings.PORT
	if problem:
		print("HTTP API: off. %s" % problem)
		return false
	router.auth = SandlotHttpAuth.new(settings.environment, settings.token)
	whitelist = SandlotHttpWhitelist.new(settings.environment)
	_episode = SandlotHttpEpisode.new(self)
	_parts = [SandlotHttpMetrics.new(self), SandlotHttpScenes.new(self, whitelist), _episode]
	for part in _parts:
		router.add(part.call("routes"))
	server.handler = router.handle
	if not settings.token:
		router.auth.publish(server.port())
	_announce()
	set_process(true)
	return true


func environment() -> String:
	return _settings.environment


## What the server counted: for GET /performance/metrics.
func counters() -> Dictionary:
	return {
		"environment": environment(), "requests": server.requests, "connections": server.connection_count(),
		"authentication_failures": router.auth.failures, "rate_limited": router.limit.refused,
		"rejected_scenes": whitelist.refused, "foreign_origins": router.refused,
	}


func _process(_delta: float) -> void:
	router.auth.renew_in_time()
	server.poll()
	_episode.tick()
	var until := Time.get_ticks_usec() + (
		HEADLESS_WAIT_USEC if DisplayServer.get_name() == "headless" else WINDOW_WAIT_USEC
	)
	while _episode.is_held() and Time.get_ticks_usec() < until:
		OS.delay_usec(20)
		server.poll()


func _exit_tree() -> void:
	server.stop()
	if router.auth != null:
		router.auth.withdraw()


func _announce() -> void:
	print("HTTP API: http://%s:%d (%s)" % [SandlotHttpServer.ADDRESS, server.port(), environment()])
	if whitelist.problem:
		print("HTTP API: %s Only the main scene may be loaded." % whitelist.problem)
	if not _settings.token:
		print("HTTP API: the token is in %s" % (router.auth.path if router.auth.path else "no file: the cache folder cannot be written"))
