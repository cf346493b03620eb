"""A small Godot project with scenes made for tests: good ones, and one for each thing that can go wrong."""

from pathlib import Path

from sandlot.bridge.godot_addon import copy_addon

PROJECT = """config_version=5
[application]
config/name="Scenes of tests"
[physics]
common/physics_ticks_per_second=60
"""
SCENE = """[gd_scene format=3]

[ext_resource type="Script" path="res://addons/sandlot/trainer.gd" id="1"]
{resources}

[node name="Arena" type="{kind}"]
{root}

{nodes}
[node name="Trainer" type="Node" parent="."]
script = ExtResource("1")
{trainer}
"""
WALKER = """extends SandlotAgent
## Walks along a line; ends by itself after `ends_at` steps.

@export_range(0, 50) var ends_at := 0
@export var speed := 0.5
@export_enum("slow", "fast") var pace := "slow"
@export var bonus := false
var place := 0.0
var walked := 0

func _init() -> void:
	actions = {"walk": "axis", "jump": "button", "mood": ["calm", "angry", "glad"]}
	reward_terms = ["step", "jump"]
	reports = {"success": "flag", "distance": "lower"}
	settings = ["ends_at", "speed", "pace", "bonus"]

func begin_episode(random: SandlotRandom) -> void:
	place = random.uniform_in(-1.0, 1.0)
	walked = 0

func observe_fields() -> Dictionary:
	return {"place": place, "speed": Vector2(speed, walked), "modes": [pace == "fast", bonus]}

func act(action: Dictionary) -> void:
	place += speed * action.walk
	walked += 1
	reward("step", 1.0)
	if action.jump:
		reward("jump", 10.0 + action.mood)
	report("distance", absf(place))
	report("success", action.jump)
	if walked == ends_at:
		end_episode()
"""
HUNTER = """extends SandlotAgent
func _init() -> void:
	role = &"hunter"
	actions = {"x": "axis", "z": {"kind": "axis", "low": 0.0, "high": 10.0, "unit": "m/s"}}
	reports = {"winner": "winner"}
	reward_terms = ["touch"]
	settings = ["slope"]
func observe() -> PackedFloat32Array:
	return PackedFloat32Array([get_parent().position.x, get_parent().position.z])
func begin_episode(random: SandlotRandom) -> void:
	get_parent().position = Vector3(random.uniform_in(-1, 1), 0, random.uniform_in(-1, 1))
func act(action: Dictionary) -> void:
	get_parent().position += Vector3(action.x, 0, action.z)
	if action.z > 9.0:
		reward("touch", 2.0)
		report("winner", "hunter")
		end_episode()
"""
PREY = """extends SandlotAgent
func _init() -> void:
	role = &"prey"
	actions = {"flee": ["stay", "left", "right"]}
	reward_terms = ["time"]
func observe_fields() -> Dictionary:
	return {"place": get_parent().position, "index": get_parent().get_index()}
func begin_episode(random: SandlotRandom) -> void:
	get_parent().position = Vector3(random.uniform(), 1, 2)
func act(action: Dictionary) -> void:
	get_parent().position.x = action.flee
	reward("time", 0.5)
"""
FIELD = "extends Node3D\n@export var slope := 0.5\n"
BASE = 'extends SandlotAgent\nfunc _init() -> void:\n\tactions = {"go": ["left", "right"]}\n'
SEES = "func observe_fields() -> Dictionary:\n\treturn {}\n"
# What goes wrong, by the name of its scene: the agent's script, and the settings of a second one.
BAD = {
    "no_actions": BASE.replace('{"go": ["left", "right"]}', "{}") + SEES.format("{'a': 1.0}"),
    "sees_nothing": BASE,
    "sees_text": BASE + 'func observe_fields() -> Dictionary:\n\treturn {"who": "me"}\n',
    "grows": BASE
    + "var longer := 1\nfunc observe() -> PackedFloat32Array:\n\tvar out := PackedFloat32Array()\n"
    "\tout.resize(longer)\n\treturn out\nfunc act(_go: Dictionary) -> void:\n\tlonger = 3\n",
    "sees_nan": BASE
    + 'var n := 0.0\nfunc observe_fields() -> Dictionary:\n\treturn {"fine": 1.0, "speed": Vector2(1, n)}\n'
    "func act(_go: Dictionary) -> void:\n\tn = NAN\n",
    "rewards_nan": BASE + 'func observe_fields() -> Dictionary:\n\treturn {"fine": 1.0}\n'
    'func act(_go: Dictionary) -> void:\n\treward("speed", sqrt(-1.0))\n',
    "unknown_term": BASE + 'func observe_fields() -> Dictionary:\n\treturn {"fine": 1.0}\n'
    'func _ready() -> void:\n\treward_terms = ["a"]\n'
    'func act(_go: Dictionary) -> void:\n\treward("b", 1.0)\n',
    "script_error": BASE + 'func observe_fields() -> Dictionary:\n\treturn {"fine": 1.0}\n'
    "func act(_go: Dictionary) -> void:\n\tget_node('nowhere').go()\n",
    "quits": BASE + 'func observe_fields() -> Dictionary:\n\treturn {"fine": 1.0}\n'
    "func act(_go: Dictionary) -> void:\n\tget_tree().quit(0)\n",
    "bad_setting": BASE + 'func observe_fields() -> Dictionary:\n\treturn {"fine": 1.0}\n'
    'func _ready() -> void:\n\tsettings = ["gravity"]\n',
}


def agent(name: str, script: str, parent: str = ".", more: str = "") -> str:
    return f'[node name="{name}" type="Node" parent="{parent}"]\nscript = ExtResource("{script}")\n{more}\n'


def scene(
    scripts: dict[str, str], nodes: str, kind: str = "Node2D", trainer: str = "", root: str = ""
) -> str:
    resources = [
        f'[ext_resource type="Script" path="res://{path}" id="{name}"]' for name, path in scripts.items()
    ]
    return SCENE.format(resources="\n".join(resources), nodes=nodes, kind=kind, trainer=trainer, root=root)


def make_project(folder: Path) -> Path:
    """A project with all scenes of this module and our addon."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "project.godot").write_text(PROJECT)
    copy_addon(folder)
    for name, text in {"walker": WALKER, "hunter": HUNTER, "prey": PREY, "field": FIELD, **BAD}.items():
        (folder / f"{name}.gd").write_text(text)
        if name in BAD:
            (folder / f"{name}.tscn").write_text(scene({"a": f"{name}.gd"}, agent("Agent", "a")))
    walkers = agent("Walker", "a")
    limits = 'max_steps = 12\nticks_per_step = 2\ngame_version = "3"'
    (folder / "walk.tscn").write_text(scene({"a": "walker.gd"}, walkers, trainer=limits))
    bodies = "".join(
        f'[node name="{name}" type="CharacterBody3D" parent="."]\n\n{agent("Agent", script, name)}'
        for name, script in (("Wolf", "h"), ("Hare", "p"), ("Deer", "p"))
    )
    scripts, root = {"h": "hunter.gd", "p": "prey.gd", "f": "field.gd"}, 'script = ExtResource("f")'
    hunt = scene(scripts, bodies, "Node3D", "max_steps = 5", root)
    (folder / "hunt.tscn").write_text(hunt)
    (folder / "empty.tscn").write_text(scene({}, ""))
    two = agent("First", "a") + agent("Second", "b")
    (folder / "unequal.tscn").write_text(scene({"a": "walker.gd", "b": "sees_nan.gd"}, two))
    return folder
