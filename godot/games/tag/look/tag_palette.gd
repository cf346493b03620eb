class_name TagPalette
extends RefCounted
## Every colour of the scene, in one place. Seeker and hider stay apart for colour-blind viewers too
## (tests/godot/test_colours.py measures it), and never differ by colour alone: see TagCube.

const SEEKER := Color("d92e1a")
const HIDER := Color("1560d2")
const OUT := Color("8b909c")
const SEEKER_TAG := Color("c8331d")  ## names and bars: darker, so that white text is readable on it
const HIDER_TAG := Color("1a5cc0")
const SEEKER_CONE := Color("ff6a3c")
const HIDER_CONE := Color("3f8cff")

const FLOOR_LIGHT := Color("ecd8b0")
const FLOOR_DARK := Color("e0c694")
const FLOOR_LINE := Color("fff4de")
const WALL := Color("a6d9c8")
const WALL_CAP := Color("fff6e6")
const WALL_BAND := Color("5fb3a3")
const POST := Color("f2b544")
const LOW_BOXES: Array[Color] = [Color("f5b432"), Color("f0a02c"), Color("f7c048")]
const TALL_BOXES: Array[Color] = [Color("4b5463"), Color("444c5a")]

const SKY_TOP := Color("74bff0")
const HORIZON := Color("cfeafd")
const LAWN_NEAR := Color("6fae6e")
const LAWN_FAR := Color("3f8478")
const KERB := Color("c9a877")
const BENCH := Color("c98f5a")
const TRUNK := Color("8a6a4c")
const TREES: Array[Color] = [Color("5aa65c"), Color("4c9a63"), Color("6bb562"), Color("3f8f6b")]
const CROWD: Array[Color] = [
	Color("f2c14e"), Color("f78154"), Color("8fc9b9"), Color("b8a1d9"), Color("f4a6b8"), Color("9ccc65"),
]

const INK := Color("14203a")
const PAPER := Color("fffaf0")
const LAST_SECONDS := Color("c8331d")
const EXCLAMATION := Color("ffd24a")


static func of_role(seeker: bool, out := false) -> Color:
	return OUT if out else (SEEKER if seeker else HIDER)
