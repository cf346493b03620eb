extends SandlotTestCase
## Rewards that nodes give by themselves: what they add up to, and that nothing is to be had by waiting or circling.


class Walker:
	extends SandlotAgent

	func _init() -> void:
		actions = {"walk": "axis"}
		reward_terms = ["own"]

	func observe_fields() -> Dictionary:
		return {"one": 1.0}


var body: Node3D
var agent: Walker
var goal: Node3D


func _arena(helper: SandlotPotentialReward) -> SandlotArena:
	body = Node3D.new()
	agent = Walker.new()
	body.add_child(agent)
	body.add_child(helper)
	add(body)
	goal = add(Node3D.new())
	goal.position = Vector3(10, 0, 0)
	if helper is SandlotApproachReward:
		(helper as SandlotApproachReward).target = goal
	var made := SandlotArena.of(body)
	made.reset(1)
	return made


func test_an_approach_earns_the_way_and_a_circle_earns_nothing() -> void:
	var arena := _arena(SandlotApproachReward.new())
	for x: float in [3.0, 7.0, 2.0, 0.0]:
		body.position.x = x
		arena.after_decision(0)
	near(agent.episode_return, 0.0, 1e-5, "back at the start")
	for i in 50:
		arena.after_decision(0)
	near(agent.episode_return, 0.0, 1e-5, "after waiting")
	body.position.x = 9.0
	arena.after_decision(0)
	near(agent.episode_return, 9.0, 1e-4, "nine metres nearer")
	near(agent.terms.approach, 9.0, 1e-4, "under its own name")
	check(agent.reward_terms.has("approach"), "the term is declared by the helper")


func test_what_is_earned_in_the_last_decision_counts_once_whoever_ends_it() -> void:
	for by_the_game: bool in [true, false]:
		var arena := _arena(SandlotApproachReward.new())
		body.position.x = 4.0
		if by_the_game:
			agent.end_episode()
			arena.after_tick()
			body.position.x = 400.0  # the ticks between the end and the decision are no part of it
		arena.after_decision(1)
		check(arena.over, "it is over")
		near(agent.step_reward, 4.0, 1e-4, "ended by the %s" % ("game" if by_the_game else "limit"))
		arena.next_episode()
		near(agent.episode_return, 0.0, 1e-6, "the next episode")


func test_a_teleport_at_the_beginning_of_an_episode_earns_nothing() -> void:
	var arena := _arena(SandlotApproachReward.new())
	arena.after_decision(0)
	body.position.x = -50.0
	arena.reset(2)
	arena.after_decision(0)
	near(agent.episode_return, 0.0, 1e-5, "return after standing still")


func test_a_potential_with_discount_telescopes() -> void:
	var helper := SandlotPotentialReward.new()
	helper.of_node = add(Node3D.new())
	helper.property = &"rotation_edit_mode"  # any number of a node
	helper.scale = 2.0
	helper.gamma = 0.9
	helper.term = &"stage"
	var arena := _arena(helper)
	(helper.of_node as Node3D).rotation_edit_mode = Node3D.ROTATION_EDIT_MODE_BASIS  # 0 becomes 2
	arena.after_decision(0)
	near(agent.step_reward, 2.0 * 0.9 * 2.0, 1e-5, "first decision")
	agent.next_decision()
	arena.after_decision(0)
	near(agent.step_reward, 2.0 * (0.9 * 2.0 - 2.0), 1e-5, "second decision")
	near(agent.earned.stage, 3.6, 1e-5, "what the overlay shows of the decision before")


func test_a_helper_without_a_target_says_so_in_the_editor() -> void:
	var lonely := SandlotApproachReward.new()
	add(lonely)
	var texts := "\n".join(lonely._get_configuration_warnings())
	check(texts.contains("nothing to approach") and texts.contains("no SandlotAgent"), texts)
	check("\n".join(add(SandlotPotentialReward.new())._get_configuration_warnings()).contains("no potential"), "no potential")
