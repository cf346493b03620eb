import { expect, test } from "vitest";
import { gauge, readBelt } from "../../../../src/parts/prospector/belt";
import { actionId } from "../../../../src/parts/prospector/spec";
import { act, openWorld, playOn } from "./engine";

test("a belt at rest is at the station with full gauges and its six commodities", async () => {
  const { world, spec } = await openWorld();
  const belt = readBelt(spec, world.render(0));
  expect(belt.nodeType).toBe("station");
  expect(gauge(belt, "fuel")).toEqual({ name: "fuel", value: 1000, max: 1000 });
  expect(belt.goods.map((good) => good.name)).toEqual(["iron", "nickel", "water_ice", "pge", "rare_isotopes", "volatiles"]);
  expect(belt.action).toBe(-1);
  expect(belt.rocks).toEqual([]);
  expect(belt.ways.length).toBeGreaterThan(0);
});

test("a trip leads to the node that the way named, and takes the ticks and fuel that it named", async () => {
  const { world, spec } = await openWorld();
  const before = readBelt(spec, world.render(0));
  const way = before.ways[0]!;
  act(world, actionId(spec, `TRAVEL_NEIGHBOR_${way.slot}`));
  const after = readBelt(spec, world.render(0));
  expect(after.node).toBe(way.node);
  expect(after.ticks - before.ticks).toBe(way.ticks);
  expect(gauge(before, "fuel").value - gauge(after, "fuel").value).toBeCloseTo(way.fuel, 2);
});

test("a reason is read exactly where the mask forbids, over thousands of situations", async () => {
  let looked = 0;
  await playOn(3, 3000, (world, spec) => {
    const { reasons } = readBelt(spec, world.render(0));
    expect(reasons.length).toBe(spec.actions.length);
    const wrong = reasons.findIndex((reason, id) => (reason === 0) !== (world.masks[id] === 1));
    expect(wrong).toBe(-1);
    looked++;
  });
  expect(looked).toBe(3000);
});

test("what the map shows is only what was seen, and ways are its edges from here", async () => {
  await playOn(5, 800, (world, spec) => {
    const belt = readBelt(spec, world.render(0));
    const known = new Set(belt.map.nodes.map((node) => node.index));
    const visited = new Set(belt.map.nodes.filter((node) => node.visited).map((node) => node.index));
    expect(visited.has(belt.node)).toBe(true);
    for (const edge of belt.map.edges) expect(visited.has(edge.from) && known.has(edge.to)).toBe(true);
    const here = belt.map.edges.filter((edge) => edge.from === belt.node).length;
    expect(belt.ways.length).toBe(here);
  });
});

test("frames of the server, nested and in words, read like those of the engine", async () => {
  const { world, spec } = await openWorld();
  act(world, 0);
  const flat = world.render(0);
  const nested = Object.fromEntries(
    spec.render.map((field) => {
      const value = flat[field.name]!;
      if (typeof value === "number") return [field.name, field.labels[value] ?? value];
      const [rows = 0, columns] = field.shape;
      return [field.name, columns ? Array.from({ length: rows }, (_, i) => value.slice(i * columns, (i + 1) * columns)) : value];
    }),
  );
  expect(readBelt(spec, nested)).toEqual(readBelt(spec, flat));
});

test("a frame without a block says which one is missing", async () => {
  const { world, spec } = await openWorld();
  const { why_not: _gone, ...rest } = world.render(0);
  expect(() => readBelt(spec, rest)).toThrow(/why_not/);
});
