extends SceneTree
## A scene that streams: asks for two agents, tells what came of it, a few matches long. test_live_link.py reads
## what it prints.

var live := SandlotLiveLink.new()
var size := 0
var steps := 0
var role_flag := 0
var before := {}
var answers := 0
var waited := false


func _initialize() -> void:
	root.add_child(live)
	live.batch = 8
	live.connected.connect(_begin)
	live.actions_received.connect(_acted)
	live.refused.connect(func(code: String, text: String) -> void: _leave("refused %s: %s" % [code, text], 2))
	create_timer(30.0).timeout.connect(func() -> void: _leave("too late", 3))


func _begin(welcome: Dictionary) -> void:
	size = int(welcome.observation_size)
	for part: Dictionary in welcome.spec.observation:
		if part.name == "roles":
			role_flag = int(part.start)
	_ask()


func _ask() -> void:
	for agent in 2:
		var seen := PackedFloat32Array()
		seen.resize(size)
		seen[0] = steps / 100.0
		seen[role_flag] = 1.0 - agent
		before["Agent%d" % (agent + 1)] = seen
	live.request_actions(before)
	if steps == 0:
		var frame := Engine.get_process_frames()
		waited = live.await_answer(5000) and Engine.get_process_frames() == frame


func _acted(step: int, actions: Dictionary) -> void:
	answers += 1
	steps += 1
	var ended := steps % 10 == 0
	for agent: String in actions:
		var info := {"role": "seeker" if agent == "Agent1" else "hider", "winner": "hider", "terminal_reason": "timeout"}
		live.send_transition(agent, before[agent], actions[agent], 0.5, before[agent], ended, false, info, step)
	if steps >= 40:
		live.flush()
		create_timer(1.0).timeout.connect(func() -> void: _leave("done", 0))
	else:
		_ask()


func _leave(why: String, code: int) -> void:
	print("LIVE ", JSON.stringify({"why": why, "answers": answers, "stored": live.stored, "version": live.policy_version, "waited": waited}))
	quit(code)
