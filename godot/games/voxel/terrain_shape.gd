class_name TerrainShape
extends RefCounted
## How high the ground is, in whole metres, and its colours: meadows around the middle, mountains farther out.

const PLAIN := 3.0  # metres that meadows rise and fall
const MEADOW_END := 160.0  # metres from the middle
const MOUNTAINS := 230.0  # metres from the middle at which they have their full height
const WATER := -2

var mountain_height := 46.0

var _hills := FastNoiseLite.new()
var _ridges := FastNoiseLite.new()


func _init(noise_seed: int, mountains: float) -> void:
	mountain_height = mountains
	_hills.seed = noise_seed
	_hills.frequency = 0.015
	_hills.fractal_octaves = 2
	_ridges.seed = noise_seed + 1
	_ridges.frequency = 0.035
	_ridges.fractal_type = FastNoiseLite.FRACTAL_RIDGED
	_ridges.fractal_octaves = 3


## The ground of a voxel `wide` metres wide whose corner is at x, z: that of its middle.
func height_of(x: int, z: int, wide := 1) -> int:
	var px := x + 0.5 * wide
	var pz := z + 0.5 * wide
	var height := PLAIN * _hills.get_noise_2d(px, pz)
	var far := (sqrt(px * px + pz * pz) - MEADOW_END) / (MOUNTAINS - MEADOW_END)
	if far > 0.0:
		var share := minf(far, 1.0)
		height += share * share * mountain_height * (0.5 + 0.5 * _ridges.get_noise_2d(px, pz))
	return maxi(roundi(height), WATER)


func colour_at(height: int) -> Color:
	if height <= WATER:
		return Color("4fa3d1")
	if height <= 0:
		return Color("e3cf97")
	if height < 9:
		return Color("7fb867") if height % 2 else Color("76b05f")
	if height < 26:
		return Color("9a8f7d") if height % 2 else Color("91866f")
	return Color("f3f1ea")
