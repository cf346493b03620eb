extends SandlotTestCase
## The controllers of rl_training/ in their scenes, by the interface of the plugin: sizes, heads, rewards, episodes.

const LAUNCHER := preload("res://scripts/rl_training.gd")
const SIZES := {
	"vr_locomotion": [12, 4, 1], "spacecraft_landing": [14, 5, 1], "voxel_stress": [4, 4, 1], "multi_agent": [12, 2, 8],
	"bug_reproduction": [9, 2, 1],
}  ## numbers, heads, agents
const DECISIONS := 12
const REPEAT := 8


func _open(task: String) -> Node:
	var launcher: Node = LAUNCHER.new()
	launcher.task = task
	add(launcher)
	return launcher


func _controllers() -> Array[Node]:
	return root.get_tree().get_nodes_in_group("AGENT")


func clean_up() -> void:
	super()
	Engine.physics_ticks_per_second = 60


func test_every_controller_plays_its_scene_by_the_plugins_interface() -> void:
	equal(LAUNCHER.TASKS.keys(), SIZES.keys(), "tasks")
	for task: String in SIZES:
		var launcher := _open(task)
		await frame()
		var all := _controllers()
		equal(all.size(), SIZES[task][2], "%s: agents" % task)
		for i in DECISIONS:
			for one in all:
				one.call("set_action", _action(one, sin(i)))
			for tick in REPEAT:
				await frame()
			for one in all:
				equal(one.call("get_obs").obs.size(), SIZES[task][0], "%s: numbers" % task)
				check(is_finite(one.call("get_reward")), "%s: reward" % task)
				one.call("zero_reward")
		equal(all[0].call("get_action_space").size(), SIZES[task][1], "%s: heads" % task)
		check(all[0].get("n_steps") >= REPEAT * (DECISIONS - 2), "%s: an episode goes on" % task)
		launcher.free()


func _action(controller: Node, value: float) -> Dictionary:
	var made := {}
	for head: String in controller.call("get_action_space"):
		made[head] = [value]
	return made


func test_a_controller_sees_what_the_scenes_own_agent_sees() -> void:
	for task: String in SIZES:
		var launcher := _open(task)
		for i in 3:
			await frame()
		var one: Node = _controllers()[0]
		var own: Array = Array(one.agent.observe())
		var seen: Array = one.call("get_obs").obs
		for i in own.size():
			near(float(seen[i]), own[i], 1e-5, "%s: number %d" % [task, i])
		launcher.free()


func test_an_episode_ends_and_the_next_one_begins_as_with_the_plugin() -> void:
	var launcher := _open("vr_locomotion")
	await frame()
	var one: Node = _controllers()[0]
	var room: Node = launcher.get_child(0)
	room.player.position = room.waypoint() + Vector3(0.5, 0, 0)
	await frame()
	await frame()
	check(one.done and not one.truncated, "arrived")
	near(one.call("get_reward"), 10.0, 6.0, "for the waypoint, and what came nearer")
	check(one.n_steps <= 2 and not one.agent.ended, "a new episode has begun")
	check(room.player.position.length() < 0.5, "back at the start")


func test_the_time_limit_and_the_trainers_reset_begin_anew() -> void:
	_open("bug_reproduction")
	await frame()
	var one: Node = _controllers()[0]
	var first: String = one.get_parent().seed_text
	one.n_steps = one.reset_after
	await frame()
	await frame()
	check(one.done and one.truncated and one.n_steps <= 2, "cut off at its limit")
	check(one.get_parent().seed_text != first, "and another episode")
	one.call("set_done_false")
	one.call("set_seed", 77)
	one.needs_reset = true
	await frame()
	await frame()
	equal(one.get_parent().seed_text, "77", "the trainer's seed")


func test_the_bug_is_a_parameter_of_its_controller() -> void:
	var launcher := _open("bug_reproduction")
	await frame()
	var one: Node = _controllers()[0]
	equal(one.get_parent().target, "voxel_chunk_race_condition", "the guide's example")
	equal(one.call("get_info").bug, "", "not found yet")
	launcher.free()


func test_an_unknown_task_is_named_with_those_there_are() -> void:
	var launcher: Node = LAUNCHER.new()
	var problem: String = launcher.open("vr_locomotoin")
	check(problem.contains("vr_locomotoin") and problem.contains("multi_agent"), problem)
	launcher.free()
