"""The start of a match: all its random draws, in the order of the rules page."""

from ..math32 import HALF, cos_turns, f32, magnitude, sin_turns
from ..rng import Pcg32
from .move import unit
from .rules import HIDER, SEEKER, Rules
from .world import Agent, Box, World, measure_distances

SPAWN_TRIES = 64
BOX_TRIES = 12
BOX_NARROW, BOX_WIDE = f32(0.8), f32(3.0)
LOW_MIN, LOW_MAX = f32(0.6), f32(1.2)
TALL_MIN, TALL_MAX = f32(2.0), f32(3.0)

Place = tuple[f32, f32]


def start(rules: Rules, seed: int) -> World:
    """The world of a seed at tick 0; draws places, then facings, then boxes."""
    rng = Pcg32(seed)
    world = World(agents=[], boxes=[])
    places = _scatter(rules, rng)
    if places is None:
        world.note("spawned on the lattice")
        places = _lattice(rules, rng)
    facings = [_facing(rng) for _ in places]
    for index, ((x, z), (fx, fz)) in enumerate(zip(places, facings, strict=True)):
        coyote = rules.coyote_ticks + 1
        world.agents.append(Agent(index, _first_role(rules, index), x, z, fx, fz, coyote))
    for _ in range(rules.obstacles):
        box = _place_box(rules, rng, world)
        if box:
            world.boxes.append(box)
    measure_distances(world)
    return world


def _first_role(rules: Rules, index: int) -> int:
    if rules.first_is_seeker:
        return SEEKER if index < rules.seekers else HIDER
    return SEEKER if index >= rules.hiders else HIDER


def _scatter(rules: Rules, rng: Pcg32) -> list[Place] | None:
    """Random places at least `spawn_separation` apart, or None when an agent's 64 tries fail."""
    places: list[Place] = []
    for _ in range(rules.agents):
        for _ in range(SPAWN_TRIES):
            x = rng.uniform(-rules.spawn_half, rules.spawn_half)
            z = rng.uniform(-rules.spawn_half, rules.spawn_half)
            if all(_far_enough(rules, x - ox, z - oz) for ox, oz in places):
                places.append((x, z))
                break
        else:
            return None
    return places


def _far_enough(rules: Rules, dx: f32, dz: f32) -> bool:
    return dx * dx + dz * dz >= rules.spawn_separation * rules.spawn_separation


def _lattice(rules: Rules, rng: Pcg32) -> list[Place]:
    """Fallback places: one random cell of a square lattice per agent, by a partial Fisher-Yates shuffle."""
    cells = list(range(rules.cells * rules.cells))
    places = []
    for i in range(rules.agents):
        j = rng.integer(i, len(cells) - 1)
        cells[i], cells[j] = cells[j], cells[i]
        row, column = divmod(cells[i], rules.cells)
        x = -rules.spawn_half + f32(column) * rules.spacing
        z = -rules.spawn_half + f32(row) * rules.spacing
        places.append((x, z))
    return places


def _facing(rng: Pcg32) -> Place:
    u = rng.unit()
    return unit(sin_turns(u), -cos_turns(u))


def _place_box(rules: Rules, rng: Pcg32, world: World) -> Box | None:
    """Draw a box and up to 12 places for it; None if it fits nowhere."""
    wide_x = rng.uniform(BOX_NARROW, BOX_WIDE)
    wide_z = rng.uniform(BOX_NARROW, BOX_WIDE)
    low = rng.unit() < rules.low_share
    top = rng.uniform(LOW_MIN, LOW_MAX) if low else rng.uniform(TALL_MIN, TALL_MAX)
    hx, hz = HALF * wide_x, HALF * wide_z
    room_x = rules.arena_half - (hx + rules.gap)
    room_z = rules.arena_half - (hz + rules.gap)
    if room_x < 0 or room_z < 0:
        world.note("a box larger than the arena")
        return None
    for _ in range(BOX_TRIES):
        cx = rng.uniform(-room_x, room_x)
        cz = rng.uniform(-room_z, room_z)
        if _has_room(rules, world, cx, cz, hx, hz):
            world.note("a low box" if low else "a tall box")
            return make_box(rules, cx, cz, hx, hz, top)
    world.note("a box that found no room")
    return None


def _has_room(rules: Rules, world: World, cx: f32, cz: f32, hx: f32, hz: f32) -> bool:
    """Whether a body could pass between this box and the earlier ones, and no agent stands in it."""
    for box in world.boxes:
        near_x = magnitude(cx - box.cx) < (hx + box.hx) + rules.gap
        if near_x and magnitude(cz - box.cz) < (hz + box.hz) + rules.gap:
            return False
    for agent in world.agents:
        if magnitude(cx - agent.x) < hx + rules.edge and magnitude(cz - agent.z) < hz + rules.edge:
            return False
    return True


def make_box(rules: Rules, cx: f32, cz: f32, hx: f32, hz: f32, top: f32) -> Box:
    """A box from its centre, half widths and height in metres, with its bounds grown for sweeping."""
    min_x, max_x, min_z, max_z = cx - hx, cx + hx, cz - hz, cz + hz
    return Box(
        cx, cz, hx, hz, top,
        min_x, max_x, min_z, max_z,
        lo_x=min_x - rules.grow, hi_x=max_x + rules.grow,
        lo_z=min_z - rules.grow, hi_z=max_z + rules.grow,
    )  # fmt: skip
