extends SandlotTestCase
## The menu task: the whole tree by a pointer, how exact it points, settings that stay, a display that day and night leave
## readable, and what the terms can pay.

const SCENE := "res://scenes/features/vr_ui_test.tscn"
const FILE := "user://test_vr_settings.cfg"
const READABLE := 4.5  # contrast of text that WCAG asks for

var _arena: SandlotArena


func _open(settings := {}) -> Node:
	Engine.physics_ticks_per_second = VrSession.TICK_RATE
	var made := (load(SCENE) as PackedScene).instantiate()
	SandlotTrainer._remove_trainers(made)
	made.get_node("Screen/View/Menu").store.path = FILE
	add(made)
	_arena = SandlotArena.of(made)
	_arena.configure(settings)
	_arena.reset(2)
	await frame()
	return made


func _play(decide: Callable, most := 200) -> SandlotAgent:
	var agent := _arena.agents[0]
	for i in most:
		agent.next_decision()
		agent.take(decide.call(i))
		for tick in 9:
			await frame()
			_arena.after_tick()
		_arena.after_decision(most)
		if _arena.over:
			break
	return agent


func _nothing(_i: int) -> PackedFloat32Array:
	return PackedFloat32Array([0, 0, -1, -1])


func clean_up() -> void:
	super()
	DirAccess.remove_absolute(FILE)
	Engine.physics_ticks_per_second = 60


func test_the_scripted_visitor_uses_every_button_and_slider_of_every_page() -> void:
	var room := await _open({"autopilot": true})
	var agent := await _play(_nothing)
	var found := agent.reported
	check(found.success and found.persisted, "the whole tree, and all of it is still set: %s" % found)
	equal([found.pages, found.elements], [room.menu.pages.size(), room.menu.live_elements().size()], "pages, elements")
	equal(found.pointer_accuracy, 1.0, "what the ray meets is what answers")
	check(found.centre_error_m < 0.15, "metres from the middle: %s" % found.centre_error_m)


func test_the_pointer_meets_the_pixel_that_it_points_at() -> void:
	var room := await _open()
	var worst := 0.0
	for x in range(40, 940, 100):
		for y in range(40, 580, 90):
			var wanted := Vector2(x, y)
			var does: Dictionary = _arena.agents[0]._pointed_at(wanted, false, false)
			if absf(does.point_x) > 1.0 or absf(does.point_y) > 1.0:
				continue  # beyond the wrist
			var reach: Vector2 = _arena.agents[0].REACH
			var basis := Basis.from_euler(Vector3(deg_to_rad(does.point_y * reach.y), -deg_to_rad(does.point_x * reach.x), 0))
			room.player.mock.pointed[1] = Transform3D(basis, _arena.agents[0].HAND)
			room.player.pose()
			room.pointer.aim()
			worst = maxf(worst, room.pointer.pixel.distance_to(wanted))
	check(worst < 0.5 and worst > 0.0, "pixels off at most: %s of 960" % worst)


func test_what_is_set_is_set_after_a_restart_and_takes_effect() -> void:
	var room := await _open()
	room.menu.store.put("snap_turn_enabled", false)
	room.menu.store.put("snap_turn_angle", 90.0)
	room.menu.store.put("night", true)
	room.free()
	var again := (load(SCENE) as PackedScene).instantiate()
	again.get_node("Screen/View/Menu").store.path = FILE
	SandlotTrainer._remove_trainers(again)
	add(again)
	await frame()
	equal([again.player.turning, again.player.snap_degrees], [1, 90.0], "smooth turning, and the step")
	check(again.get_node("Hall/Light/Sun").light_energy < 0.2, "and night")
	check(again.menu.store.values.comfort_mode, "what was not set is as it was")


func test_the_display_is_readable_by_day_and_by_night() -> void:
	var room := await _open()
	var hud: Label3D = room.hud
	check(not hud.shaded and hud.no_depth_test, "light does not reach it, and nothing hides it")
	var contrast := (hud.modulate.get_luminance() + 0.05) / (hud.outline_modulate.get_luminance() + 0.05)
	check(contrast >= READABLE, "text on its own outline: %s to 1" % contrast)
	var sun: DirectionalLight3D = room.get_node("Hall/Light/Sun")
	var day := sun.light_energy
	var colours := [hud.modulate, hud.outline_modulate]
	room.menu.store.put("night", true)
	room.menu.setting_changed.emit("night")
	check(sun.light_energy < 0.1 * day, "it is night: %s, %s by day" % [sun.light_energy, day])
	equal([hud.modulate, hud.outline_modulate], colours, "and the display is as it was")


func test_a_whole_tree_always_pays_more_than_a_part_of_it() -> void:
	var room := await _open()
	var agent := _arena.agents[0]
	var settings: int = room.menu.live_elements().filter(func(one: Control) -> bool: return one.has_meta(&"setting")).size()
	var parts: float = (room.menu.pages.size() - 1) * agent.AMOUNTS.navigation + settings * agent.AMOUNTS.sequence
	var worst_whole: float = parts + agent.AMOUNTS.done + agent.MOST_UNRESPONSIVE * agent.AMOUNTS.unresponsive
	check(worst_whole > parts, "all parts pay %s, a whole tree at least %s" % [parts, worst_whole])
	for i in 10:
		room.menu.setting_changed.emit("night")
		room.menu.open(&"Settings")
		room.menu.open(&"Main")
	equal([agent.terms[&"sequence"], agent.terms[&"navigation"]], [5.0, 1.0], "the same again pays nothing")


func test_a_press_on_what_cannot_be_used_costs_and_no_more_than_four_times() -> void:
	var room := await _open()
	var agent := _arena.agents[0]
	var dead: Control = room.menu.all_elements().filter(func(one: Control) -> bool: return not VrMenu.is_enabled(one))[0]
	await _play(func(_i: int) -> PackedFloat32Array:
		var aim: Dictionary = agent._pointed_at(dead.get_global_rect().get_center(), true, false)
		return PackedFloat32Array([aim.point_x, aim.point_y, 1.0, -1.0]), 12)
	equal(agent.terms[&"unresponsive"], -8.0, "four times -2")
	check(agent.unresponsive >= 8, "and it is counted: %d" % agent.unresponsive)
