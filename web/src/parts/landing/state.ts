// A moment of a descent, read by name from the engine's picture of it, and moments in between.
import { number, numbers, type Frame, type Named } from "../player/source";
import { along, mix, mixAll, type Vector } from "../three/motion";
import type { Reader } from "../three/useMoment";

/** Height of the terrain: docs/games/landing.md has the formula. */
export type Terrain = {
  height: number; // metres from the lowest valley to the highest hill
  wavelength: number; // metres
  phaseX: number; // turns
  phaseZ: number;
  flat: number; // metres round the pad that are level
  rise: number; // metres from there to the full hills
};

/** How an episode ends, as the spec numbers it. */
export const enum Ending {
  None = 0,
  Soft = 1,
  Hard = 2,
  Crash = 3,
  OutOfBounds = 4,
  Timeout = 5,
}

export type LandingState = {
  tick: number;
  timeLeft: number; // seconds
  ending: Ending;
  place: Vector; // of the centre of mass; the pad is the origin
  velocity: Vector; // m/s
  pitch: number; // radians about X, after
  roll: number; // radians about Z
  thrust: Vector; // share of the full thrust, in the craft's frame
  rcs: readonly [pitch: number, roll: number]; // share of the full torque
  fuel: number; // share of what it began with
  legLength: number; // metres from the centre of mass down to the plane of the feet
  legSpread: number; // metres from the middle to a foot, in X and in Z
  padRadius: number;
  terrain: Terrain;
};

export function readState(render: Named): LandingState {
  const [pitch = 0, roll = 0] = numbers(render, "attitude");
  const [legLength = 0, legSpread = 0] = numbers(render, "legs");
  const [height = 0, wavelength = 1, phaseX = 0, phaseZ = 0, flat = 0, rise = 1] = numbers(render, "terrain");
  const fuel = number(render, "fuel_left");
  return {
    tick: number(render, "tick"),
    timeLeft: number(render, "time_left"),
    ending: number(render, "ending"),
    place: triple(numbers(render, "position")),
    velocity: triple(numbers(render, "velocity")),
    pitch,
    roll,
    thrust: fuel > 0 ? triple(numbers(render, "thrust")) : [0, 0, 0], // it is what was asked for, with and without fuel
    rcs: [numbers(render, "rcs")[0] ?? 0, numbers(render, "rcs")[1] ?? 0],
    fuel,
    legLength,
    legSpread,
    padRadius: number(render, "pad_radius"),
    terrain: { height, wavelength, phaseX, phaseZ, flat, rise },
  };
}

function triple([x = 0, y = 0, z = 0]: readonly number[]): Vector {
  return [x, y, z];
}

/** Metres above the pad's level, by the formula of the rules; the engine computes it in 32 bits. */
export function heightAt({ height, wavelength, phaseX, phaseZ, flat, rise }: Terrain, x: number, z: number): number {
  const away = Math.min(Math.max((Math.hypot(x, z) - flat) / rise, 0), 1);
  const share = away * away * (3 - 2 * away);
  return 0.5 * height * share * (sinTurns(x / wavelength + phaseX) + sinTurns(z / wavelength + phaseZ));
}

function sinTurns(turns: number): number {
  return Math.sin(turns * 2 * Math.PI);
}

/** Degrees from upright. */
export function tiltOf({ pitch, roll }: LandingState): number {
  return (Math.acos(Math.min(1, Math.max(-1, Math.cos(pitch) * Math.cos(roll)))) * 180) / Math.PI;
}

export function between(from: LandingState, to: LandingState, share: number, seconds: number): LandingState {
  if (share <= 0) return from;
  if (share >= 1) return to;
  return {
    ...from,
    tick: mix(from.tick, to.tick, share),
    timeLeft: mix(from.timeLeft, to.timeLeft, share),
    place: along(from, to, share, seconds),
    velocity: mixAll(from.velocity, to.velocity, share),
    pitch: mix(from.pitch, to.pitch, share),
    roll: mix(from.roll, to.roll, share),
    thrust: to.thrust, // of the step that runs
    rcs: to.rcs,
    fuel: mix(from.fuel, to.fuel, share),
  };
}

const TRAIL_STEPS = 80; // eight seconds

export const reader: Reader<LandingState> = { read: (frame: Frame) => readState(frame.render), between, pastSteps: TRAIL_STEPS };

/** What the descent is measured against; settings of the game. */
export type Rules = { gravity: number; maxThrust: number; startMass: number; descent: number };

const LAST_SPEED = 1; // m/s

/** The fall that shaping wants at this height, in m/s: a share of what full thrust can brake. docs/games/landing.md, Score. */
export function wantedFall({ place, legLength }: LandingState, { gravity, maxThrust, startMass, descent }: Rules): number {
  const glide = descent * (maxThrust / startMass - gravity);
  return Math.max(Math.sqrt(2 * glide * Math.max(place[1] - legLength, 0)), LAST_SPEED);
}
