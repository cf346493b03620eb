// Against the real engine: what the picture shows is what the engine says.
import { beforeAll, describe, expect, it } from "vitest";
import { createWorld, type Engine, type World } from "../../../../src/engine/engine";
import { completeConfig } from "../../../../src/engine/spec";
import { between, Ending, heightAt, readState, tiltOf, wantedFall, type LandingState } from "../../../../src/parts/landing/state";
import { endingOf, readings } from "../../../../src/parts/landing/words";
import { openEngine } from "../engine";

const STEPS = 1000;

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

/** Every state of an episode that a bot flies. */
function flight(bot: string, seed: bigint, config = {}): { states: LandingState[]; world: World; info: ReturnType<World["info"]>[] } {
  const world = createWorld(engine, "landing", config);
  world.reset([seed]);
  const pilot = world.bot(bot, { seed: 1n });
  const states = [readState(world.render(0))];
  const info = [world.info(0)];
  for (let step = 0; step < STEPS && states.at(-1)?.ending === Ending.None; step++) {
    pilot.act(0, 1);
    world.step();
    states.push(readState(world.render(0)));
    info.push(world.info(0));
  }
  return { states, world, info };
}

describe("the terrain that is drawn", () => {
  it("has the height that the engine measures under the craft", () => {
    const { states, info } = flight("brake", 4n);
    expect(states.length).toBeGreaterThan(100);
    states.forEach((state, i) => {
      const below = state.place[1] - heightAt(state.terrain, state.place[0], state.place[2]);
      expect(below).toBeCloseTo(Number(info[i]?.terrain_below), 2);
    });
  });

  it("is level round the pad", () => {
    const { terrain } = flight("idle", 1n).states[0] as LandingState;
    for (const angle of [0, 1, 2.5]) expect(heightAt(terrain, terrain.flat * Math.cos(angle), terrain.flat * Math.sin(angle))).toBeCloseTo(0, 12);
  });
});

describe("a descent in numbers", () => {
  it("leans as much as the engine says", () => {
    const { states, info } = flight("random", 9n, { profile: "disturbed" });
    states.forEach((state, i) => expect(tiltOf(state)).toBeCloseTo(Number(info[i]?.tilt), 1));
  });

  it("wants to be slower the lower it is, and no slower than a metre per second", () => {
    const { states, world } = flight("autopilot", 7n);
    const config = completeConfig(world.spec, {});
    const rules = { gravity: Number(config.gravity), maxThrust: Number(config.max_thrust), startMass: Number(config.dry_mass) + Number(config.fuel), descent: 0.8 };
    const first = states[0] as LandingState;
    const glide = 0.8 * (rules.maxThrust / rules.startMass - rules.gravity);
    expect(wantedFall(first, rules) ** 2).toBeCloseTo(2 * glide * (first.place[1] - first.legLength), 6);
    expect(wantedFall({ ...first, place: [0, first.legLength, 0] }, rules)).toBe(1);
  });

  it("shows altitude, speeds and fuel of the engine", () => {
    const { states, info } = flight("autopilot", 7n);
    const state = states[50] as LandingState;
    const shown = Object.fromEntries(readings(state, { gravity: 9.8, maxThrust: 10_000, startMass: 700, descent: 0.5 }, 15).map(({ name, value }) => [name, Number(value)]));
    expect(shown.Altitude).toBeCloseTo(state.place[1], 0);
    expect(shown.Fall).toBeCloseTo(-state.velocity[1], 0);
    expect(shown["To the pad"]).toBeCloseTo(Number(info[50]?.distance_to_pad), 0);
    expect(shown.Fuel).toBeCloseTo((100 * Number(info[50]?.fuel)) / 200, 0);
  });

  it("shows no flame without fuel", () => {
    const { world } = flight("idle", 3n);
    expect(readState({ ...world.render(0), fuel_left: 0, thrust: [0, 1, 0] }).thrust).toEqual([0, 0, 0]);
  });
});

describe("an ending in words", () => {
  it.each([
    ["autopilot", 7n, true, /^Soft landing, 0\.\d m from the centre$/],
    ["brake", 4n, false, /^Soft landing, \d+ m from the pad$/],
    ["idle", 1n, false, /^Crash at \d+\.\d m\/s, leaning 0°$/],
  ] as const)("of %s on seed %s", (bot, seed, good, text) => {
    const { states } = flight(bot, seed);
    expect(endingOf(states[0] as LandingState)).toBeNull();
    const end = endingOf(states.at(-1) as LandingState);
    expect(end?.good).toBe(good);
    expect(end?.text).toMatch(text);
  });
});

describe("between two steps", () => {
  it("a free fall is a parabola", () => {
    const { states } = flight("idle", 5n);
    const [from, to] = [states[10] as LandingState, states[11] as LandingState];
    const half = between(from, to, 0.5, 0.1);
    const fallen = from.place[1] + from.velocity[1] * 0.05 - 0.5 * 9.8 * 0.05 ** 2;
    expect(half.place[1]).toBeCloseTo(fallen, 3);
    expect(between(from, to, 0, 0.1)).toBe(from);
    expect(between(from, to, 1, 0.1)).toBe(to);
  });
});
