import { describe, expect, it } from "vitest";
import { actionOf, firstPerson, steers, stickOf, together, steeringOfKeys, REST } from "../../../../../src/views/play/tag/steering";

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

describe("hands on the controls", () => {
  it("are no faster askew than straight", () => {
    const steering = steeringOfKeys(new Set(["KeyW", "KeyD"]));
    expect(Math.hypot(steering.right, steering.forward)).toBeCloseTo(1, 9);
  });

  it("cancel out when they pull both ways", () => {
    expect(steeringOfKeys(new Set(["ArrowLeft", "KeyD"]))).toEqual(REST);
  });

  it("let any of them jump", () => {
    expect(together([ahead, steeringOfKeys(new Set(["Space"]))])).toEqual({ right: 0, forward: 1, jump: true });
  });

  it("do not drift when a stick rests badly", () => {
    expect(stickOf({ axes: [0.1, -0.1] })).toEqual(REST);
  });

  it("leave all other keys to the page", () => {
    expect(steers("Tab") || steers("KeyR") || steers("constructor")).toBe(false);
  });

  it("brake instead of spinning when one goes back through the eyes", () => {
    expect(firstPerson({ right: 0, forward: -1, jump: false })).toEqual(REST);
  });
});
