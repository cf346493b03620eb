import { describe, expect, it } from "vitest";
import { Hands } from "../../../../../src/views/play/hands";
import { actionOf, bindings, firstPerson, steeringOf, REST } from "../../../../../src/views/play/tag/steering";

const ahead = { right: 0, forward: 1, jump: false };

describe("a direction as the camera shows it", () => {
  it("is forward for eyes that look the same way", () => {
    const { move_x: x, move_z: z } = actionOf(ahead, 1.2, 1.2);
    expect(x).toBeCloseTo(0, 9);
    expect(z).toBeCloseTo(-1, 9);
  });

  it("is to the left for eyes that look to the camera's right", () => {
    const { move_x: x, move_z: z } = actionOf(ahead, 0, -Math.PI / 2);
    expect(x).toBeCloseTo(-1, 9);
    expect(z).toBeCloseTo(0, 9);
  });

  it("is the same way in the world wherever the eyes look", () => {
    for (const facing of [0, 0.7, 2.5, -3]) {
      const { move_x: x = 0, move_z: z = 0 } = actionOf({ right: 0.6, forward: 0.8, jump: true }, 0.4, facing);
      expect(Math.hypot(x, z)).toBeCloseTo(1, 9);
      // right of the eyes is (cos, -sin), ahead of them (-sin, -cos)
      const worldX = Math.cos(facing) * x + Math.sin(facing) * z;
      const worldZ = -Math.sin(facing) * x + Math.cos(facing) * z;
      expect(worldX).toBeCloseTo(Math.cos(0.4) * 0.6 - Math.sin(0.4) * 0.8, 9);
      expect(worldZ).toBeCloseTo(-Math.sin(0.4) * 0.6 - Math.cos(0.4) * 0.8, 9);
    }
  });
});

function held(...codes: string[]) {
  const hands = new Hands(bindings);
  for (const code of codes) hands.press(code);
  return hands;
}

describe("hands on the controls", () => {
  it("are no faster askew than straight", () => {
    const steering = steeringOf(held("KeyW", "KeyD").axes());
    expect(Math.hypot(steering.right, steering.forward)).toBeCloseTo(1, 9);
  });

  it("cancel out when they pull both ways", () => {
    expect(steeringOf(held("ArrowLeft", "KeyD").axes())).toEqual(REST);
  });

  it("let any of them jump", () => {
    const hands = held("Space");
    hands.steer({ forward: 1 });
    expect(steeringOf(hands.axes())).toEqual({ right: 0, forward: 1, jump: true });
  });

  it("do not drift when a stick rests badly", () => {
    const hands = held();
    hands.readGamepads([{ axes: [0.1, -0.1], buttons: [] }]);
    expect(steeringOf(hands.axes())).toEqual(REST);
  });

  it("leave all other keys to the page", () => {
    const hands = held();
    expect(["Tab", "KeyR", "constructor"].some((code) => hands.knows(code))).toBe(false);
  });

  it("brake instead of spinning when one goes back through the eyes", () => {
    expect(firstPerson({ right: 0, forward: -1, jump: false })).toEqual(REST);
  });
});
