extends SandlotTestCase
## The overlay: what it shows of an agent, and that a click gives the agent to another player while the game goes on.


class Pusher:
	extends SandlotAgent

	var place := 0.25

	func _init() -> void:
		actions = {"go": ["left", "stay", "right"]}
		reward_terms = ["coin"]

	func observe_fields() -> Dictionary:
		return {"place": place}

	func act(action: Dictionary) -> void:
		place += 0.25 * (action.go - 1)
		reward("coin", 2.0)

	func human() -> Dictionary:
		return {"go": 2}


func _playing() -> SandlotTrainer:
	var body := Node2D.new()
	body.name = "Cart"
	var agent := Pusher.new()
	var trainer := SandlotTrainer.new()
	trainer.ticks_per_step = 1
	trainer.max_steps = 0
	body.add_child(agent)
	trainer.add_child(body)
	add(trainer)
	return trainer


func test_f3_shows_what_an_agent_sees_does_and_earns() -> void:
	var trainer := _playing()
	var overlay: SandlotOverlay = add(SandlotOverlay.new())
	for i in 6:
		await frame()
	check(not overlay.visible and not trainer.playing_agents().is_empty(), "hidden at first, while the game plays")
	_press(KEY_F3)
	for i in 3:
		await frame()
		await root.get_tree().process_frame
	check(overlay.visible, "F3 shows it")
	var agent := trainer.playing_agents()[0]
	var text := overlay.text_of(agent)
	var seen := text.get_slice("place  ", 1).to_float()
	check(seen > 0.25 and seen <= agent.observation[0] and is_zero_approx(fposmod(seen, 0.25)), "what it sees: %s" % text)
	check(text.contains("go right") and text.contains("coin +2.000"), "what it does and earns: %s" % text)
	_press(KEY_F3)
	await frame()
	check(not overlay.visible, "F3 hides it")


func test_a_policy_takes_over_from_a_person_and_back_while_the_game_goes_on() -> void:
	var trainer := _playing()
	var overlay := SandlotOverlay.new()
	overlay.shown = true
	add(overlay)
	for i in 6:
		await frame()
		await root.get_tree().process_frame
	var agent := trainer.playing_agents()[0]
	equal(trainer.player_of(agent), "", "a person plays first")
	agent.policy_path = "res://tests/overlay_policy.onnx"
	equal(overlay.players_of(agent), PackedStringArray(["", "res://tests/overlay_policy.onnx"]), "players")
	equal(overlay.switch(agent), "", "a file that is not there is refused, and the person goes on")
	check(trainer.set_player(agent, "res://icon.svg") != "", "a file that is no policy has a sentence")
	var before := (agent as Pusher).place
	await frame()
	await frame()
	check((agent as Pusher).place > before, "the game goes on by hand")


func _press(key: Key) -> void:
	var event := InputEventKey.new()
	event.keycode = key
	event.pressed = true
	root.push_input(event)
