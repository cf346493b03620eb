extends SandlotTestCase
## The yard of the physics stress: loads are real bodies and chunks, times are measured, and only a load that holds wins.

const SCENE := "res://games/physics_stress/physics_stress.tscn"


func _yard() -> PhysicsStress:
	var scene: Node = (load(SCENE) as PackedScene).instantiate()
	scene.get_node("SandlotTrainer").free()
	add(scene)
	(scene as PhysicsStress).begin_episode(SandlotRandom.new(3))
	return scene


func test_a_spawn_is_a_chunk_and_a_body_that_falls() -> void:
	var before := Engine.physics_ticks_per_second
	var yard := _yard()
	equal(Engine.physics_ticks_per_second, 90, "ticks per second")
	yard.spawn(5)
	equal([yard.bodies.size(), yard.terrain.chunk_count() > 1], [5, true], "bodies, more ground")
	var high := yard.bodies[0].position.y
	for i in 20:
		await frame()
	check(yard.bodies[0].position.y < high - 0.1, "it falls")
	check(yard.frames >= 15 and yard.tick_ms > 0.0, "%d ticks were timed" % yard.frames)
	Engine.physics_ticks_per_second = before


func test_crates_come_to_rest_on_the_yard_and_not_below_it() -> void:
	var before := Engine.physics_ticks_per_second
	var yard := _yard()
	yard.spawn(10)
	for i in 270:
		await frame()
	for body in yard.bodies:
		check(body.position.y > 5.5, "a crate lies at %s" % body.position)
	Engine.physics_ticks_per_second = before


func test_a_crate_is_grabbed_and_thrown_into_a_layer_of_its_own() -> void:
	var before := Engine.physics_ticks_per_second
	var yard := _yard()
	yard.spawn(1)
	yard.bodies[0].position = Vector3(1, 5.6, 0)
	yard.grab()
	equal(yard.grabbed, yard.bodies[0], "what was taken")
	yard.throw(Vector3(0, 1, 0))
	await frame()
	await frame()
	check(yard.bodies[0].linear_velocity.y > 5.0, "it flies: %s" % yard.bodies[0].linear_velocity)
	equal(Array(yard.layer_counts()).slice(1), [0, 1], "crates, thrown")
	Engine.physics_ticks_per_second = before


func test_holding_an_empty_yard_is_no_success() -> void:
	var before := Engine.physics_ticks_per_second
	var yard := _yard()
	yard.frames = PhysicsStress.FRAMES
	yard.slow_frames = 0
	yard.warnings = 0
	check(not yard.holds(), "nothing was loaded")
	for i in 40:
		yard._drop_crate()
	yard.chunks = 8
	check(yard.holds(), "a loaded yard that held")
	yard.slow_frames = 1
	check(not yard.holds(), "one tick was too long")
	Engine.physics_ticks_per_second = before


func test_one_slow_decision_costs_more_than_any_other_can_bring() -> void:
	var yard := _yard()
	var agent: PhysicsStressAgent = yard.get_node("Agent")
	yard.frames = 9
	agent._pay()
	equal(agent.terms, {&"holds": 1.0, &"slow_frame": 0.0, &"jitter": 0.0}, "a good decision")
	yard.slow_now = 3
	yard.jitter_now = 2
	agent.clear_episode()
	agent._pay()
	equal(agent.terms, {&"holds": 0.0, &"slow_frame": -10.0, &"jitter": -5.0}, "a bad one, however bad")
