// Maps keys, sticks and pads to an action of landing. Directions are relative to the camera.
import type { Axes, Bindings } from "../hands";
import type { Touch } from "../TouchPad";

const HALF = 0.5; // of full thrust: about what hovering takes
const TOUCH_THRUST = "TouchThrust";

export const bindings: Bindings = {
  keys: {
    Space: { main: 1 },
    ShiftLeft: { main: HALF },
    ShiftRight: { main: HALF },
    KeyW: { forward: 1 },
    KeyS: { forward: -1 },
    KeyA: { right: -1 },
    KeyD: { right: 1 },
    ArrowUp: { leanForward: 1 },
    ArrowDown: { leanForward: -1 },
    ArrowLeft: { leanRight: -1 },
    ArrowRight: { leanRight: 1 },
  },
  buttons: { Pad0: { main: 1 }, [TOUCH_THRUST]: { main: 1 } },
  triggers: { 7: "main" },
  sticks: [
    { x: "right", y: "forward" },
    { x: "leanRight", y: "leanForward" },
  ],
};

export const touch: Touch = { left: { x: "right", y: "forward" }, right: { code: TOUCH_THRUST, label: "Thrust" } };

/** A direction on the picture as one in the world: [x, z]. yaw 0 looks to -z, more is to the left. */
function turned(right: number, forward: number, yaw: number): readonly [number, number] {
  const [sin, cos] = [Math.sin(yaw), Math.cos(yaw)];
  return [right * cos - forward * sin, -right * sin - forward * cos];
}

/** The craft keeps its heading, so its axes are those of the world, but for its tilt. */
export function actionOf({ main = 0, right = 0, forward = 0, leanRight = 0, leanForward = 0 }: Axes, yaw: number): Record<string, number> {
  const [x, z] = turned(right, forward, yaw);
  const [leanX, leanZ] = turned(leanRight, leanForward, yaw);
  // A positive torque about X moves the nose toward +Z, one about Z toward -X.
  return { thrust_x: x, thrust_y: main, thrust_z: z, rcs_pitch: leanZ, rcs_roll: -leanX };
}
