// From keys, sticks and pads to an action of tag. A direction is meant as the camera shows it; the game wants it
// in the frame of the eyes, so it is turned there.
import { lookOf } from "../../../parts/tag/state";

export type Wish = { right: number; forward: number; jump: boolean }; // right and forward in [-1, 1], as the camera sees it

export const REST: Wish = { right: 0, forward: 0, jump: false };

const KEYS: Readonly<Record<string, Partial<Wish>>> = {
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
const BUTTONS: Readonly<Record<string, Partial<Wish>>> = {
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

export function wishOfKeys(held: ReadonlySet<string>): Wish {
  const wish = { ...REST };
  for (const code of held) {
    const { right = 0, forward = 0, jump = false } = CODES[code] ?? {};
    wish.right += right;
    wish.forward += forward;
    wish.jump ||= jump;
  }
  return limited(wish);
}

const DEAD_ZONE = 0.18; // sticks do not rest at exactly nought

/** The left stick of a gamepad. */
export function stickOf({ axes: [x = 0, y = 0] }: Pick<Gamepad, "axes">): Wish {
  return Math.hypot(x, y) < DEAD_ZONE ? REST : limited({ right: x, forward: -y, jump: false });
}

/** The buttons of a gamepad that are down and steer. */
export function buttonCodes({ buttons }: Pick<Gamepad, "buttons">): string[] {
  return PAD_BUTTONS.filter((button) => buttons[button]?.pressed).map((button) => `Pad${button}`);
}

/** Several hands on the controls: directions add up, anybody may jump. */
export function together(wishes: readonly Wish[]): Wish {
  return limited(
    wishes.reduce((sum, wish) => ({ right: sum.right + wish.right, forward: sum.forward + wish.forward, jump: sum.jump || wish.jump }), REST),
  );
}

/** Never faster askew than straight. */
function limited({ right, forward, jump }: Wish): Wish {
  const length = Math.max(1, Math.hypot(right, forward));
  return { right: right / length, forward: forward / length, jump };
}

/**
 * Through the eyes left and right steer, because the eyes turn to where one goes: backward would spin on the spot,
 * so it brakes, and sideways goes on a little.
 */
export function firstPerson({ right, forward, jump }: Wish): Wish {
  return limited({ right, forward: forward < 0 ? 0 : right !== 0 ? Math.max(0.45, forward) : forward, jump });
}

/** move_x, move_z and jump by name, for a camera that looks along `yaw` and eyes that look along `facing`. */
export function actionOf(wish: Wish, yaw: number, facing: number): Record<string, number> {
  const [ahead, aside] = [lookOf(yaw), lookOf(yaw - Math.PI / 2)];
  const wanted = [ahead[0] * wish.forward + aside[0] * wish.right, ahead[1] * wish.forward + aside[1] * wish.right] as const;
  const [eyes, right] = [lookOf(facing), lookOf(facing - Math.PI / 2)];
  return {
    move_x: wanted[0] * right[0] + wanted[1] * right[1],
    move_z: -(wanted[0] * eyes[0] + wanted[1] * eyes[1]),
    jump: wish.jump ? 1 : 0,
  };
}
