@tool
class_name SandlotEditorHints
extends RefCounted
## What several nodes of this addon tell a game maker in the editor: warnings beside a node.
##
## In the editor the scripts of a game do not run, so agents are recognised by what their script extends.

const AGENT_SCRIPT := "addons/sandlot/agent.gd"
const SMALL := 50  ## numbers; from here on learning gets slower, and mistakes get hard to see


static func is_agent(node: Node) -> bool:
	var script: Script = node.get_script()
	while script:
		if script.resource_path.ends_with(AGENT_SCRIPT):
			return true
		script = script.get_base_script()
	return false


static func has_agent(node: Node) -> bool:
	return is_agent(node) or node.get_children().any(has_agent)


## Agents at or below a node, in the order of the tree.
static func agents_of(node: Node) -> Array[Node]:
	var made: Array[Node] = []
	if is_agent(node):
		made.append(node)
	for child in node.get_children():
		made.append_array(agents_of(child))
	return made


## Numbers of the sensors that an agent will find: those below it, and below its body if it is the body's only agent.
static func sensed_by(agent: Node) -> int:
	var body := agent.get_parent()
	return _sensed_below(body if body and agents_of(body).size() == 1 else agent)


static func _sensed_below(node: Node) -> int:
	var count := 0
	for child in node.get_children():
		var script: Script = child.get_script()
		var sees := child.has_method("sense") and child.has_method("size")
		count += int(child.call("size")) if sees and script.is_tool() else _sensed_below(child)
	return count


## A warning where an observation is large; "" where it is not.
static func size_warning(who: String, numbers: int) -> String:
	if numbers <= SMALL:
		return ""
	return (
		"%s gives %d numbers. Up to about %d an agent learns quickly: try fewer rays, cells or kinds, or look only "
		+ "every few decisions."
	) % [who, numbers, SMALL]


## What is wrong with a sensor's place and size.
static func of_sensor(sensor: Node, numbers: int) -> PackedStringArray:
	var made := PackedStringArray()
	var large := size_warning("This sensor", numbers)
	if large:
		made.append(large)
	if not _serves_an_agent(sensor):
		made.append("No SandlotAgent finds this sensor. Put it below an agent, or below the body that has one.")
	return made


## What is wrong with a helper that works for one agent, such as a reward.
static func of_helper(helper: Node) -> PackedStringArray:
	if _serves_an_agent(helper):
		return PackedStringArray()
	return PackedStringArray(["There is no SandlotAgent to work for. Put this below an agent, or below the body that has one."])


## Whether an agent finds this node: it is below the agent, below a body with this agent alone, or named by one.
static func _serves_an_agent(node: Node) -> bool:
	var above := node.get_parent()
	var top := above
	while above:
		top = above
		if is_agent(above) or (above.get_children().any(is_agent) and agents_of(above).size() == 1):
			return true
		above = above.get_parent()
	return top != null and agents_of(top).any(
		func(agent: Node) -> bool:
			var listed: Variant = agent.get("sensors")
			return listed is Array and listed.has(node)
	)
