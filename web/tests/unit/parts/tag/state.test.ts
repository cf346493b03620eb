import { describe, expect, it } from "vitest";
import { shortTurn } from "../../../../src/parts/three/motion";
import { between, directionOf, readState, type TagState } from "../../../../src/parts/tag/state";

const render = {
  time_left: 8, tick: 120, winner: 0, arena_half: 10, wall_height: 2, body_edge: 1,
  position: [1, 0, 2, -3, 0.5, 4], velocity: [2, 0, 0, 0, 3, 0], facing: [0, -1, 1, 0],
  on_floor: [1, 0], seeker: [1, 0], immunity: [0, 0.4], out: [0, 0],
  box_count: 1, boxes: [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0],
  ray_distance: [1, 2, 3, 4], ray_type: [0, 1, 2, 1],
};

describe("a moment of tag", () => {
  const state = readState(render);

  it("is read by name, agent by agent", () => {
    expect(state.agents.map((agent) => agent.place)).toEqual([[1, 0, 2], [-3, 0.5, 4]]);
    expect(state.agents[1]).toMatchObject({ seeker: false, immune: true, onFloor: false });
    expect(state.agents[1]?.rays).toEqual([{ distance: 3, seen: 2 }, { distance: 4, seen: 1 }]);
    expect(state.boxes).toEqual([{ low: [0, 0, 0], high: [1, 1, 1] }]);
  });

  it("says which way the eyes look", () => {
    expect(directionOf(state.agents[0]!.facing).map((v) => v + 0)).toEqual([0, -1]);
    const [x, z] = directionOf(state.agents[1]!.facing);
    expect([x, z]).toEqual([expect.closeTo(1, 9), expect.closeTo(0, 9)]);
  });

  it("tells which part of the picture is missing", () => {
    expect(() => readState({ ...render, seeker: undefined as never })).toThrow("has no seeker");
  });
});

describe("between two moments", () => {
  const from = readState(render);
  const to: TagState = { ...from, tick: 123, agents: from.agents.map((agent) => ({ ...agent, place: [agent.place[0] + 0.1, agent.place[1], agent.place[2]] })) };

  it("the ends are the ends", () => {
    expect(between(from, to, 0, 0.05)).toBe(from);
    expect(between(from, to, 1, 0.05)).toBe(to);
  });

  it("a body at constant speed is half way at half time", () => {
    expect(between(from, to, 0.5, 0.05).agents[0]?.place[0]).toBeCloseTo(1.05, 9);
  });

  it("a wall is never crossed by the curve", () => {
    const fast = { ...from, agents: from.agents.map((agent) => ({ ...agent, velocity: [80, 0, 0] as const })) };
    const stopped = { ...from, agents: from.agents.map((agent) => ({ ...agent, velocity: [0, 0, 0] as const })) };
    for (const share of [0.2, 0.5, 0.8]) expect(between(fast, stopped, share, 0.05).agents[0]!.place[0]).toBeLessThanOrEqual(1.05);
  });

  it("eyes take the short way round", () => {
    expect(shortTurn(1.9 * Math.PI)).toBeCloseTo(-0.1 * Math.PI, 9);
  });
});
