extends SandlotTestCase
## The tracking scene: jumps, drift and lost hands of the mock headset are all found, and a sound one raises no alarm.

const SCENE := "res://scenes/features/vr_tracking_test.tscn"
const STILL: Array[Vector3] = [Vector3(-0.25, 1.05, -0.35), Vector3(0.25, 1.05, -0.35)]
const HEAD := Vector3(0, 1.6, 0)
const SEEN: Array[bool] = [true, true]


func _watch() -> TrackingWatch:
	var made := TrackingWatch.new()
	made.begin(HEAD, STILL, 90.0)
	return made


func _play(settings: Dictionary, seed_value: int) -> Dictionary:
	Engine.physics_ticks_per_second = VrSession.TICK_RATE
	var made := (load(SCENE) as PackedScene).instantiate()
	SandlotTrainer._remove_trainers(made)
	VrSession.strip(made)
	add(made)
	var arena := SandlotArena.of(made)
	arena.configure(settings.merged({"baseline": "scripted"}))
	arena.reset(seed_value)
	while not arena.over:
		arena.agents[0].next_decision()
		arena.agents[0].take(PackedFloat32Array([0, 0, 0]))
		for tick in 9:
			await frame()
			arena.after_tick()
	var reported := arena.agents[0].reported.duplicate()
	reported.paid = arena.agents[0].episode_return
	made.free()
	return reported


func clean_up() -> void:
	super()
	Engine.physics_ticks_per_second = 60


func test_every_planned_fault_is_found_while_somebody_walks() -> void:
	for kind: String in ["jump", "drift", "lost_hand", "all"]:
		var found := await _play({"faults": kind}, 5)
		check(found.success and found.planned == 4, "%s: %s" % [kind, found])
		check(found.walked > 5.0, "in motion: %s m" % found.walked)
		equal(found.paid > 0.0, true, "finding pays")


func test_a_sound_headset_raises_no_alarm() -> void:
	var found := await _play({"faults": "none"}, 6)
	check(found.success and found.planned == 0, "nothing found: %s" % found)
	near(found.drift_m, 0.0, 1e-4, "metres off")
	near(found.lost_hand_s, 0.0, 0.0, "seconds without a hand")


func test_a_pose_that_jumps_counts_and_a_quick_head_does_not() -> void:
	var watch := _watch()
	for i in 45:
		watch.tick(HEAD + Vector3(0.03 * (i % 2), 0, 0), STILL, SEEN)
	equal(watch.jumps, 0, "2.7 m/s to and fro")
	watch.tick(HEAD + Vector3(0.2, 0, 0), STILL, SEEN)
	equal(watch.jumps, 1, "20 cm in a tick")
	for i in 180:
		watch.tick(HEAD + Vector3(0.2, 0, 0), STILL, SEEN)
	equal([watch.jumps, watch.drifts], [1, 0], "a jump is one jump and no drift")


func test_a_slow_drift_is_measured_in_metres_and_ends_with_a_recentre() -> void:
	var watch := _watch()
	for i in 270:
		watch.tick(HEAD + Vector3(0.1 * i / 90.0, 0, 0), STILL, SEEN)
	near(watch.drift, 0.25, 0.01, "the mean of the last second")
	equal([watch.drifts, watch.jumps], [1, 0], "once")
	watch.recentre(HEAD, STILL)
	equal([watch.drift, watch.drifts], [0.0, 1], "put right, and still counted")


func test_a_hand_is_lost_when_prediction_can_fill_no_more() -> void:
	var watch := _watch()
	for i in 8:
		watch.tick(HEAD, STILL, [false, true] as Array[bool])
	equal(watch.losses, 0, "89 ms are filled")
	watch.tick(HEAD, STILL, [false, true] as Array[bool])
	equal(watch.losses, 1, "100 ms are not")
	var elsewhere: Array[Vector3] = [Vector3(0, 2, 0), STILL[1]]
	watch.tick(HEAD, elsewhere, SEEN)
	equal([watch.jumps, watch.losses], [0, 1], "coming back elsewhere is no jump")
	near(watch.lost_s, 0.1, 1e-6, "seconds")
