// A moment of tag, read by name from the engine's picture of it, and moments in between.
import { number, numbers, type Frame, type Named } from "../player/source";
import { along, mix, shortTurn, type Vector } from "../three/motion";
import type { Reader } from "../three/useMoment";

export const enum Seen {
  Nothing = 0,
  Wall = 1,
  Agent = 2,
}

export type Agent = {
  place: Vector; // middle of the bottom face
  velocity: Vector; // m/s
  facing: number; // radians about y; 0 looks to -z, positive turns left
  seeker: boolean;
  immune: boolean;
  out: boolean;
  onFloor: boolean;
  rays: readonly { distance: number; seen: Seen }[]; // from the right edge of the view to the left
};

export type Box = { low: Vector; high: Vector };

export type TagState = {
  tick: number;
  timeLeft: number; // seconds
  winner: number; // 0 nobody yet, 1 seekers, 2 hiders
  arenaHalf: number;
  wallHeight: number;
  bodyEdge: number;
  agents: readonly Agent[];
  boxes: readonly Box[];
};

export function readState(render: Named): TagState {
  const seekers = numbers(render, "seeker");
  const boxes = numbers(render, "boxes");
  return {
    tick: number(render, "tick"),
    timeLeft: number(render, "time_left"),
    winner: number(render, "winner"),
    arenaHalf: number(render, "arena_half"),
    wallHeight: number(render, "wall_height"),
    bodyEdge: number(render, "body_edge"),
    agents: seekers.map((_, index) => readAgent(render, index, seekers.length)),
    boxes: Array.from({ length: number(render, "box_count") }, (_, i) => ({
      low: triple(boxes, i * 2),
      high: triple(boxes, i * 2 + 1),
    })),
  };
}

function readAgent(render: Named, index: number, agents: number): Agent {
  const facing = numbers(render, "facing");
  const distances = numbers(render, "ray_distance");
  const types = numbers(render, "ray_type");
  const rays = distances.length / agents;
  return {
    place: triple(numbers(render, "position"), index),
    velocity: triple(numbers(render, "velocity"), index),
    facing: Math.atan2(-(facing[index * 2] ?? 0), -(facing[index * 2 + 1] ?? -1)),
    seeker: flag(render, "seeker", index),
    immune: flag(render, "immunity", index),
    out: flag(render, "out", index),
    onFloor: flag(render, "on_floor", index),
    rays: Array.from({ length: rays }, (_, ray) => ({
      distance: distances[index * rays + ray] ?? 0,
      seen: (types[index * rays + ray] ?? 0) as Seen,
    })),
  };
}

function triple(values: readonly number[], index: number): Vector {
  return [values[index * 3] ?? 0, values[index * 3 + 1] ?? 0, values[index * 3 + 2] ?? 0];
}

function flag(render: Named, name: string, index: number): boolean {
  return (numbers(render, name)[index] ?? 0) > 0;
}

/** The direction that an agent looks in, on the floor: [x, z]. */
export function directionOf(facing: number): readonly [number, number] {
  return [-Math.sin(facing), -Math.cos(facing)];
}

/**
 * A moment between two steps. Places follow the cubic that has both ends' velocities, so that a jump is the
 * parabola it was; the eyes take the short way round; what cannot be half true is taken from the nearer end.
 */
export function between(from: TagState, to: TagState, share: number, seconds: number): TagState {
  if (share <= 0) return from;
  if (share >= 1) return to;
  return {
    ...(share < 0.5 ? from : to),
    timeLeft: mix(from.timeLeft, to.timeLeft, share),
    tick: mix(from.tick, to.tick, share),
    winner: from.winner,
    agents: from.agents.map((agent, index) => agentBetween(agent, to.agents[index] ?? agent, share, seconds)),
  };
}

function agentBetween(from: Agent, to: Agent, share: number, seconds: number): Agent {
  return {
    ...(share < 0.5 ? from : to),
    place: along(from, to, share, seconds),
    velocity: from.velocity.map((v, axis) => mix(v, to.velocity[axis] ?? v, share)) as unknown as Vector,
    facing: from.facing + shortTurn(to.facing - from.facing) * share,
    rays: from.rays.map((ray, i) => rayBetween(ray, to.rays[i] ?? ray, share)),
  };
}

function rayBetween(from: Agent["rays"][number], to: Agent["rays"][number], share: number): Agent["rays"][number] {
  return { distance: mix(from.distance, to.distance, share), seen: share < 0.5 ? from.seen : to.seen };
}

const TRAIL_STEPS = 40; // two seconds

export const reader: Reader<TagState> = { read: (frame: Frame) => readState(frame.render), between, pastSteps: TRAIL_STEPS };
