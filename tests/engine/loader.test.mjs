// loader.test.mjs: what engine/wasm/sandlot.mjs promises to a page. Run by test_wasm.py: node --test.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { EngineError, loadEngine } from "../../engine/wasm/sandlot.mjs";

const bytes = await readFile(process.env.SANDLOT_WASM);
const engine = await loadEngine(bytes);
const everyGame = engine.games();

function started(game, options = {}) {
  const world = engine.create(game, options);
  world.reset(Array.from({ length: world.worlds }, (_, i) => i));
  return world;
}

test("it loads from a fetch response too", async () => {
  const other = await loadEngine(new Response(bytes));
  assert.deepEqual(other.games(), everyGame);
  assert.match(other.build, /clang/);
});

for (const game of everyGame) {
  test(`${game} describes itself and has arrays of that size`, () => {
    const world = started(game, { worlds: 3 });
    const { shape } = world.spec;
    assert.equal(world.spec.name, game);
    assert.equal(world.rows, 3 * shape.agents);
    assert.equal(world.observations.length, world.rows * shape.observation);
    assert.equal(world.actions.length, world.rows * shape.action_size);
    assert.equal(world.masks.length, shape.masked ? world.rows * shape.actions : 0);
    world.close();
  });

  test(`${game} plays the same match from the same seed`, () => {
    const [one, two] = [started(game), started(game)];
    for (let i = 0; i < 50; i++) assert.equal(one.step(), two.step());
    assert.equal(one.hash(0), two.hash(0));
    assert.deepEqual(one.observations, two.observations);
    one.close();
    two.close();
  });

  test(`${game} can be kept and put back`, () => {
    const world = started(game);
    const state = world.snapshot(0);
    const [before, seen] = [world.hash(0), world.observations.slice()];
    for (let i = 0; i < 5; i++) world.step();
    world.restore(0, state);
    assert.equal(world.hash(0), before);
    assert.deepEqual(world.observations, seen);
    state[state.length - 1] ^= 1;
    assert.throws(() => world.restore(0, state), /damaged/);
    assert.throws(() => world.restore(0, state.subarray(1)), EngineError);
    world.close();
  });

  test(`${game} gives render, info and events by name`, () => {
    const world = started(game);
    world.step();
    assert.deepEqual(Object.keys(world.render(0)), world.spec.render.map((field) => field.name));
    assert.deepEqual(Object.keys(world.info(0)), world.spec.info.map((field) => field.name));
    const known = world.spec.events.map((kind) => kind.name);
    for (const event of world.events(0)) assert.ok(known.includes(event.name));
    world.close();
  });

  test(`${game} is played by each of its bots`, () => {
    for (const { name, levels } of engine.describe(game).bots) {
      const world = started(game, { worlds: 2 });
      const bot = world.bot(name, { level: levels, seed: 3 });
      for (let i = 0; i < 30; i++) {
        bot.act();
        world.step();
      }
      bot.close();
      world.close();
    }
  });
}

test("finished episodes come with their sums, once", () => {
  const world = started("tag", { worlds: 2, config: { time_limit: 1 } });
  for (let i = 0; i < 60; i++) world.step();
  const episodes = world.finished();
  assert.ok(episodes.length >= 2);
  assert.deepEqual(Object.keys(episodes[0]).slice(0, 4), ["seed", "step", "world", "episode"]);
  assert.equal(episodes[0].seed, BigInt(episodes[0].world));
  assert.equal(world.finished().length, 0);
  world.close();
});

test("a world without autoreset stops at its end", () => {
  const world = started("tag", { config: { time_limit: 1 }, autoreset: false });
  assert.throws(() => { for (let i = 0; i < 1000; i++) world.step(); }, /has ended/);
  world.close();
});

test("wrong names, settings and actions are refused with a reason", () => {
  assert.throws(() => engine.create("chess"), /no game called chess/);
  assert.throws(() => engine.create("tag", { config: { colour: 1 } }), /no setting colour; it has .*mode/);
  assert.throws(() => engine.create("tag", { config: { mode: "chess" } }), /choose from timed, switch/);
  assert.throws(() => engine.create("tag", { config: { gravity: -1 } }), /gravity must lie between/);
  assert.throws(() => engine.create("tag", { profile: "none" }), /no profile none/);
  assert.throws(() => engine.create("tag", { worlds: 0 }), /worlds must be/);
  const world = engine.create("tag");
  assert.throws(() => world.step(), /never reset/);
  assert.throws(() => world.reset([1, 2]), /2 seeds for 1 worlds/);
  world.reset([1]);
  world.actions[0] = 2;
  assert.throws(() => world.step(), EngineError);
  assert.throws(() => world.bot("nobody"), /no bot nobody/);
  assert.throws(() => world.hash(1), /not in this batch/);
  world.close();
  assert.throws(() => world.step(), /closed/);
});

test("more worlds than the memory of a page holds are refused, not half made", () => {
  assert.throws(() => engine.create("prospector", { worlds: 262144 }), /no memory/);
});

test("views stay good while the memory grows", () => {
  const world = started("tag");
  const before = world.observations.slice();
  const large = started("prospector", { worlds: 500 });
  assert.deepEqual(world.observations, before);
  world.step();
  large.close();
  world.close();
});

test("worlds that come and go leave the memory as large as its largest moment", () => {
  const round = () => {
    const worlds = [3, 1, 40].map((count) => started("tag", { worlds: count }));
    worlds.forEach((world) => world.step());
    [1, 2, 0].forEach((i) => worlds[i].close());
  };
  round();
  const pages = engine.exports.memory.buffer.byteLength;
  for (let i = 0; i < 50; i++) round();
  assert.equal(engine.exports.memory.buffer.byteLength, pages);
});
