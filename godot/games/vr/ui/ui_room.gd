extends Node3D
## A room with a menu on a screen, a wearer with a pointer, and two lightings under which the display must be read.

@onready var player: VrPlayer = $VrPlayer
@onready var menu: VrMenu = $Screen/View/Menu
@onready var pointer: VrPointer = $Pointer
@onready var hud: Label3D = $VrPlayer/XROrigin3D/XRCamera3D/Hud


func _enter_tree() -> void:
	VrSession.begin(self)


func _ready() -> void:
	if VrSession.is_training():
		menu.store.path = ""
		($Screen/View as SubViewport).render_target_update_mode = SubViewport.UPDATE_DISABLED
	menu.setting_changed.connect(_on_setting_changed)
	menu.used.connect(func(_element: Control) -> void: _show_count())
	menu.page_opened.connect(func(_page: StringName, _first: bool) -> void: _show_count())
	_apply_settings()
	_show_count()


func begin_episode(_random: SandlotRandom) -> void:
	player.begin(Transform3D.IDENTITY)
	pointer.release()
	menu.store.clear()
	menu.begin()
	_apply_settings()
	_show_count()


func get_rl_observation() -> Dictionary:
	return $VrPlayer/Agent.observe_fields()


func get_api_state() -> Dictionary:
	return {"page": menu.page, "seen": menu.seen.keys(), "used": menu.done.size(), "settings": menu.store.values}


## Day and night: the second lighting under which the display is read.
func _light(night: bool) -> void:
	var day := get_node_or_null("Hall/Light")
	if day:
		(day.get_node("Sun") as DirectionalLight3D).light_energy = 0.08 if night else 1.45
		(day.get_node("Fill") as DirectionalLight3D).light_energy = 0.04 if night else 0.3
		var air := (day.get_node("WorldEnvironment") as WorldEnvironment).environment
		air.ambient_light_energy = 0.12 if night else 0.45
		air.background_energy_multiplier = 0.12 if night else 1.0


func _on_setting_changed(_setting: String) -> void:
	_apply_settings()


## What is set takes effect at once, and again after a restart.
func _apply_settings() -> void:
	var values := menu.store.values
	player.turning = 0 if values.snap_turn_enabled else 1
	player.snap_degrees = values.snap_turn_angle
	player.vignette_share = values.vignetting_intensity / VrComfort.VIGNETTE_MOST if values.vignetting_enabled else 0.0
	_light(values.night)


func _show_count() -> void:
	if hud:
		hud.text = "%d of %d used · %d of %d pages" % [
			menu.done.size(), menu.live_elements().size(), menu.seen.size(), menu.pages.size()
		]
