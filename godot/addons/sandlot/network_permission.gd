class_name SandlotNetworkPermission
extends RefCounted
## Whether this game may talk to a trainer: always in the editor and in debug builds, in a release build only if asked.
##
## A game that is shipped must not connect anywhere or listen on a port because of a forgotten node.

const VARIABLE := "SANDLOT_ALLOW_NETWORK"
const SETTING := "sandlot/network/allow_in_release"


static func is_given() -> bool:
	if OS.is_debug_build():
		return true
	return SandlotArguments.variable(VARIABLE) or bool(ProjectSettings.get_setting(SETTING, false))


## Why a connection is not made; "" where it may be. what: "connect to a trainer", "listen on port 8080".
static func refusal(what: String) -> String:
	if is_given():
		return ""
	return "This is a release build, which does not %s unless it is asked to: set the variable %s=1, or export it with the project setting %s." % [
		what, VARIABLE, SETTING
	]
