class_name NavigationGrid
extends StaticBody3D
## The floor's walls and pits: the cells of docs/games/navigation.md, drawn in its order, as shapes that bodies and rays meet.

const CELL := 2.0  # metres
const MARGIN := 4.0  # metres beyond the farthest goal
const WALL_HEIGHT := 2.4
const PITS := 1 << 1  # collision layer: rays see a pit's edge, bodies walk over it

const LAYOUTS: Array[String] = ["open", "course", "maze"]

var layout := "open"  ## of this episode
var cells := 0  ## a side
var half := 0.0
var walls := {}  ## Vector2i: true
var pits := {}

var _rules := {}
var _random: SandlotRandom
var _boxes := {}  # number of cells in a row: BoxShape3D

@onready var _pit_body: StaticBody3D = $Pits
@onready var _look: Node3D = $Look


func build(rules: Dictionary, random: SandlotRandom) -> void:
	_rules = rules
	_random = random
	layout = rules.layout if rules.layout != "any" else LAYOUTS[random.integer_in(0, LAYOUTS.size() - 1)]
	cells = int(2.0 * (rules.max_goal_distance + MARGIN) / CELL) | 1
	half = 0.5 * CELL * cells
	walls.clear()
	pits.clear()
	_border(pits if rules.edge == "drop" else walls)
	if layout != "open":
		for j in range(2, cells - 1, 2):
			for i in range(2, cells - 1, 2):
				_post(Vector2i(i, j))
	_fill(self, walls)
	_fill(_pit_body, pits)
	if DisplayServer.get_name() != "headless":
		_draw()


func cell_of(v: float) -> int:
	return clampi(int((v + half) / CELL), 0, cells - 1)


func middle_of(cell: int) -> float:
	return (cell + 0.5) * CELL - half


func is_pit(x: float, z: float) -> bool:
	return pits.has(Vector2i(cell_of(x), cell_of(z)))


## A place where a body stands free: this one, or the middle of the nearest cell that nothing can take.
func placed(x: float, z: float) -> Vector2:
	var cell := Vector2i(cell_of(x), cell_of(z))
	var room: float = 0.5 * CELL - _rules.player_radius
	var taken := walls.has(cell) or pits.has(cell)
	if not taken and absf(x - middle_of(cell.x)) < room and absf(z - middle_of(cell.y)) < room:
		return Vector2(x, z)
	return Vector2(middle_of(mini(cell.x | 1, cells - 2)), middle_of(mini(cell.y | 1, cells - 2)))


func _border(of: Dictionary) -> void:
	for i in cells:
		for cell: Vector2i in [Vector2i(i, 0), Vector2i(i, cells - 1), Vector2i(0, i), Vector2i(cells - 1, i)]:
			of[cell] = true


func _post(cell: Vector2i) -> void:
	var maze := layout == "maze"
	var pit: bool = _random.uniform() < _rules.pits
	var share := _random.uniform()
	if pit:
		pits[cell] = true
	elif maze or share < _rules.obstacles:
		walls[cell] = true
	if not pit and maze and share >= _rules.openness:
		_topple(cell)


func _topple(cell: Vector2i) -> void:
	var ways: Array[Vector2i] = [Vector2i(1, 0), Vector2i(0, 1), Vector2i(-1, 0)]
	if cell.y == 2:
		ways.append(Vector2i(0, -1))
	var first := _random.integer_in(0, ways.size() - 1)
	for i in ways.size():
		var beside: Vector2i = cell + ways[(first + i) % ways.size()]
		if not walls.has(beside):
			walls[beside] = true
			return


# ---------------------------------------------------------------- shapes


## Runs of cells in a row are one box.
func _runs(of: Dictionary) -> Array[Vector3i]:
	var made: Array[Vector3i] = []  # column, row, length
	for j in cells:
		var i := 0
		while i < cells:
			var length := 0
			while i + length < cells and of.has(Vector2i(i + length, j)):
				length += 1
			if length:
				made.append(Vector3i(i, j, length))
			i += maxi(length, 1)
	return made


func _fill(body: StaticBody3D, of: Dictionary) -> void:
	PhysicsServer3D.body_clear_shapes(body.get_rid())
	for run in _runs(of):
		var box := _box(run.z)
		PhysicsServer3D.body_add_shape(body.get_rid(), box.get_rid(), Transform3D(Basis.IDENTITY, _centre(run)))


func _centre(run: Vector3i) -> Vector3:
	return Vector3(middle_of(run.x) + 0.5 * CELL * (run.z - 1), 0.5 * WALL_HEIGHT, middle_of(run.y))


func _box(length: int) -> BoxShape3D:
	if not _boxes.has(length):
		_boxes[length] = BoxShape3D.new()
		_boxes[length].size = Vector3(CELL * length, WALL_HEIGHT, CELL)
	return _boxes[length]


# ---------------------------------------------------------------- drawing


func _draw() -> void:
	for child in _look.get_children():
		child.queue_free()
	_slab(Vector3(0, -0.1, 0), Vector3(2 * half, 0.2, 2 * half), Color("ecd8b0"))
	for run in _runs(walls):
		_slab(_centre(run), Vector3(CELL * run.z, WALL_HEIGHT, CELL), Color("a6d9c8"))
		_slab(_centre(run) + Vector3.UP * 0.5 * WALL_HEIGHT, Vector3(CELL * run.z + 0.1, 0.25, CELL + 0.1), Color("fff6e6"))
	for run in _runs(pits):
		_slab(Vector3(_centre(run).x, 0.01, _centre(run).z), Vector3(CELL * run.z, 0.02, CELL), Color("14203a"))


func _slab(at: Vector3, size: Vector3, colour: Color) -> void:
	var made := MeshInstance3D.new()
	var box := BoxMesh.new()
	box.size = size
	var paint := StandardMaterial3D.new()
	paint.albedo_color = colour
	paint.roughness = 0.8
	box.material = paint
	made.mesh = box
	made.position = at
	_look.add_child(made)
