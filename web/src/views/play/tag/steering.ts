// Maps keys, sticks and pads to an action of tag. Directions are relative to the camera and are rotated into the
// agent's own frame.
import { directionOf } from "../../../parts/tag/state";
import type { Axes, Bindings } from "../hands";

export type Steering = { right: number; forward: number; jump: boolean }; // right and forward in [-1, 1], as the camera sees it

export const REST: Steering = { right: 0, forward: 0, jump: false };

const KEYS: Readonly<Record<string, Axes>> = {
  KeyW: { forward: 1 },
  ArrowUp: { forward: 1 },
  KeyS: { forward: -1 },
  ArrowDown: { forward: -1 },
  KeyA: { right: -1 },
  ArrowLeft: { right: -1 },
  KeyD: { right: 1 },
  ArrowRight: { right: 1 },
  Space: { jump: 1 },
};
export const TOUCH_JUMP = "TouchJump";
const JUMP_DECISIONS = 4; // a fifth of a second: a tap shortly before landing still jumps

export const bindings: Bindings = {
  keys: KEYS,
  buttons: { Pad0: { jump: 1 }, Pad12: { forward: 1 }, Pad13: { forward: -1 }, Pad14: { right: -1 }, Pad15: { right: 1 }, [TOUCH_JUMP]: { jump: 1 } },
  sticks: [{ x: "right", y: "forward" }],
  waits: { Space: JUMP_DECISIONS, Pad0: JUMP_DECISIONS, [TOUCH_JUMP]: JUMP_DECISIONS },
};

/** The combined input of all controls; each of them may jump. */
export function steeringOf({ right = 0, forward = 0, jump = 0 }: Axes): Steering {
  return limited({ right, forward, jump: jump > 0 });
}

/** At most length 1, so that diagonals are not faster. */
function limited({ right, forward, jump }: Steering): Steering {
  const length = Math.max(1, Math.hypot(right, forward));
  return { right: right / length, forward: forward / length, jump };
}

/**
 * In first person left and right steer, because the agent faces where it moves. Backward would spin on the spot, so it
 * brakes; sideways keeps some forward speed.
 */
export function firstPerson({ right, forward, jump }: Steering): Steering {
  return limited({ right, forward: forward < 0 ? 0 : right !== 0 ? Math.max(0.45, forward) : forward, jump });
}

/** move_x, move_z and jump by name, for a camera that looks along `yaw` and eyes that look along `facing`. */
export function actionOf(steering: Steering, yaw: number, facing: number): Record<string, number> {
  const [ahead, aside] = [directionOf(yaw), directionOf(yaw - Math.PI / 2)];
  const wanted = [ahead[0] * steering.forward + aside[0] * steering.right, ahead[1] * steering.forward + aside[1] * steering.right] as const;
  const [eyes, right] = [directionOf(facing), directionOf(facing - Math.PI / 2)];
  return {
    move_x: wanted[0] * right[0] + wanted[1] * right[1],
    move_z: -(wanted[0] * eyes[0] + wanted[1] * eyes[1]),
    jump: steering.jump ? 1 : 0,
  };
}
