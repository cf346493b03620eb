class_name VrPointer
extends Node3D
## A ray out of a hand that works a menu on a screen in the room: where it meets the screen, there is the mouse.
##
## The trigger clicks, the grip holds: a slider is taken by the grip, moved along, and let go. The menu gets ordinary
## mouse events, so whatever works in a Control tree works here.

## The hand: an XRController3D, or any node that looks along -Z.
@export var hand: Node3D
## The screen: a mesh whose X and Y are the picture's, `size` metres wide and high around its middle.
@export var screen: Node3D
@export var size := Vector2(1.6, 1.0)
@export var viewport: SubViewport

var on_screen := false
var pixel := Vector2.ZERO  ## where the ray meets the screen
var hit := Vector3.ZERO  ## and where that is in the room
var held := false  ## the grip holds something

var _pressed := false


## Look where the ray goes, and move the mouse there.
func aim() -> void:
	var local := screen.global_transform.affine_inverse()
	var from := local * hand.global_position
	var way := local.basis * -hand.global_basis.z
	var share := -from.z / way.z if absf(way.z) > 1e-6 else -1.0
	var place := from + way * share
	on_screen = share > 0.0 and absf(place.x) <= size.x / 2.0 and absf(place.y) <= size.y / 2.0
	if not on_screen:
		return
	hit = screen.global_transform * place
	var before := pixel
	pixel = Vector2(place.x / size.x + 0.5, 0.5 - place.y / size.y) * Vector2(viewport.size)
	var moved := InputEventMouseMotion.new()
	moved.position = pixel
	moved.global_position = pixel
	moved.relative = pixel - before
	moved.button_mask = MOUSE_BUTTON_MASK_LEFT if _pressed else 0
	viewport.push_input(moved, true)


## Where the ray has to go so that it meets this pixel.
func place_of(wanted: Vector2) -> Vector3:
	var share := wanted / Vector2(viewport.size) - Vector2(0.5, 0.5)
	return screen.global_transform * Vector3(share.x * size.x, -share.y * size.y, 0.0)


func press(down: bool) -> void:
	if down == _pressed or (down and not on_screen):
		return
	_pressed = down
	var event := InputEventMouseButton.new()
	event.button_index = MOUSE_BUTTON_LEFT
	event.pressed = down
	event.button_mask = MOUSE_BUTTON_MASK_LEFT if down else 0
	event.position = pixel
	event.global_position = pixel
	viewport.push_input(event, true)


## Let go of everything, as when an episode begins.
func release() -> void:
	press(false)
	held = false
