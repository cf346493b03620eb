extends Node3D
## The main scene. While no server answers, you play by hand; as soon as one does, RLEnv plays with it, and when it
## leaves you play again. Without a window nobody can play: then RLEnv waits for a server and gives up after a while.

const BY_HAND := preload("res://games/tag/Main.tscn")

var _by_hand: Node

@onready var _client: SandlotLiveLink = $RLClient
@onready var _env: TagLive = $RLEnv


func _ready() -> void:
	_env.leaves_without_server = DisplayServer.get_name() == "headless"
	_env.began.connect(_stop_playing_by_hand)
	_client.disconnected.connect(_play_by_hand)
	_play_by_hand()


func _play_by_hand() -> void:
	if _by_hand == null and not _env.leaves_without_server:
		_by_hand = BY_HAND.instantiate()
		add_child(_by_hand)


func _stop_playing_by_hand() -> void:
	if _by_hand != null:
		_by_hand.queue_free()
		_by_hand = null
