class_name TagRules
extends RefCounted
## What a match of tag is: the settings, and the numbers that follow from them.
##
## The same derivations as the native engine's (docs/games/tag.md, "Constants and derived rules"), rounded to
## 32 bits at the same places, so that a seed gives the same arena to the last bit.

enum Mode { TIMED, SWITCH }
enum Layout { RAYS, REFERENCE84 }
enum Winner { NOBODY, SEEKER, HIDER }
enum Reason { NONE, TAG, TIMEOUT }

const RAYS := 36
const BOXES := 12  ## most obstacles of an arena
const TERMS := 8  ## reward terms: a seeker's four, a hider's four
const SKIN := 0.001  ## metres kept between a body and what stopped it sideways
const HALF_SKIN := 0.0005
const RAYS_SIZE := 12 + RAYS * 4
const REFERENCE_SIZE := 12 + RAYS * 2
const RECALL_SIZE := 6
const PRIVILEGED_SIZE := 4

var mode := Mode.TIMED
var layout := Layout.RAYS
var recall := false
var privileged := false
var turn_control := false
var first_is_seeker := true
var seekers := 1
var hiders := 1
var agents := 2
var obstacles := 0
var tick_rate := 60
var ticks_per_step := 3
var limit := 600  ## ticks of a match
var immune_ticks := 0
var coyote_ticks := 0
var head_start_ticks := 0

var dt := 0.0  ## seconds a tick
var half_dt := 0.0
var step_s := 0.0
var accelerate := 0.0  ## m/s a tick
var brake := 0.0
var fall := 0.0
var jump_speed := 0.0  ## m/s
var speed := PackedFloat32Array([0.0, 0.0])  ## m/s of a hider, of a seeker
var max_speed := 0.0
var turn := 0.0  ## most a facing turns in a tick, in turns
var turn_cos := 1.0
var turn_sin := 0.0

var arena_half := 0.0  ## metres
var wall_height := 0.0
var edge := 0.0
var half := 0.0
var touch := 0.0  ## bodies nearer than this on every axis touch
var spawn_half := 0.0
var separation := 0.0
var gap := 0.0
var spacing := 0.0
var low_share := 0.0
var cells := 1

var vision_range := 0.0
var inv_arena := 0.0
var inv_speed := 0.0
var inv_range := 0.0
var inv_limit := 0.0
var inv_immune := 0.0
var ray_cos := PackedFloat32Array()
var ray_sin := PackedFloat32Array()

var seeker_progress := 0.0
var seeker_time := 0.0
var made_bonus := 0.0  ## for a touch; a pass in switch
var seeker_timeout := 0.0
var hider_progress := 0.0
var hider_survival := 0.0
var suffered_penalty := 0.0
var hider_timeout := 0.0


## Every setting of the spec by name, as in SandlotSpec.config.
func _init(config: Dictionary) -> void:
	_read_players(config)
	_read_clock(config)
	_read_motion(config)
	_read_arena(config)
	_read_sight(config)
	_read_rewards(config)


func observation_size() -> int:
	var size := RAYS_SIZE if layout == Layout.RAYS else REFERENCE_SIZE
	return size + (RECALL_SIZE if recall else 0) + (PRIVILEGED_SIZE if privileged else 0)


func action_size() -> int:
	return 4 if turn_control else 3


## Whether an agent seeks when a match begins.
func starts_as_seeker(agent: int) -> bool:
	return agent < seekers if first_is_seeker else agent >= hiders


func _read_players(config: Dictionary) -> void:
	mode = Mode.SWITCH if config.mode == "switch" else Mode.TIMED
	layout = Layout.REFERENCE84 if config.layout == "reference84" else Layout.RAYS
	recall = config.get("recall", false)
	privileged = config.privileged
	turn_control = config.turn_control
	first_is_seeker = config.first_is_seeker
	seekers = int(config.seekers)
	hiders = int(config.hiders)
	agents = seekers + hiders
	obstacles = int(config.obstacles)


func _read_clock(config: Dictionary) -> void:
	tick_rate = int(config.tick_rate)
	ticks_per_step = int(config.ticks_per_step)
	dt = _f(1.0 / tick_rate)
	half_dt = _f(0.5 * dt)
	step_s = _f(ticks_per_step * dt)
	limit = _ticks(config.time_limit)
	immune_ticks = _ticks(config.immunity_s)
	coyote_ticks = _ticks(config.coyote_s)
	head_start_ticks = _ticks(config.head_start_s)
	inv_limit = _f(1.0 / limit)
	inv_immune = _f(1.0 / immune_ticks) if immune_ticks > 0 else 0.0


func _read_motion(config: Dictionary) -> void:
	accelerate = _f(_f(config.acceleration) * dt)
	brake = _f(_f(config.deceleration) * dt)
	fall = _f(_f(config.gravity) * dt)
	jump_speed = _f(config.jump_speed)
	speed[0] = _f(_f(config.top_speed) * _f(config.hider_speed))
	speed[1] = _f(_f(config.top_speed) * _f(config.seeker_speed))
	max_speed = maxf(speed[0], speed[1])
	inv_speed = _f(1.0 / max_speed)
	turn = _f(_f(_f(config.turn_rate) * dt) / 360.0)
	turn_cos = SandlotFloat32.cos_turns(turn)
	turn_sin = SandlotFloat32.sin_turns(turn)


func _read_arena(config: Dictionary) -> void:
	arena_half = _f(config.arena_half)
	wall_height = _f(config.wall_height)
	edge = _f(config.body_edge)
	half = _f(0.5 * edge)
	touch = _f(edge + _f(config.reach))
	spawn_half = _f(arena_half - _f(config.spawn_margin))
	separation = _f(config.spawn_separation)
	gap = _f(_f(1.3) * edge)
	low_share = _f(config.low_share)
	inv_arena = _f(1.0 / arena_half)
	var wide := _f(2.0 * spawn_half)
	cells = mini(int(_f(wide / _f(separation * _f(1.0001)))) + 1, 8)
	spacing = _f(wide / (cells - 1)) if cells > 1 else 0.0


func _read_sight(config: Dictionary) -> void:
	vision_range = _f(config.vision_range)
	inv_range = _f(1.0 / vision_range)
	var view := _f(config.field_of_view)
	for i in RAYS:
		var share := _f(_f(i / float(RAYS - 1)) - 0.5)
		var turns := _f(_f(view * share) / 360.0)
		ray_cos.append(SandlotFloat32.cos_turns(turns))
		ray_sin.append(SandlotFloat32.sin_turns(turns))


func _read_rewards(config: Dictionary) -> void:
	var switching := mode == Mode.SWITCH
	seeker_progress = config.seeker_progress
	seeker_time = config.seeker_time
	made_bonus = config.pass_bonus if switching else config.tag_bonus
	seeker_timeout = config.seeker_timeout
	hider_progress = config.hider_progress
	hider_survival = config.hider_survival
	suffered_penalty = config.pass_bonus if switching else config.tagged_penalty
	hider_timeout = config.hider_timeout


func _ticks(seconds: float) -> int:
	return int(_f(_f(_f(seconds) * tick_rate) + 0.5))


static func _f(value: float) -> float:
	return SandlotFloat32.of(value)
