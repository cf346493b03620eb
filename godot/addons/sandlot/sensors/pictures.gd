@tool
class_name SandlotPictures
extends RefCounted
## A viewport of its own that shares the world of a camera sensor, and its picture as numbers.

const HEADLESS := (
	"A camera sensor sees nothing under --headless, since nothing is drawn there. Run the game with a window, "
	+ "or in memory under Xvfb."
)

static var _drawn_tick := -1  # physics tick of the newest pictures
static var _sensors: Array[Node] = []  # all of them: their pictures are drawn together

var problem := ""

var _viewport: SubViewport


## All pictures are taken anew: bodies were moved within a tick.
static func redraw() -> void:
	_drawn_tick = -1


func open(sensor: Node, resolution: Vector2i) -> SubViewport:
	_viewport = SubViewport.new()
	_viewport.size = resolution
	_viewport.render_target_update_mode = SubViewport.UPDATE_ALWAYS
	_viewport.gui_disable_input = true
	sensor.add_child(_viewport)
	_sensors.append(sensor)
	sensor.tree_exiting.connect(func() -> void: _sensors.erase(sensor))
	return _viewport


## The picture of this tick, 0 to 255, row after row; zeros where nothing is drawn, and `problem` says why.
func take(grey: bool) -> PackedFloat32Array:
	var out := PackedFloat32Array()
	out.resize(_viewport.size.x * _viewport.size.y * (1 if grey else 3))
	if DisplayServer.get_name() == "headless":
		problem = HEADLESS
		return out
	if _drawn_tick != Engine.get_physics_frames():  # many ticks may be played between two frames of the window
		_drawn_tick = Engine.get_physics_frames()
		for sensor in _sensors:
			sensor.call("place_camera")
		RenderingServer.force_draw(false)
	var picture := _viewport.get_texture().get_image()
	picture.convert(Image.FORMAT_L8 if grey else Image.FORMAT_RGB8)
	var bytes := picture.get_data()
	for i in out.size():
		out[i] = bytes[i]
	return out
