// trace.mjs: the program of engine/tests/trace.c over the WebAssembly engine; the same words, the same text.
//
//   node engine/wasm/trace.mjs sandlot.wasm GAME [--profile NAME] [--set NAME=VALUE]... [--first SEED] [--seeds N]
//        [--steps N] [--every N | --each] [--batch WORLDS]
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";

import { loadEngine } from "./sandlot.mjs";

const STREAM = 1000n; // keeps the actions' stream apart from the world's
const BEYOND = 6; // ids below the first and above the last that random play asks for
const HOLD = 8; // steps that a held direction lasts, on average

const cut = (x) => BigInt.asUintN(64, x);

function splitSeed(seed, index) {
  let z = cut(seed + (index + 1n) * 0x9e3779b97f4a7c15n);
  z = cut((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = cut((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

class Pcg32 {
  constructor(seed) {
    this.state = 0n;
    this.next();
    this.state = cut(this.state + seed);
    this.next();
  }

  next() {
    const old = this.state;
    this.state = cut(old * 6364136223846793005n + 109n);
    const shifted = Number(BigInt.asUintN(32, ((old >> 18n) ^ old) >> 27n));
    const turn = Number(old >> 59n);
    return ((shifted >>> turn) | (shifted << (-turn & 31))) >>> 0;
  }
}

// ---------------------------------------------------------------- actions

function playRandom(shape, rng, actions, row) {
  if (shape.actions) {
    actions[row] = (rng.next() % (shape.actions + 2 * BEYOND)) - BEYOND;
    return;
  }
  for (let i = 0; i < shape.action_size; i++) {
    const unit = Math.fround(Math.fround(rng.next()) * 2.3283064365386963e-10);
    actions[row * shape.action_size + i] = Math.fround(-1 + Math.fround(2 * unit));
  }
}

function playLegal(shape, rng, mask, actions, row) {
  const legal = [];
  mask.forEach((allowed, id) => allowed && legal.push(id));
  const draw = rng.next();
  actions[row] = legal.length ? legal[draw % legal.length] : 0;
}

function playHeld(shape, rng, firstStep, actions, row) {
  if (rng.next() % HOLD && !firstStep) return;
  for (let i = 0; i < shape.action_size; i++) actions[row * shape.action_size + i] = (rng.next() % 3) - 1;
}

class Trace {
  constructor(engine, options, first, worlds) {
    this.engine = engine;
    this.options = options;
    this.world = engine.create(options.game, { worlds, config: options.config, profile: options.profile });
    this.shape = this.world.spec.shape;
    this.seeds = Array.from({ length: worlds }, (_, i) => first + i);
    this.rngs = this.seeds.map((seed) => new Pcg32(splitSeed(BigInt(seed), STREAM)));
    this.digests = this.seeds.map(() => engine.hashStart);
    this.marks = this.seeds.map(() => []);
    this.startBots();
    this.world.reset(this.seeds);
  }

  startBots() {
    const { agents } = this.shape;
    this.botFloats = this.engine.exports.sl_bot_memory();
    this.memory = this.engine.memory.allocate(this.world.rows * this.botFloats * 4);
    this.seeds.forEach((seed, world) => {
      const place = this.memory + world * agents * this.botFloats * 4;
      this.engine.check(this.engine.exports.sl_bot_start(BigInt(seed), place, BigInt(agents)));
    });
  }

  playScripted(seed, agent, row) {
    const { bots } = this.world.spec;
    const quarter = Math.floor(seed / 4);
    const bot = (quarter + agent) % bots.length;
    const level = 1 + (Math.floor(quarter / bots.length) % bots[bot].levels);
    this.world.botAct(bot, level, this.memory, row, 1);
  }

  chooseActions(step) {
    const { shape } = this;
    const { actions, masks, spec } = this.world;
    this.seeds.forEach((seed, world) => {
      for (let agent = 0; agent < shape.agents; agent++) {
        const row = world * shape.agents + agent;
        const rng = this.rngs[world];
        const way = seed % 4;
        if (way > 1 && spec.bots.length) this.playScripted(seed, agent, row);
        else if (way === 0 || (shape.actions && !shape.masked)) playRandom(shape, rng, actions, row);
        else if (shape.masked)
          playLegal(shape, rng, masks.subarray(row * shape.actions, (row + 1) * shape.actions), actions, row);
        else playHeld(shape, rng, step === 0, actions, row);
      }
    });
  }

  forgetEnded() {
    const { terminated, truncated, rows } = this.world;
    const floats = this.botFloats;
    const memory = this.engine.memory.view(Float32Array, this.memory, rows * floats);
    for (let row = 0; row < rows; row++)
      if (terminated[row] || truncated[row]) memory.fill(0, row * floats + 2, (row + 1) * floats);
  }

  mix(hash, world, names) {
    return names.reduce((before, name) => this.engine.hashMemory(before, ...this.world.place(name, world)), hash);
  }

  mixRest(hash, world) {
    const row = world * this.shape.agents;
    const names = ["rewards", "terminated", "truncated", "ticks"];
    if (this.shape.masked) names.push("masks");
    if (this.world.terminated[row] || this.world.truncated[row]) names.push("finalObservations");
    return this.mix(hash, world, names);
  }

  /** After a reset (step 0) and after every step. */
  look(step) {
    const { each, every } = this.options;
    this.seeds.forEach((seed, world) => {
      const state = this.world.hash(world);
      if (each) {
        const start = this.engine.hashStart;
        const prints = [state, this.mix(start, world, ["observations"]), this.mixRest(start, world)];
        print(seed, step, ...prints.map(hex));
        return;
      }
      const seen = this.mix(hashWord(this.digests[world], state), world, ["observations"]);
      this.digests[world] = this.mixRest(seen, world);
      if (step && step % every === 0) this.marks[world].push(hex(this.digests[world]));
    });
  }

  run() {
    this.look(0);
    for (let step = 1; step <= this.options.steps; step++) {
      this.chooseActions(step - 1);
      this.world.step();
      this.forgetEnded();
      this.look(step);
    }
    if (!this.options.each) this.seeds.forEach((seed, world) => print(seed, ...this.marks[world]));
    this.engine.memory.release(this.memory);
    this.world.close();
  }
}

function hashWord(hash, word) {
  const mixed = cut((hash ^ word) * 0x9fb21c651e98df25n);
  return mixed ^ (mixed >> 32n);
}

const hex = (hash) => hash.toString(16).padStart(16, "0");
const lines = [];
const print = (...words) => lines.push(words.join(" "));

// ---------------------------------------------------------------- command line

function readOptions() {
  const text = { type: "string" };
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      profile: text, set: { type: "string", multiple: true, default: [] }, each: { type: "boolean", default: false },
      first: { ...text, default: "0" }, seeds: { ...text, default: "1" }, steps: { ...text, default: "100" },
      every: { ...text, default: "25" }, batch: { ...text, default: "64" },
    },
  });
  const [module, game] = positionals;
  if (!game) throw new Error("usage: node trace.mjs sandlot.wasm GAME [options]");
  const pairs = values.set.map((pair) => pair.split("="));
  const config = Object.fromEntries(pairs.map(([name, value]) => [name, Number.isNaN(Number(value)) ? value : Number(value)]));
  const numbers = Object.fromEntries(["first", "seeds", "steps", "every", "batch"].map((name) => [name, Number(values[name])]));
  return { module, game, config, profile: values.profile, each: values.each, ...numbers };
}

const options = readOptions();
const engine = await loadEngine(await readFile(options.module));
for (let done = 0; done < options.seeds; done += options.batch) {
  const worlds = Math.min(options.batch, options.seeds - done);
  new Trace(engine, options, options.first + done, worlds).run();
}
process.stdout.write(lines.join("\n") + "\n");
