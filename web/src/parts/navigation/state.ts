// A moment of a walk, read by name from the engine's picture of it, and moments in between.
import { number, numbers, type Frame, type Named } from "../player/source";
import { along, mix, mixAll, shortTurn, type Vector } from "../three/motion";
import type { Reader } from "../three/useMoment";

/** How an episode ends, as the spec numbers it. */
export const enum Ending {
  None = 0,
  Goal = 1,
  Fell = 2,
  Collisions = 3,
  Timeout = 4,
}

export const enum Cell {
  Floor = 0,
  Wall = 1,
  Pit = 2,
  Outside = 3,
}

export type Grid = { cells: number; size: number; walls: readonly number[]; pits: readonly number[] }; // cells a side, metres a side of one; bits

export type NavigationState = {
  tick: number;
  timeLeft: number; // seconds
  ending: Ending;
  place: Vector; // where the body stands
  velocity: Vector; // m/s, on the floor
  yaw: number; // radians; 0 looks to -z, positive turns left
  roll: number; // radians
  headHeight: number; // metres above the floor
  left: Vector; // hands
  right: Vector;
  goal: readonly [x: number, z: number];
  goalRadius: number;
  playerRadius: number;
  vignette: number; // 0 … 1
  comfort: number; // mean score so far, 0 … 1
  collisions: number;
  rays: readonly number[]; // metres of free floor, ray i at 2πi/n from +X towards +Z
  grid: Grid;
};

export function readState(render: Named): NavigationState {
  const [yaw = 0, roll = 0, headHeight = 0] = numbers(render, "head");
  const [vx = 0, vz = 0] = numbers(render, "velocity");
  const [goalX = 0, goalZ = 0] = numbers(render, "goal");
  const [cells = 0, size = 1] = numbers(render, "grid");
  return {
    tick: number(render, "tick"),
    timeLeft: number(render, "time_left"),
    ending: number(render, "ending"),
    place: triple(numbers(render, "position")),
    velocity: [vx, 0, vz],
    yaw,
    roll,
    headHeight,
    left: triple(numbers(render, "left_hand")),
    right: triple(numbers(render, "right_hand")),
    goal: [goalX, goalZ],
    goalRadius: number(render, "goal_radius"),
    playerRadius: number(render, "player_radius"),
    vignette: number(render, "vignette"),
    comfort: number(render, "comfort_score"),
    collisions: number(render, "collisions"),
    rays: numbers(render, "rays"),
    grid: { cells, size, walls: numbers(render, "walls"), pits: numbers(render, "holes") },
  };
}

function triple([x = 0, y = 0, z = 0]: readonly number[]): Vector {
  return [x, y, z];
}

const BITS = 12; // cells a number, the first the lowest bit
const NUMBERS = 3; // a row of the grid, however narrow it is

export function cellAt({ cells, walls, pits }: Grid, column: number, row: number): Cell {
  if (column < 0 || row < 0 || column >= cells || row >= cells) return Cell.Outside;
  if (bitOf(walls, column, row)) return Cell.Wall;
  return bitOf(pits, column, row) ? Cell.Pit : Cell.Floor;
}

function bitOf(packed: readonly number[], column: number, row: number): boolean {
  const bits = packed[row * NUMBERS + Math.floor(column / BITS)] ?? 0;
  return (bits & (1 << (column % BITS))) !== 0;
}

/** Metres to the goal on the floor. */
export function distanceOf({ place: [x, , z], goal: [gx, gz] }: NavigationState): number {
  return Math.hypot(gx - x, gz - z);
}

/** The direction of a heading on the floor: [x, z]. */
export function aheadOf(yaw: number): readonly [number, number] {
  return [-Math.sin(yaw), -Math.cos(yaw)];
}

export function between(from: NavigationState, to: NavigationState, share: number, seconds: number): NavigationState {
  if (share <= 0) return from;
  if (share >= 1) return to;
  return {
    ...from,
    tick: mix(from.tick, to.tick, share),
    timeLeft: mix(from.timeLeft, to.timeLeft, share),
    place: along(from, to, share, seconds),
    velocity: mixAll(from.velocity, to.velocity, share),
    yaw: from.yaw + shortTurn(to.yaw - from.yaw) * share,
    roll: mix(from.roll, to.roll, share),
    left: mixAll(from.left, to.left, share),
    right: mixAll(from.right, to.right, share),
    vignette: mix(from.vignette, to.vignette, share),
    rays: mixAll(from.rays, to.rays, share),
  };
}

const TRAIL_STEPS = 150; // fifteen seconds

export const reader: Reader<NavigationState> = { read: (frame: Frame) => readState(frame.render), between, pastSteps: TRAIL_STEPS };
