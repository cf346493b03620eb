extends SandlotAgent
## Tests a VR menu as a wearer would: points, pulls the trigger, holds the grip. Rules and tables: docs/tasks/ui_interaction.md.

const SLOTS := 4  ## elements of the present page that are observed
const REACH := Vector2(26.0, 18.0)  ## degrees that the hand points aside and up at most
const HAND := Vector3(0.2, 1.25, -0.3)  ## where the hand is
const HAND_SPEED := 480.0  ## degrees per second
const PRESS_TICK := 6  ## of a decision, when the hand has had time to get there
const RELEASE_TICK := 8
const AMOUNTS := {"navigation": 1.0, "sequence": 5.0, "unresponsive": -2.0, "done": 10.0}
const MOST_UNRESPONSIVE := 4  ## that are paid for, so that a whole tree is always worth more than half of one

## The scripted visitor decides instead of whoever else does.
@export var autopilot := false

var presses := 0
var hits := 0  ## presses that met an element
var unresponsive := 0
var changed := {}  ## settings that were changed

var _asked := Vector2.ZERO  # degrees, where the hand shall point
var _aim := Vector2.ZERO  # degrees, where it does
var _trigger := false
var _grip := false
var _tick := 0
var _expected: Control  # that the ray's geometry says was pressed, until it answers
var _expecting := 0
var _answered := 0
var _centre_error := 0.0  # metres from the middle of the element that was pressed
var _steps := 0

@onready var room := owner
@onready var player: VrPlayer = get_parent()


func _init() -> void:
	actions = {
		"point_x": {"kind": "axis", "text": "-1 left, 1 right"}, "point_y": {"kind": "axis", "text": "-1 down, 1 up"},
		"trigger": "button", "grip": "button",
	}
	reward_terms = ["navigation", "sequence", "unresponsive", "done"]
	reports = {
		"success": "flag", "pages": "higher", "elements": "higher", "element_share": "higher", "settings_changed": "higher",
		"persisted": "flag", "presses": "lower", "hit_share": "higher", "unresponsive": "lower", "pointer_accuracy": "higher",
		"centre_error_m": "lower",
	}
	settings = ["autopilot"]


func _ready() -> void:
	room.ready.connect(_listen, CONNECT_ONE_SHOT)


func _listen() -> void:
	room.menu.page_opened.connect(_on_page_opened)
	room.menu.setting_changed.connect(_on_setting_changed)
	room.menu.answered.connect(_on_answered)


func begin_episode(random: SandlotRandom) -> void:
	presses = 0
	hits = 0
	unresponsive = 0
	changed.clear()
	_trigger = false
	_grip = false
	_tick = 0
	_steps = 0
	_expected = null
	_expecting = 0
	_answered = 0
	_centre_error = 0.0
	_asked = Vector2(random.uniform_in(-0.8, 0.8), random.uniform_in(-0.8, 0.8)) * REACH
	_aim = _asked
	_move_hand()


func observe_fields() -> Dictionary:
	var menu: VrMenu = room.menu
	var pointer: VrPointer = room.pointer
	var view := Vector2(pointer.viewport.size)
	var pages := PackedFloat32Array()
	for one in menu.pages:
		pages.append(one.name == menu.page)
	var used := PackedFloat32Array()
	for element in menu.live_elements():
		used.append(menu.done.has(element))
	return {
		"hit": (pointer.pixel / view * 2.0 - Vector2.ONE) if pointer.on_screen else Vector2.ZERO,
		"on_screen": pointer.on_screen,
		"holds": pointer.held,
		"depth": menu.depth() / 2.0,
		"page": pages,
		"used": used,
		"elements": _slots(view),
	}


func act(decision: Dictionary) -> void:
	var asked := scripted() if autopilot else decision
	_asked = Vector2(asked.point_x, asked.point_y).clampf(-1.0, 1.0) * REACH
	_trigger = asked.trigger
	_grip = asked.grip
	_tick = 0
	_steps += 1


## The mouse points, its left button pulls the trigger, its right one grips; autopilot plays by itself.
func human() -> Dictionary:
	if autopilot:
		return scripted()
	var window := get_viewport().get_visible_rect().size
	var at := get_viewport().get_mouse_position() / window * 2.0 - Vector2.ONE
	return {
		"point_x": at.x, "point_y": -at.y, "trigger": Input.is_mouse_button_pressed(MOUSE_BUTTON_LEFT),
		"grip": Input.is_mouse_button_pressed(MOUSE_BUTTON_RIGHT),
	}


## The scripted visitor: on each page uses what is not used yet, goes down where something is left to do, then back.
func scripted() -> Dictionary:
	var menu: VrMenu = room.menu
	var wanted: Control = null
	var back: Control = null
	for element in menu.elements_of(menu.page):
		if not VrMenu.is_enabled(element):
			continue
		var target: StringName = element.get_meta(&"opens", &"")
		var is_back := target and _is_above(target)
		if is_back:
			back = element
		elif wanted == null and (not menu.done.has(element) or (target and _is_open(target, menu))):
			wanted = element
	if wanted == null:
		wanted = back
	if wanted == null:
		return {"point_x": 0.0, "point_y": 0.0, "trigger": false, "grip": false}
	if wanted is Slider:
		return _drag(wanted)
	return _pointed_at(_middle(wanted), true, false)


func _physics_process(delta: float) -> void:
	if ended:
		return
	_tick += 1
	var pointer: VrPointer = room.pointer
	if _tick <= PRESS_TICK or pointer.held:  # who pulls a trigger holds still
		_aim = _aim.move_toward(_asked, HAND_SPEED * delta)
	_move_hand()
	pointer.aim()
	if _tick == PRESS_TICK:
		_press(pointer)
	elif _tick == RELEASE_TICK and not pointer.held:
		pointer.press(false)
	if room.menu.is_complete():
		reward(&"done", AMOUNTS.done)
		_close()


