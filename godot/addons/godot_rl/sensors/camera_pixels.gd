extends RefCounted
## From a viewport's picture to the text that a trainer is sent: what both camera sensors share.
##
## Bytes lie as their shape says, [channels, height, width]. (The plugin declares this shape and sends the rows
## interleaved; its client only reshapes, so only this order gives it whole colour planes.)

static var _drawn_tick := -1  # physics tick of the newest picture, of all sensors

var problem := ""


static func channels(viewport: SubViewport) -> int:
	return 4 if viewport.transparent_bg else 3


## The picture of this tick, as wide and high as asked for; null where nothing is drawn.
func image_of(viewport: SubViewport, size: Vector2i) -> Image:
	if DisplayServer.get_name() == "headless":
		problem = "a camera sensor sees nothing under --headless; start the game with a window (show_window=True, or Xvfb)"
		return null
	if _drawn_tick != Engine.get_physics_frames():  # many ticks are played between two frames of the window
		_drawn_tick = Engine.get_physics_frames()
		RenderingServer.force_draw(false)
	var image := viewport.get_texture().get_image()
	image.convert(Image.FORMAT_RGBA8 if channels(viewport) == 4 else Image.FORMAT_RGB8)
	if image.get_size() != size:
		image.resize(size.x, size.y, Image.INTERPOLATE_NEAREST)
	return image


static func hex(image: Image) -> String:
	var interleaved := image.get_data()
	var pixels := image.get_width() * image.get_height()
	@warning_ignore("integer_division")
	var planes := interleaved.size() / pixels
	var made := PackedByteArray()
	made.resize(interleaved.size())
	var at := 0
	for plane in planes:
		for pixel in pixels:
			made[at] = interleaved[pixel * planes + plane]
			at += 1
	return made.hex_encode()
