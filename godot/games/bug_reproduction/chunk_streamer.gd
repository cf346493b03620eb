class_name ChunkStreamer
extends RefCounted
## Asks workers for the chunks that are in view, and shows what they deliver; chunks in the middle of the view are finer.
##
## How long a worker takes is drawn from the seed instead of from threads, so that whatever happens happens again with the
## same seed and the same movements. Without [member planted] a request that is no longer wanted is cancelled. With it
## that is forgotten, as it is in real terrains: then a slow old delivery can replace a newer one.

const CHUNK := 16.0  ## metres
const REACH := 4  ## chunks in each direction
const FINE := 25.0  ## degrees off the middle of the view; finer voxels
const COARSE := 45.0  ## degrees; wider voxels
const SLACK := 15.0  ## degrees by which an edge is farther out for who is inside
const DELAYS := Vector2i(9, 18)  ## ticks that a worker takes
const QUEUE := 32  ## requests in flight that the queue is made for
const SCAN := 3  ## ticks from one look at what is wanted to the next
const FAR := -1  ## level of what is not shown

var planted := true
var ticks := 0
var shown := {}  ## Vector2i: {level, request}
var in_flight: Array[Dictionary] = []  ## {cell, level, request, due}, in the order of requests
var problems := PackedStringArray()  ## what a log would say, since somebody emptied this
var requests := 0
var faulty := {}  ## cells that show something old

var _wanted := {}  # Vector2i: {level, request}
var _delays: SandlotRandom
var _overflows := 0


func _init(seed_value: int, with_fault: bool) -> void:
	_delays = SandlotRandom.new(seed_value)
	planted = with_fault


## A tick: somebody stands here and looks there (radians, 0 looks along -Z).
func look(place: Vector3, heading: float) -> void:
	ticks += 1
	if ticks % SCAN == 0:
		_scan(place, heading)
	_deliver()
	_count_overflow()


func _scan(place: Vector3, heading: float) -> void:
	var centre := Vector2i(floori(place.x / CHUNK), floori(place.z / CHUNK))
	var forward := Vector2(-sin(heading), -cos(heading))
	for z in range(-REACH, REACH + 1):
		for x in range(-REACH, REACH + 1):
			var cell := centre + Vector2i(x, z)
			_update(cell, Vector2(cell) + Vector2(0.5, 0.5) - Vector2(place.x, place.z) / CHUNK, forward)
	for cell: Vector2i in _wanted.keys():
		if maxi(absi(cell.x - centre.x), absi(cell.y - centre.y)) > REACH:
			_drop(cell)


func _update(cell: Vector2i, off: Vector2, forward: Vector2) -> void:
	var level := _level(cell, off, forward)
	var was: int = _wanted[cell].level if _wanted.has(cell) else FAR
	if level == was:
		return
	if level == FAR:
		_drop(cell)
	else:
		_request(cell, level)


func _level(cell: Vector2i, off: Vector2, forward: Vector2) -> int:
	if off.length() < 1.5:
		return 0
	var was: int = _wanted[cell].level if _wanted.has(cell) else FAR
	var angle := rad_to_deg(absf(off.angle_to(forward)))
	if angle <= FINE + (SLACK if was == 0 else 0.0):
		return 0
	return 1 if angle <= COARSE + (SLACK if was != FAR else 0.0) else FAR


func _request(cell: Vector2i, level: int) -> void:
	if not planted:
		_cancel(cell)
	requests += 1
	_wanted[cell] = {"level": level, "request": requests}
	var due := ticks + _delays.integer_in(DELAYS.x, DELAYS.y)
	in_flight.append({"cell": cell, "level": level, "request": requests, "due": due})


func _drop(cell: Vector2i) -> void:
	if not planted:
		_cancel(cell)
	_wanted.erase(cell)
	shown.erase(cell)
	faulty.erase(cell)


func _cancel(cell: Vector2i) -> void:
	in_flight = in_flight.filter(func(job: Dictionary) -> bool: return job.cell != cell)


func _deliver() -> void:
	var left: Array[Dictionary] = []
	for job in in_flight:
		if job.due > ticks:
			left.append(job)
		elif _wanted.has(job.cell):
			_show(job)
	in_flight = left


func _show(job: Dictionary) -> void:
	var before: Dictionary = shown.get(job.cell, {"level": job.level, "request": 0})
	shown[job.cell] = {"level": job.level, "request": job.request}
	faulty.erase(job.cell)
	if before.request > job.request and before.level != job.level:
		faulty[job.cell] = true
		problems.append("VoxelTerrain: chunk (%d, %d) shows level %d of request %d over level %d of request %d" % [
			job.cell.x, job.cell.y, job.level, job.request, before.level, before.request
		])


func _count_overflow() -> void:
	if planted and in_flight.size() > QUEUE:
		_overflows += 1
		if _overflows == 1:
			problems.append("VoxelTerrain: generation queue overflow, %d requests in flight of %d" % [in_flight.size(), QUEUE])
	else:
		_overflows = 0


## Everything, for a report.
func state() -> Dictionary:
	var chunks: Array[Array] = []
	for cell: Vector2i in shown:
		chunks.append([cell.x, cell.y, shown[cell].level, shown[cell].request])
	return {
		"ticks": ticks, "requests": requests, "planted": planted, "chunks": chunks,
		"in_flight": in_flight.map(func(job: Dictionary) -> Array: return [job.cell.x, job.cell.y, job.level, job.request, job.due]),
	}
