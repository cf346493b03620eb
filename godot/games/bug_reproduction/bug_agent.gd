extends SandlotAgent
## Flies so that a known fault shows itself: nine numbers in, two out. Rules: docs/tasks/bug_reproduction.md.

const FAST := 2.0  ## rad/s, from where turning pays
const FOUND := 100.0
const MOST_TURNING := 10.0  ## that turning pays in an episode, in the bounded shaping

## "bounded": turning fast pays at most a tenth of the fault. "as_written": +1 in every decision, as the guide says.
@export_enum("bounded", "as_written") var shaping := "bounded"
## Who decides: whoever trains or plays, or for comparison a script, chance, nobody.
@export_enum("none", "scripted", "random", "still") var baseline := "none"
## Decisions of an episode, over which the bounded shaping is spread.
@export_range(10, 10000) var steps_of_episode := 300

var _random: SandlotRandom
var _requests := 0  # when the last decision was made
var _decisions := 0
var _fast := 0  # of them

@onready var room: BugRoom = get_parent()


func _init() -> void:
	role = &"tester"
	actions = {
		"turn": {"kind": "axis", "text": "-1 left, 1 right, of 4 rad/s"}, "move": {"kind": "axis", "text": "of 10 m/s"},
	}
	reward_terms = ["found", "turning"]
	reports = {"success": "flag", "found_after_s": "lower", "fast_share": "none", "requests": "none", "distance": "none"}
	settings = ["shaping", "baseline"]


func begin_episode(random: SandlotRandom) -> void:
	_random = SandlotRandom.new(random.draw())
	_requests = 0
	_fast = 0
	_decisions = 0


func observe_fields() -> Dictionary:
	var now := room.flight
	var waiting := 0
	for job in now.streamer.in_flight:
		waiting = maxi(waiting, now.streamer.ticks + ChunkStreamer.DELAYS.y - int(job.due))
	var fresh := now.streamer.requests - _requests
	return {
		"turn_rate": now.turn_rate / BugFlight.TURN_RATE,
		"heading": Vector2(sin(now.heading), cos(now.heading)),
		"speed": now.speed / BugFlight.SPEED,
		"in_flight": now.streamer.in_flight.size() / float(ChunkStreamer.QUEUE),
		"requests": fresh / float(ChunkStreamer.QUEUE),
		"oldest": waiting / float(ChunkStreamer.DELAYS.y),
		"place": (Vector2(now.place.x, now.place.z) / 100.0).clampf(-5.0, 5.0),
	}


func act(decision: Dictionary) -> void:
	var does := decision
	match baseline:
		"scripted":
			does = scripted()
		"random":
			does = {"turn": _random.uniform_in(-1, 1), "move": _random.uniform_in(-1, 1)}
		"still":
			does = {"turn": 0.0, "move": 0.0}
	_requests = room.flight.streamer.requests
	room.steer(does.turn, does.move)


## Spins on the spot, as whoever knows the fault would.
func scripted() -> Dictionary:
	return {"turn": 1.0, "move": 0.0}


func human() -> Dictionary:
	return {"turn": Input.get_axis(&"ui_left", &"ui_right"), "move": Input.get_axis(&"ui_down", &"ui_up")}


func _physics_process(_delta: float) -> void:  # after the room's own, as its child
	if not ended and room.hit:
		reward(&"found", FOUND)
		_report(true)
		end_episode(true)


## A decision is over, or the episode.
func settle_rewards() -> void:
	if not ended:
		_decisions += 1
		if absf(room.flight.turn_rate) > FAST:
			_fast += 1
			reward(&"turning", 1.0 if shaping == "as_written" else MOST_TURNING / steps_of_episode)
		_report(false)
	super()


func _report(found: bool) -> void:
	var now := room.flight
	report("success", found)
	report("found_after_s", now.streamer.ticks * BugFlight.DELTA)
	report("fast_share", _fast / maxf(1.0, _decisions))
	report("requests", now.streamer.requests)
	report("distance", now.place.length())
