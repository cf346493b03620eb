import { expect, test } from "vitest";
import { actionSigns, eventSigns } from "../../../../src/parts/art/table";
import { readBelt } from "../../../../src/parts/prospector/belt";
import { cuesOf, effectsOf } from "../../../../src/parts/prospector/effects";
import { readEvents, tell } from "../../../../src/parts/prospector/events";
import { arc, CENTER, FAR, NEAR, rockDistance, rockPlace, rockSize, slotAngle, threatLevel } from "../../../../src/parts/prospector/geometry";
import { edgesOnce, placeNodes } from "../../../../src/parts/prospector/layout";
import { phrase } from "../../../../src/parts/prospector/words";
import { act, openWorld, playOn } from "./engine";

test("a slot keeps its angle, and what is known better lies nearer", () => {
  expect(slotAngle(4)).toBeCloseTo(Math.PI / 2);
  expect(rockDistance(0)).toBe(FAR);
  expect(rockDistance(1)).toBe(NEAR);
  const place = rockPlace({ slot: 8, confidence: 1 });
  expect(place.x).toBeCloseTo(CENTER.x - NEAR);
  expect(place.y).toBeCloseTo(CENTER.y);
});

test("sizes change at a third and two thirds, threat colours at 0.45 and 0.75", () => {
  expect([0, 0.33, 0.34, 0.66, 0.67, 1].map(rockSize)).toEqual(["large", "large", "medium", "medium", "small", "small"]);
  expect([0, 0.44, 0.45, 0.74, 0.75].map(threatLevel)).toEqual(["low", "low", "middle", "middle", "high"]);
});

test("a whole ring is still drawn", () => {
  expect(arc(CENTER, 10, 0, 1)).toMatch(/^M.+A10 10 0 1 1 /);
});

test("every node that is known has its own place on the map, within its frame", async () => {
  await playOn(9, 1500, (world, spec) => {
    const { map } = readBelt(spec, world.render(0));
    const { places } = placeNodes(map);
    const seen = new Set<string>();
    for (const node of map.nodes) {
      const place = places.get(node.index);
      expect(place, `node ${node.index}`).toBeDefined();
      expect(Math.hypot(place!.x, place!.y)).toBeLessThanOrEqual(1.0001);
      seen.add(`${place!.x.toFixed(4)} ${place!.y.toFixed(4)}`);
    }
    expect(seen.size).toBe(map.nodes.length);
  });
});

test("an edge seen from both ends is drawn once, and an end that listened tells its threat", () => {
  const edge = { ticks: 1, fuel: 20, slot: 0 };
  const map = { nodes: [], edges: [{ ...edge, from: 0, to: 3, threat: 0.5 }, { ...edge, from: 3, to: 0, threat: 0.8 }] };
  expect(edgesOnce(map)).toEqual([{ ...edge, from: 3, to: 0, threat: 0.8 }]);
});

test("every action has words of its own, and every action and event has its signs", async () => {
  const { spec } = await openWorld();
  const labels = spec.actions.map((action) => phrase(action.name).label);
  expect(new Set(labels).size).toBe(spec.actions.length);
  for (const { name } of spec.actions) expect(actionSigns("prospector", name).icon, name).not.toBeNull();
  for (const { name } of spec.events) expect(eventSigns("prospector", name).icon, name).not.toBeNull();
});

test("every event that a long game makes has a sentence with its numbers", async () => {
  const sentences = new Map<string, string>();
  await playOn(11, 6000, (world, spec) => {
    for (const event of readEvents(world.events(0))) sentences.set(event.name, tell(event, spec));
  });
  for (const name of ["sell", "buy", "scan", "pirate_encounter", "fracture", "invalid_action", "refine"]) expect(sentences.has(name), name).toBe(true);
  for (const [name, words] of sentences) expect(words, name).not.toMatch(/undefined|NaN|something|_/);
});

test("events read alike from the engine and from a frame of the server", () => {
  const ours = readEvents([{ name: "sell", values: { units: 2 } }]);
  expect(readEvents([{ name: "sell", units: 2, step: 1, tick: 4 }])[0]?.values.units).toBe(ours[0]?.values.units);
  expect(readEvents([null, 3, { other: 1 }])).toEqual([]);
});

test("a step shows the effect of its action and of what befell the ship, each once", async () => {
  const { world, spec } = await openWorld();
  act(world, spec.actions.findIndex((action) => action.name === "TRAVEL_NEIGHBOR_0"));
  const belt = readBelt(spec, world.render(0));
  expect(effectsOf(spec, belt, readEvents(world.events(0))).map((effect) => effect.key)).toContain("travel");
  expect(cuesOf(spec, belt, [])).toEqual(["whoosh"]);
  const lost = effectsOf(spec, belt, [
    { name: "fracture", values: { slot: 2 } },
    { name: "fracture", values: { slot: 3 } },
  ]);
  expect(lost.filter((effect) => effect.key === "explosion.rock")).toHaveLength(1);
});

test("an action that was not possible shows a warning and not its own effect", async () => {
  const { world, spec } = await openWorld();
  act(world, spec.actions.findIndex((action) => action.name === "WIDE_SCAN"));
  const belt = readBelt(spec, world.render(0));
  expect(effectsOf(spec, belt, readEvents(world.events(0))).map((effect) => effect.key)).toEqual(["flash.warning"]);
});