## The limit cuts an episode off between two decisions; what it came to is said before.
func settle_rewards() -> void:
	if not ended:
		_report(false)
	super()


func _press(pointer: VrPointer) -> void:
	if pointer.held and not _grip:
		room.menu.hold(_element_at(pointer.pixel), false)
		pointer.release()
		_let_go()
	if pointer.held or not (_trigger or _grip) or not pointer.on_screen:
		return
	var element := _element_at(pointer.pixel)
	presses += 1
	if element == null:
		return
	hits += 1
	_centre_error += room.pointer.hit.distance_to(pointer.place_of(_middle(element)))
	var is_slider := element is Slider
	if not VrMenu.is_enabled(element) or is_slider != _grip:  # a slider wants the grip, a button the trigger
		unresponsive += 1
		if unresponsive <= MOST_UNRESPONSIVE:
			reward(&"unresponsive", AMOUNTS.unresponsive)
		return
	_expected = element
	_expecting += 1
	pointer.press(true)
	if is_slider:
		pointer.held = true
		room.menu.hold(element, true)


func _let_go() -> void:
	for element: Control in room.menu.all_elements():
		room.menu.hold(element, false)


func _on_page_opened(_page: StringName, first: bool) -> void:
	if first and room.menu.seen.size() > 1:
		reward(&"navigation", AMOUNTS.navigation)


func _on_setting_changed(setting: String) -> void:
	if not changed.has(setting):
		changed[setting] = true
		reward(&"sequence", AMOUNTS.sequence)


## A Control was pressed or taken, by the menu's own word: was it the one that the ray meets?
func _on_answered(element: Control) -> void:
	_answered += int(element == _expected)
	_expected = null


func _close() -> void:
	_report(true)
	end_episode(true)


func _report(complete: bool) -> void:
	var menu: VrMenu = room.menu
	report("success", complete)
	report("pages", menu.seen.size())
	report("elements", menu.done.size())
	report("element_share", float(menu.done.size()) / menu.live_elements().size())
	report("settings_changed", changed.size())
	report("presses", presses)
	report("hit_share", float(hits) / maxf(1.0, presses))
	report("unresponsive", unresponsive)
	report("pointer_accuracy", float(_answered) / maxf(1.0, _expecting))
	report("centre_error_m", _centre_error / maxf(1.0, hits))
	report("persisted", complete and _persisted())


## Whether a menu that starts now shows what was set here.
func _persisted() -> bool:
	var store: VrSettings = room.menu.store
	var set_here := store.values.duplicate()
	store.restore()
	var same := store.values == set_here
	store.values = set_here
	return same


func _move_hand() -> void:
	var basis := Basis.from_euler(Vector3(deg_to_rad(_aim.y), -deg_to_rad(_aim.x), 0.0))
	player.mock.pointed[1] = Transform3D(basis, HAND)
	player.pose()


func _slots(view: Vector2) -> PackedFloat32Array:
	var menu: VrMenu = room.menu
	var hovered := _element_at(room.pointer.pixel) if room.pointer.on_screen else null
	var made := PackedFloat32Array()
	for element: Control in menu.elements_of(menu.page).slice(0, SLOTS):
		var middle := _middle(element) / view * 2.0 - Vector2.ONE
		var value: float = (element as Slider).ratio if element is Slider else float((element as BaseButton).button_pressed)
		made.append_array([middle.x, middle.y, 1.0, VrMenu.is_enabled(element), element == hovered, value])
	made.resize(SLOTS * 6)
	return made


func _element_at(pixel: Vector2) -> Control:
	for element: Control in room.menu.elements_of(room.menu.page):
		if element.get_global_rect().has_point(pixel):
			return element
	return null


static func _middle(element: Control) -> Vector2:
	return element.get_global_rect().get_center()


## The action that points at a pixel of the menu.
func _pointed_at(pixel: Vector2, trigger: bool, grip: bool) -> Dictionary:
	var from := player.global_transform * HAND
	var way: Vector3 = player.global_basis.inverse() * (room.pointer.place_of(pixel) - from)
	var right := rad_to_deg(atan2(way.x, -way.z))
	var up := rad_to_deg(atan2(way.y, Vector2(way.x, way.z).length()))
	return {"point_x": right / REACH.x, "point_y": up / REACH.y, "trigger": trigger, "grip": grip}


## Take a slider near its middle, then move to the end that is farther away.
func _drag(element: Control) -> Dictionary:
	var slider := element as Slider
	var rect := slider.get_global_rect()
	if not room.pointer.held:
		return _pointed_at(rect.get_center(), false, true)
	return _pointed_at(rect.position + rect.size * Vector2(0.85, 0.5), false, true)


func _is_above(target: StringName) -> bool:
	return int(room.menu._page_node(target).get_meta(&"depth", 0)) < room.menu.depth()


## Whether something is left to do on a page or below it.
func _is_open(target: StringName, menu: VrMenu) -> bool:
	for element in menu.elements_of(target):
		var below: StringName = element.get_meta(&"opens", &"")
		var leads_up := below and int(menu._page_node(below).get_meta(&"depth", 0)) < int(menu._page_node(target).get_meta(&"depth", 0))
		if VrMenu.is_enabled(element) and not menu.done.has(element):
			return true
		if below and not leads_up and _is_open(below, menu):
			return true
	return not menu.seen.has(target)
