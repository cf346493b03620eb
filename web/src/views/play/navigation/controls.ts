// Maps keys, sticks and pads to an action of navigation. Commands are relative to the head, as the camera behind it shows.
import type { Axes, Bindings } from "../hands";
import type { Touch } from "../TouchPad";

const CALM = 0.7; // of a full command: comfortable for the wearer, see docs/games/navigation.md

export const bindings: Bindings = {
  keys: {
    KeyW: { forward: 1 },
    ArrowUp: { forward: 1 },
    KeyS: { forward: -1 },
    ArrowDown: { forward: -1 },
    KeyA: { right: -1 },
    KeyD: { right: 1 },
    KeyQ: { turn: -1 },
    ArrowLeft: { turn: -1 },
    KeyE: { turn: 1 },
    ArrowRight: { turn: 1 },
    ShiftLeft: { calm: 1 },
    ShiftRight: { calm: 1 },
  },
  buttons: { Pad4: { turn: -1 }, Pad5: { turn: 1 } },
  sticks: [{ x: "right", y: "forward" }, { x: "turn" }],
};

export const touch: Touch = { left: { x: "right", y: "forward" }, right: { x: "turn" } };

export function actionOf({ right = 0, forward = 0, turn = 0, calm = 0 }: Axes): Record<string, number> {
  const share = calm > 0 ? CALM : 1;
  return { move_horizontal: right * share, move_vertical: forward * share, rotate: turn * share };
}
