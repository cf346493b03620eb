// From keys, sticks and pads to an action of tag. A direction is meant as the camera shows it; the game wants it
// in the frame of the eyes, so it is turned there.
import { lookOf } from "../../../parts/tag/state";

export type Steering = { right: number; forward: number; jump: boolean }; // right and forward in [-1, 1], as the camera sees it

export const REST: Steering = { right: 0, forward: 0, jump: false };

const KEYS: Readonly<Record<string, Partial<Steering>>> = {
  KeyW: { forward: 1 },
  ArrowUp: { forward: 1 },
  KeyS: { forward: -1 },
  ArrowDown: { forward: -1 },
  KeyA: { right: -1 },
  ArrowLeft: { right: -1 },
  KeyD: { right: 1 },
  ArrowRight: { right: 1 },
  Space: { jump: true },
};
// Buttons of the standard gamepad by number, and the one on the screen.
const PAD_BUTTONS = [0, 12, 13, 14, 15];
export const TOUCH_JUMP = "TouchJump";
const BUTTONS: Readonly<Record<string, Partial<Steering>>> = {
  Pad0: { jump: true },
  Pad12: { forward: 1 },
  Pad13: { forward: -1 },
  Pad14: { right: -1 },
  Pad15: { right: 1 },
  [TOUCH_JUMP]: { jump: true },
};
const CODES = { ...KEYS, ...BUTTONS };

/** Whether a key of the keyboard steers; by its place, so that W A S D lie together on every layout. */
export function steers(code: string): boolean {
  return Object.hasOwn(KEYS, code);
}

export function jumps(code: string): boolean {
  return CODES[code]?.jump ?? false;
}

export function steeringOfKeys(held: ReadonlySet<string>): Steering {
  const steering = { ...REST };
  for (const code of held) {
    const { right = 0, forward = 0, jump = false } = CODES[code] ?? {};
    steering.right += right;
    steering.forward += forward;
    steering.jump ||= jump;
  }
  return limited(steering);
}

const DEAD_ZONE = 0.18; // sticks do not rest at exactly nought

/** The left stick of a gamepad. */
export function stickOf({ axes: [x = 0, y = 0] }: Pick<Gamepad, "axes">): Steering {
  return Math.hypot(x, y) < DEAD_ZONE ? REST : limited({ right: x, forward: -y, jump: false });
}

/** The buttons of a gamepad that are down and steer. */
export function buttonCodes({ buttons }: Pick<Gamepad, "buttons">): string[] {
  return PAD_BUTTONS.filter((button) => buttons[button]?.pressed).map((button) => `Pad${button}`);
}

/** Several hands on the controls: directions add up, anybody may jump. */
export function together(inputs: readonly Steering[]): Steering {
  return limited(
    inputs.reduce((sum, steering) => ({ right: sum.right + steering.right, forward: sum.forward + steering.forward, jump: sum.jump || steering.jump }), REST),
  );
}

/** Never faster askew than straight. */
function limited({ right, forward, jump }: Steering): Steering {
  const length = Math.max(1, Math.hypot(right, forward));
  return { right: right / length, forward: forward / length, jump };
}

/**
 * Through the eyes left and right steer, because the eyes turn to where one goes: backward would spin on the spot,
 * so it brakes, and sideways goes on a little.
 */
export function firstPerson({ right, forward, jump }: Steering): Steering {
  return limited({ right, forward: forward < 0 ? 0 : right !== 0 ? Math.max(0.45, forward) : forward, jump });
}

/** move_x, move_z and jump by name, for a camera that looks along `yaw` and eyes that look along `facing`. */
export function actionOf(steering: Steering, yaw: number, facing: number): Record<string, number> {
  const [ahead, aside] = [lookOf(yaw), lookOf(yaw - Math.PI / 2)];
  const wanted = [ahead[0] * steering.forward + aside[0] * steering.right, ahead[1] * steering.forward + aside[1] * steering.right] as const;
  const [eyes, right] = [lookOf(facing), lookOf(facing - Math.PI / 2)];
  return {
    move_x: wanted[0] * right[0] + wanted[1] * right[1],
    move_z: -(wanted[0] * eyes[0] + wanted[1] * eyes[1]),
    jump: steering.jump ? 1 : 0,
  };
}
