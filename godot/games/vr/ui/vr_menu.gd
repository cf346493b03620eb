class_name VrMenu
extends Control
## A tree of menu pages, read from the scene: every child of Pages is a page, every button and slider on it an element.
##
## A button with the metadata `opens` leads to the page of that name; an element with the metadata `setting` shows and
## changes that one of [VrSettings]. Elements take no keyboard focus: one window has one focus, and who loses it lets go of
## the mouse, so menus side by side would cancel each other's presses. An element counts as used when it was pressed, or dragged by a tenth of its range.

signal used(element: Control)  ## for the first time in this episode
signal page_opened(page: StringName, first: bool)
signal setting_changed(name: String)
signal answered(element: Control)  ## it was pressed, or taken to be dragged

const DRAGGED := 0.1  ## of a slider's range

var store := VrSettings.new()
var page := &""
var seen := {}  ## pages that were open
var done := {}  ## elements that were used

var _drag_from := {}  # of sliders that are held: the value at the beginning of the drag

@onready var pages: Array[Node] = $Margin/Pages.get_children()


func _ready() -> void:
	for element in all_elements():
		if element is Slider:
			(element as Slider).value_changed.connect(_on_slid.bind(element))
			(element as Slider).drag_started.connect(func() -> void: answered.emit(element))
		else:
			(element as BaseButton).pressed.connect(_on_pressed.bind(element))
	begin()


## A new visitor: the first page, nothing used; what is set is what was saved.
func begin() -> void:
	done.clear()
	seen.clear()
	_drag_from.clear()
	store.restore()
	_show_settings()
	open(pages[0].name)


func open(wanted: StringName) -> void:
	page = wanted
	for one: Control in pages:
		one.visible = one.name == wanted
	var first := not seen.has(wanted)
	seen[wanted] = true
	page_opened.emit(wanted, first)


## Buttons and sliders of a page, from top to bottom.
func elements_of(of_page: StringName) -> Array[Control]:
	var made: Array[Control] = []
	for one: Control in pages:
		if one.name == of_page:
			made.assign(one.find_children("*", "BaseButton") + one.find_children("*", "Slider"))
	made.sort_custom(func(a: Control, b: Control) -> bool: return _order(a) < _order(b))
	return made


## Every element of the tree, page by page.
func all_elements() -> Array[Control]:
	var made: Array[Control] = []
	for one in pages:
		made.append_array(elements_of(one.name))
	return made


## Those that can be used at all.
func live_elements() -> Array[Control]:
	return all_elements().filter(is_enabled)


func depth() -> int:
	return _page_node(page).get_meta(&"depth", 0)


func is_complete() -> bool:
	return done.size() == live_elements().size() and seen.size() == pages.size()


static func is_enabled(element: Control) -> bool:
	return element.editable if element is Slider else not (element as BaseButton).disabled


## A hand holds this element, or lets go of it.
func hold(element: Control, held: bool) -> void:
	if held and element is Slider:
		_drag_from[element] = (element as Slider).value
	else:
		_drag_from.erase(element)


func _on_pressed(button: BaseButton) -> void:
	answered.emit(button)
	_mark(button)
	if button.has_meta(&"setting"):
		_change(button, button.button_pressed)
	if button.has_meta(&"opens"):
		open(button.get_meta(&"opens"))


func _on_slid(value: float, slider: Slider) -> void:
	_change(slider, value)
	if _drag_from.has(slider) and absf(value - _drag_from[slider]) >= DRAGGED * (slider.max_value - slider.min_value):
		_mark(slider)


func _change(element: Control, value: Variant) -> void:
	var setting: String = element.get_meta(&"setting", "")
	if setting and store.values[setting] != value:
		if store.put(setting, value):
			push_warning("The setting %s could not be saved." % setting)
		setting_changed.emit(setting)


func _mark(element: Control) -> void:
	if not done.has(element):
		done[element] = true
		used.emit(element)


func _show_settings() -> void:
	for element in all_elements():
		var setting: String = element.get_meta(&"setting", "")
		if setting and element is Slider:
			(element as Slider).set_value_no_signal(store.values[setting])
		elif setting:
			(element as BaseButton).set_pressed_no_signal(store.values[setting])


func _page_node(named: StringName) -> Node:
	return $Margin/Pages.get_node(NodePath(named))


static func _order(element: Control) -> int:
	var top: Node = element
	while not top.get_parent() is VBoxContainer or not top.get_parent().has_meta(&"depth"):
		top = top.get_parent()
	return top.get_index()
