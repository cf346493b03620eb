class_name SandlotTestCase
extends RefCounted
## What a test has to work with. A failed check is written down and the test goes on.

var root: Window
var failures: PackedStringArray = []
var checks := 0

var _nodes: Array[Node] = []


func check(holds: bool, what: String) -> void:
	checks += 1
	if not holds:
		failures.append(what)


func equal(found: Variant, expected: Variant, what: String) -> void:
	check(found == expected, "%s is %s, expected %s" % [what, found, expected])


func near(found: float, expected: float, tolerance: float, what: String) -> void:
	check(absf(found - expected) <= tolerance, "%s is %s, expected %s within %s" % [what, found, expected, tolerance])


## Into the tree for as long as the test runs.
func add(node: Node) -> Node:
	root.add_child(node)
	_nodes.append(node)
	return node


func frame() -> void:
	await root.get_tree().physics_frame


func clean_up() -> void:
	for node in _nodes:
		if is_instance_valid(node):
			node.free()
	_nodes.clear()
