extends SandlotAgent
## Walks about so that tracking is tried in motion, and says whether every planned fault was found and nothing else.

const A_FAULT := 1.0
const FALSE_ALARM := -1.0
const MOST_ALARMS := 3  ## that are paid for
const OF_KIND := {"jump": "pose_jumps", "drift": "drifts", "lost_hand": "hand_losses"}

## Who decides: whoever trains or plays, or a script that walks curves.
@export_enum("none", "scripted") var baseline := "none"

@onready var player: VrPlayer = get_parent()
@onready var room := get_parent().get_parent()


func _init() -> void:
	role = &"wearer"
	actions = {"stick_x": "axis", "stick_y": "axis", "turn": "axis"}
	reward_terms = ["found", "false_alarm"]
	reports = {
		"success": "flag", "planned": "none", "pose_jumps": "none", "drifts": "none", "drift_m": "none", "hand_losses": "none",
		"lost_hand_s": "none", "missed": "lower", "false_alarms": "lower", "walked": "none",
	}
	settings = ["baseline"]


func observe_fields() -> Dictionary:
	return {
		"head": player.camera.position, "hands": [player.hands[0].position, player.hands[1].position],
		"tracked": [player.mock.is_tracked(player.hands[0], 0), player.mock.is_tracked(player.hands[1], 1)],
		"drift": room.watch.drift, "place": Vector2(player.position.x, player.position.z) / 10.0,
	}


func act(decision: Dictionary) -> void:
	var does := scripted() if baseline == "scripted" else decision
	player.command(Vector2(does.stick_x, does.stick_y), does.turn)


## Walks ahead, and turns away from walls.
func scripted() -> Dictionary:
	var ahead := player.position + player.forward() * 3.0
	var turns := maxf(absf(ahead.x), absf(ahead.z)) > 9.0
	return {"stick_x": 0.3, "stick_y": 0.2 if turns else 0.7, "turn": 0.8 if turns else 0.0}


func human() -> Dictionary:
	if baseline == "scripted":
		return scripted()
	var turn := float(Input.is_physical_key_pressed(KEY_D)) - float(Input.is_physical_key_pressed(KEY_A))
	return {
		"stick_x": Input.get_axis(&"ui_left", &"ui_right"), "stick_y": Input.get_axis(&"ui_down", &"ui_up"), "turn": turn,
	}


func _physics_process(_delta: float) -> void:
	if not ended and room.ticks >= room.LENGTH_TICKS:
		_judge()
		end_episode(true)


## What was planned against what was found; a jump goes there and back.
func _judge() -> void:
	var found: Dictionary = room.watch.measures()
	var missed := 0
	var alarms := 0
	for kind: String in OF_KIND:
		var expected: int = room.planned(kind) * (2 if kind == "jump" else 1)
		missed += maxi(expected - found[OF_KIND[kind]], 0)
		alarms += maxi(found[OF_KIND[kind]] - expected, 0)
		reward(&"found", A_FAULT * mini(room.planned(kind), found[OF_KIND[kind]]))
	reward(&"false_alarm", FALSE_ALARM * mini(alarms, MOST_ALARMS))
	for what: String in found:
		report(what, found[what])
	report("planned", room.plan.size())
	report("missed", missed)
	report("false_alarms", alarms)
	report("walked", player.walked)
	report("success", missed == 0 and alarms == 0)
