import { describe, expect, it } from "vitest";
import { reader } from "../../../../../src/parts/landing/state";
import { Hands } from "../../../../../src/views/play/hands";
import { Live } from "../../../../../src/views/play/live";
import { actionOf, bindings } from "../../../../../src/views/play/landing/controls";
import { PlaySession } from "../../../../../src/engine/session";
import { openEngine } from "../../../parts/engine";

function asked(codes: readonly string[], yaw = 0): Record<string, number> {
  const hands = new Hands(bindings);
  for (const code of codes) hands.press(code);
  return actionOf(hands.axes(), yaw);
}

/** Where the craft is going after a second of these keys, from level flight without drift. */
async function afterASecond(codes: readonly string[], yaw = 0) {
  await openEngine();
  const session = await PlaySession.start({ game: "landing", human: "pilot", seed: 3, config: { start_speed: 0, start_fall: 0 } });
  const action = asked(codes, yaw);
  session.hold(session.spec.actions.map(({ name }) => action[name] ?? 0));
  for (let step = 0; step < 10; step++) await session.play();
  const state = new Live(session, reader).now;
  session.close();
  return state;
}

describe("keys in flight", () => {
  it("Space thrusts against the fall, Shift at half", async () => {
    const [falling, full, half] = [await afterASecond([]), await afterASecond(["Space"]), await afterASecond(["ShiftLeft"])];
    expect(falling.velocity[1]).toBeCloseTo(-9.8, 2);
    expect(full.velocity[1]).toBeGreaterThan(4);
    expect(half.velocity[1]).toBeGreaterThan(falling.velocity[1] + 6);
    expect(half.velocity[1]).toBeLessThan(0);
  });

  it.each([
    ["KeyW", 0, [0, -1]],
    ["KeyD", 0, [1, 0]],
    ["KeyW", Math.PI / 2, [-1, 0]],
    ["KeyA", Math.PI / 2, [0, 1]],
  ] as const)("%s pushes away from a camera that looks along %f", async (code, yaw, [x, z]) => {
    const { velocity } = await afterASecond([code], yaw);
    const speed = Math.hypot(velocity[0], velocity[2]);
    expect(speed).toBeGreaterThan(10);
    expect(velocity[0] / speed).toBeCloseTo(x, 6);
    expect(velocity[2] / speed).toBeCloseTo(z, 6);
  });

  it.each([
    ["ArrowUp", 0, [0, -1]],
    ["ArrowRight", 0, [1, 0]],
    ["ArrowLeft", Math.PI / 2, [0, 1]],
  ] as const)("%s leans that way, so that the main engine pushes there", async (code, yaw, [x, z]) => {
    const { velocity } = await afterASecond([code, "Space"], yaw);
    const speed = Math.hypot(velocity[0], velocity[2]);
    expect(speed).toBeGreaterThan(0.3);
    expect(velocity[0] / speed).toBeCloseTo(x, 3);
    expect(velocity[2] / speed).toBeCloseTo(z, 3);
  });

  it("a trigger pressed halfway is half as much", () => {
    const hands = new Hands(bindings);
    const buttons = Array.from({ length: 8 }, (_, i) => ({ pressed: false, touched: false, value: i === 7 ? 0.5 : 0 }));
    hands.readGamepads([{ axes: [0, 0, 0, 0], buttons }]);
    expect(actionOf(hands.axes(), 0).thrust_y).toBe(0.5);
  });
});
