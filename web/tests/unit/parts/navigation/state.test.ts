// Against the real engine: the grid that is drawn is the one that the walker walks in.
import { beforeAll, describe, expect, it } from "vitest";
import { createWorld, type Engine } from "../../../../src/engine/engine";
import { buildGrid } from "../../../../src/parts/navigation/building";
import { aheadOf, between, Cell, cellAt, distanceOf, Ending, readState, type NavigationState } from "../../../../src/parts/navigation/state";
import { endingOf, readings } from "../../../../src/parts/navigation/words";
import { openEngine } from "../engine";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

function walk(bot: string, seed: bigint, config = {}): { states: NavigationState[]; info: Record<string, number | readonly number[]>[] } {
  const world = createWorld(engine, "navigation", config);
  world.reset([seed]);
  const walker = world.bot(bot, { seed: 1n });
  const states = [readState(world.render(0))];
  const info = [{ ...world.info(0) }];
  while (states.at(-1)?.ending === Ending.None) {
    walker.act(0, 1);
    world.step();
    states.push(readState(world.render(0)));
    info.push({ ...world.info(0) });
  }
  world.close();
  return { states, info };
}

/** The cell that a place lies in. */
function cellUnder({ grid, place }: NavigationState): Cell {
  const half = 0.5 * grid.cells * grid.size;
  return cellAt(grid, Math.floor((place[0] + half) / grid.size), Math.floor((place[2] + half) / grid.size));
}

describe("the grid", () => {
  it.each(["open", "course", "maze"])("of %s has a border of walls and rooms of floor", (layout) => {
    const { grid } = walk("pathfollower", 7n, { layout, pits: 0.1 }).states[0] as NavigationState;
    for (let i = 0; i < grid.cells; i++) {
      for (const [column, row] of [[i, 0], [i, grid.cells - 1], [0, i], [grid.cells - 1, i]] as const) expect(cellAt(grid, column, row)).toBe(Cell.Wall);
      if (i % 2) expect(cellAt(grid, i, 1)).toBe(Cell.Floor);
    }
    expect(cellAt(grid, -1, 0)).toBe(Cell.Outside);
    expect(cellAt(grid, 0, grid.cells)).toBe(Cell.Outside);
  });

  it("of an arena with a drop ends in pits", () => {
    const { grid } = walk("pathfollower", 2n, { layout: "open", edge: "drop" }).states[0] as NavigationState;
    expect(cellAt(grid, 0, 5)).toBe(Cell.Pit);
  });

  it("has floor wherever the walker goes", () => {
    const { states } = walk("pathfollower", 7n, { layout: "maze", pits: 0.1 });
    expect(states.length).toBeGreaterThan(50);
    for (const state of states) expect(cellUnder(state)).toBe(Cell.Floor);
  });

  it("is free as far as each ray says", () => {
    for (const state of walk("pathfollower", 11n, { layout: "course", pits: 0.2 }).states)
      state.rays.forEach((distance, i) => {
        const angle = (i / state.rays.length) * 2 * Math.PI;
        const at = (far: number, aside = 0) =>
          cellUnder({
            ...state,
            place: [state.place[0] + Math.cos(angle) * far - Math.sin(angle) * aside, 0, state.place[2] + Math.sin(angle) * far + Math.cos(angle) * aside],
          });
        expect(at(distance - 0.01)).toBe(Cell.Floor);
        const beyond = [-0.02, 0, 0.02].map((aside) => at(distance + 0.01, aside)); // it may only graze a corner
        if (distance < 5) expect(beyond.some((cell) => cell === Cell.Wall || cell === Cell.Pit)).toBe(true);
      });
  });

  it("is drawn as one level face per cell, and sides only where they are seen", () => {
    const { grid } = walk("pathfollower", 7n, { layout: "open" }).states[0] as NavigationState;
    const { floor, tops, walls, pits } = buildGrid(grid);
    const inside = grid.cells - 2;
    const faces = ({ index }: { index: readonly number[] }) => index.length / 6;
    expect(faces(floor)).toBe(inside * inside);
    expect(faces(tops)).toBe(4 * grid.cells - 4);
    expect(faces(walls)).toBe(4 * inside + 4 * grid.cells); // toward the floor, and outward
    expect(faces(pits)).toBe(0);
  });

  it("has every face turned outward", () => {
    const { grid } = walk("pathfollower", 3n, { layout: "maze", pits: 0.3 }).states[0] as NavigationState;
    for (const { places, normals, index } of Object.values(buildGrid(grid)))
      for (let i = 0; i < index.length; i += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => places.slice((index[i + k] ?? 0) * 3, (index[i + k] ?? 0) * 3 + 3)) as [number[], number[], number[]];
        const [u, v] = [b.map((value, k) => value - (a[k] ?? 0)), c.map((value, k) => value - (a[k] ?? 0))] as [number[], number[]];
        const cross = [0, 1, 2].map((k) => (u[(k + 1) % 3] ?? 0) * (v[(k + 2) % 3] ?? 0) - (u[(k + 2) % 3] ?? 0) * (v[(k + 1) % 3] ?? 0));
        const normal = normals.slice((index[i] ?? 0) * 3, (index[i] ?? 0) * 3 + 3);
        expect(cross.reduce((sum, value, k) => sum + value * (normal[k] ?? 0), 0)).toBeGreaterThan(0);
      }
  });
});

describe("a walk in numbers", () => {
  it("is as far from the goal as the engine says", () => {
    const { states, info } = walk("greedy_goal", 5n);
    states.forEach((state, i) => expect(distanceOf(state)).toBeCloseTo(Number(info[i]?.distance), 3));
  });

  it("shows comfort and collisions of the engine", () => {
    const { states, info } = walk("random", 5n, { layout: "maze", time_limit: 20 });
    const last = states.at(-1) as NavigationState;
    const shown = Object.fromEntries(readings(last, 10).map(({ name, value }) => [name, Number(value)]));
    expect(shown.Collisions).toBe(info.at(-1)?.collisions);
    expect(shown.Comfort).toBeCloseTo(Number(info.at(-1)?.comfort_score), 2);
  });

  it("looks the way it walks when it walks ahead", () => {
    const { states } = walk("greedy_goal", 5n, { layout: "open" });
    const state = states[40] as NavigationState;
    const [ax, az] = aheadOf(state.yaw);
    expect((ax * state.velocity[0] + az * state.velocity[2]) / Math.hypot(...state.velocity)).toBeGreaterThan(0.9);
  });

  it.each([
    ["pathfollower", { layout: "course" }, true, /^At the goal after \d+\.\d s, comfort [01]\.\d\d$/],
    ["idle", { time_limit: 2 }, false, /^Out of time, \d+ m from the goal$/],
  ] as const)("ends in words: %s", (bot, config, good, text) => {
    const { states } = walk(bot, 5n, config);
    expect(endingOf(states[0] as NavigationState, 0)).toBeNull();
    const end = endingOf(states.at(-1) as NavigationState, 12.3);
    expect(end?.good).toBe(good);
    expect(end?.text).toMatch(text);
  });
});

describe("between two steps", () => {
  it("the head takes the short way round", () => {
    const [state] = walk("idle", 1n, { time_limit: 1 }).states as [NavigationState];
    const half = between({ ...state, yaw: 3 }, { ...state, yaw: -3 }, 0.5, 0.1);
    expect(Math.abs(half.yaw)).toBeCloseTo(Math.PI, 9);
  });
});
