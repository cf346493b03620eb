// sandlot.mjs: the engine in a browser page or in node. One plain module over sandlot.wasm, no dependencies.
//
//   const engine = await loadEngine(await fetch("sandlot.wasm"));     // or the bytes of the file
//   const world = engine.create("tag", { worlds: 1, config: { mode: "switch" } });
//   world.reset([7]);
//   world.actions.set([0.5, -1, 0, 0, 0, 0]);
//   world.step();
//   world.observations, world.rewards, world.render(0), world.events(0), world.hash(0)
//
// Arrays are views into the engine's memory: read them after each step, keep a copy of what must last.

const EVENT_VALUES = 4;
const MAX_EVENTS = 16;
const EPISODE_HEAD_BYTES = 40;

export class EngineError extends Error {}

/** Starts the engine from the module's bytes, or from a fetch Response. */
export async function loadEngine(source) {
  const isResponse = typeof Response !== "undefined" && source instanceof Response;
  const bytes = isResponse ? await source.arrayBuffer() : source;
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return new Engine(instance.exports);
}

/** Memory inside the engine, as typed arrays. */
class Memory {
  constructor(exports) {
    this.exports = exports;
  }

  allocate(bytes) {
    const pointer = this.exports.sl_allocate(bytes) >>> 0;
    if (!pointer) throw new EngineError(`The engine has no room for ${bytes} more bytes; close a world first.`);
    return pointer;
  }

  release(pointer) {
    this.exports.sl_release(pointer);
  }

  view(Type, pointer, length) {
    return new Type(this.exports.memory.buffer, pointer, length);
  }

  text(pointer) {
    const bytes = new Uint8Array(this.exports.memory.buffer);
    return new TextDecoder().decode(bytes.subarray(pointer, bytes.indexOf(0, pointer)));
  }

  /** Calls use(pointer) with the values in the engine's memory, and takes them out again. */
  with(values, use) {
    const pointer = this.allocate(values.byteLength);
    try {
      new Uint8Array(this.exports.memory.buffer).set(
        new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
        pointer,
      );
      return use(pointer);
    } finally {
      this.release(pointer);
    }
  }

  /** Calls fill(pointer) on fresh memory and returns a copy of it. */
  read(Type, length, fill) {
    const pointer = this.allocate(Math.max(1, length) * Type.BYTES_PER_ELEMENT);
    try {
      fill(pointer);
      return this.view(Type, pointer, length).slice();
    } finally {
      this.release(pointer);
    }
  }
}

export class Engine {
  constructor(exports) {
    this.exports = exports;
    this.memory = new Memory(exports);
  }

  get build() {
    return this.memory.text(this.exports.sl_build());
  }

  games() {
    const names = [];
    for (let i = 0; i < this.exports.sl_game_count(); i++) names.push(this.memory.text(this.exports.sl_game_name(i)));
    return names;
  }

  /** All that a game says about itself under these settings (the JSON of sl_describe). */
  describe(game, { config = {}, profile } = {}) {
    const defaults = this.#describe(game, null);
    const changed = profile !== undefined || Object.keys(config).length > 0;
    return changed ? this.#describe(game, knobValues(defaults, config, profile)) : defaults;
  }

  /** A batch of worlds. autoreset: a world that ends begins anew within the same step. */
  create(game, { worlds = 1, config = {}, profile, autoreset = true } = {}) {
    const knobs = knobValues(this.#describe(game, null), config, profile);
    const spec = this.#describe(game, knobs);
    const batch = this.#named(game, (name) =>
      this.memory.with(knobs, (values) => this.exports.sl_create(name, values, knobs.length, worlds, 1, autoreset ? 1 : 0)),
    );
    if (!batch) throw new EngineError(this.why());
    return new World(this, batch, spec, worlds);
  }

  why() {
    return this.memory.text(this.exports.sl_why());
  }

  /** Passes a good result on; a refusal becomes an error with the engine's own sentence. */
  check(result) {
    if (result < 0) throw new EngineError(this.why());
    return Number(result);
  }

  /** The fingerprint of bytes at a pointer, continued from `hash`. */
  hashMemory(hash, pointer, bytes) {
    return BigInt.asUintN(64, this.exports.sl_hash_memory(hash, pointer, bytes));
  }

  get hashStart() {
    return BigInt.asUintN(64, this.exports.sl_hash_start());
  }

  #named(game, use) {
    return this.memory.with(new TextEncoder().encode(`${game}\0`), use);
  }

  #describe(game, knobs) {
    const describe = (out, room) =>
      this.#named(game, (name) => {
        if (!knobs) return this.exports.sl_describe(name, 0, 0, out, BigInt(room));
        return this.memory.with(knobs, (values) =>
          this.exports.sl_describe(name, values, knobs.length, out, BigInt(room)),
        );
      });
    const size = this.check(describe(0, 0));
    const bytes = this.memory.read(Uint8Array, size, (out) => this.check(describe(out, size)));
    return JSON.parse(new TextDecoder().decode(bytes));
  }
}

/** Settings by name into the engine's list of numbers. Choices may be given by name, flags as booleans. */
function knobValues(spec, config, profile) {
  const column = profile === undefined ? 0 : spec.profiles.indexOf(profile);
  if (column < 0) throw new EngineError(`${spec.name} has no profile ${profile}; it has ${spec.profiles.join(", ")}.`);
  const values = Float64Array.from(spec.knobs, (knob) => knob.defaults[column]);
  for (const [name, value] of Object.entries(config)) {
    const index = spec.knobs.findIndex((knob) => knob.name === name);
    if (index < 0) {
      const names = spec.knobs.map((knob) => knob.name).join(", ");
      throw new EngineError(`${spec.name} has no setting ${name}; it has ${names}.`);
    }
    values[index] = knobValue(spec.knobs[index], value);
  }
  return values;
}

function knobValue(knob, value) {
  if (knob.kind !== "choice" || typeof value === "number") return Number(value);
  const index = knob.choices.indexOf(value);
  if (index < 0) throw new EngineError(`${knob.name} cannot be ${value}; choose from ${knob.choices.join(", ")}.`);
  return index;
}

/** Type and count of every array of a batch, in the order of SlBuffers. A game without masks has 0 of them. */
function arraysOf(shape, rows) {
  const observations = [Float32Array, rows * shape.observation];
  return {
    observations,
    finalObservations: observations,
    actions: [shape.actions ? Int32Array : Float32Array, rows * shape.action_size],
    rewards: [Float32Array, rows],
    terminated: [Uint8Array, rows],
    truncated: [Uint8Array, rows],
    masks: [Uint8Array, shape.masked ? rows * shape.actions : 0],
    ticks: [Int32Array, rows],
    invalid: [Uint8Array, rows],
  };
}

/** A batch of worlds; rows = worlds x agents, row = world * agents + agent. */
export class World {
  #batch;
  #arrays;
  #pointers;
  #views = {};
  #buffer = null; // the memory that the views look into; it is another one after the engine's memory grew

  constructor(engine, batch, spec, worlds) {
    this.engine = engine;
    this.spec = spec;
    this.worlds = worlds;
    this.rows = worlds * spec.shape.agents;
    this.#batch = batch;
    this.#arrays = arraysOf(spec.shape, this.rows);
    this.#bind();
  }

  #bind() {
    const { memory, exports } = this.engine;
    this.#pointers = {};
    for (const [name, [Type, length]] of Object.entries(this.#arrays))
      this.#pointers[name] = length ? memory.allocate(length * Type.BYTES_PER_ELEMENT) : 0;
    const table = Uint32Array.from(Object.values(this.#pointers));
    memory.with(table, (buffers) => this.engine.check(exports.sl_bind(this.#batch, buffers)));
  }

  close() {
    if (!this.#batch) return;
    this.engine.exports.sl_destroy(this.#batch);
    for (const pointer of Object.values(this.#pointers)) this.engine.memory.release(pointer);
    this.#batch = 0;
  }

  get observations() { return this.#view("observations"); } // [rows, D]
  get finalObservations() { return this.#view("finalObservations"); } // of rows that ended in this step
  get actions() { return this.#view("actions"); } // write here before step()
  get rewards() { return this.#view("rewards"); }
  get terminated() { return this.#view("terminated"); }
  get truncated() { return this.#view("truncated"); }
  get masks() { return this.#view("masks"); } // [rows, A], empty for a game without masks
  get ticks() { return this.#view("ticks"); }
  get invalid() { return this.#view("invalid"); } // 1 where the last action was none of the game's, or masked

  #view(name) {
    if (this.#buffer !== this.engine.exports.memory.buffer) {
      this.#buffer = this.engine.exports.memory.buffer;
      for (const [each, [Type, length]] of Object.entries(this.#arrays))
        this.#views[each] = this.engine.memory.view(Type, this.#pointers[each], length);
    }
    return this.#views[name];
  }

  /** Where an array's rows of one world lie: [pointer, bytes]. */
  place(name, world) {
    const [Type, length] = this.#arrays[name];
    const bytes = (length / this.worlds) * Type.BYTES_PER_ELEMENT;
    return [this.#pointers[name] + world * bytes, bytes];
  }

  /** seeds: one a world, numbers or BigInts. */
  reset(seeds) {
    if (seeds.length !== this.worlds) throw new EngineError(`${seeds.length} seeds for ${this.worlds} worlds.`);
    const values = BigUint64Array.from(seeds, BigInt);
    const { memory, exports } = this.engine;
    memory.with(values, (pointer) => this.engine.check(exports.sl_reset(this.#open(), pointer, 0)));
    return this.observations;
  }

  /** One decision of every agent; returns how many episodes ended. */
  step() {
    return this.engine.check(this.engine.exports.sl_step(this.#open()));
  }

  /** The state's fingerprint, a BigInt. */
  hash(world) {
    const call = (out) => this.engine.check(this.engine.exports.sl_hash(this.#open(), world, out));
    return this.engine.memory.read(BigUint64Array, 1, call)[0];
  }

  /** All of one world as bytes: the same that the native engine gives and takes. */
  snapshot(world) {
    const { exports, memory } = this.engine;
    const size = Number(exports.sl_snapshot_size(this.#open()));
    return memory.read(Uint8Array, size, (out) => this.engine.check(exports.sl_snapshot(this.#batch, world, out)));
  }

  restore(world, state) {
    const { exports, memory } = this.engine;
    const size = BigInt(state.byteLength);
    memory.with(state, (data) => this.engine.check(exports.sl_restore(this.#open(), world, data, size)));
  }

  /** Named numbers for drawing; for people: the names of the spec. */
  render(world) {
    return this.#named("render", world);
  }

  info(world) {
    return this.#named("info", world);
  }

  #named(block, world) {
    const { exports, memory } = this.engine;
    const values = memory.read(Float32Array, this.spec.shape[block], (out) =>
      this.engine.check(exports[`sl_${block}`](this.#open(), world, out)),
    );
    return namedFields(this.spec[block], values);
  }

  /** What happened to a world in the last step: [{name, values: {…}}]. */
  events(world) {
    const bytes = MAX_EVENTS * (1 + EVENT_VALUES) * 4;
    const { exports, memory } = this.engine;
    let count = 0;
    const words = memory.read(Int32Array, bytes / 4, (out) => {
      count = this.engine.check(exports.sl_events(this.#open(), world, out, out + MAX_EVENTS * 4, MAX_EVENTS));
    });
    const values = new Float32Array(words.buffer, MAX_EVENTS * 4);
    return Array.from({ length: count }, (_, i) => {
      const kind = this.spec.events[words[i]];
      const pairs = kind.values.map((name, v) => [name, values[i * EVENT_VALUES + v]]);
      return { name: kind.name, values: Object.fromEntries(pairs) };
    });
  }

  /** The episodes that ended since the last call: who, when, and their named sums. */
  finished() {
    const { exports, memory } = this.engine;
    const waiting = Number(exports.sl_finished_waiting(this.#open()));
    const width = this.spec.shape.episode;
    const bytes = memory.read(Uint8Array, waiting * (EPISODE_HEAD_BYTES + width * 4), (out) =>
      this.engine.check(exports.sl_finished(this.#batch, out, out + waiting * EPISODE_HEAD_BYTES, BigInt(waiting))),
    );
    const heads = new DataView(bytes.buffer);
    const values = new Float32Array(bytes.buffer, waiting * EPISODE_HEAD_BYTES);
    return Array.from({ length: waiting }, (_, i) => ({
      seed: heads.getBigUint64(i * EPISODE_HEAD_BYTES, true),
      step: Number(heads.getBigInt64(i * EPISODE_HEAD_BYTES + 8, true)),
      world: heads.getInt32(i * EPISODE_HEAD_BYTES + 16, true),
      episode: heads.getInt32(i * EPISODE_HEAD_BYTES + 20, true),
      length: heads.getInt32(i * EPISODE_HEAD_BYTES + 24, true),
      invalid: heads.getInt32(i * EPISODE_HEAD_BYTES + 28, true),
      terminated: heads.getUint8(i * EPISODE_HEAD_BYTES + 32) !== 0,
      truncated: heads.getUint8(i * EPISODE_HEAD_BYTES + 33) !== 0,
      ...namedFields(this.spec.episode, values.subarray(i * width, (i + 1) * width)),
    }));
  }

  /** A scripted player for every row of this batch. level: 1 up to what the spec says; the top by default. */
  bot(name, { level, seed = 0 } = {}) {
    return new Bot(this, name, level, seed);
  }

  /** Asks bot number `bot` for the actions of rows first .. first + count - 1, and writes them down. */
  botAct(bot, level, memory, first, count) {
    const { shape } = this.spec;
    const at = (name, size) => this.#pointers[name] && this.#pointers[name] + first * size;
    const { exports } = this.engine;
    this.engine.check(
      exports.sl_bot_act(
        this.#open(), bot, level, at("observations", shape.observation * 4), at("masks", shape.actions),
        memory + first * exports.sl_bot_memory() * 4, at("actions", shape.action_size * 4), BigInt(count),
      ),
    );
  }

  #open() {
    if (!this.#batch) throw new EngineError("This world is closed; create a new one.");
    return this.#batch;
  }
}

/** One scripted player with its memory: act() writes an action into every row of the world, or into some. */
export class Bot {
  #memory;

  constructor(world, name, level, seed) {
    this.world = world;
    this.index = world.spec.bots.findIndex((bot) => bot.name === name);
    if (this.index < 0) {
      const names = world.spec.bots.map((bot) => bot.name).join(", ");
      throw new EngineError(`${world.spec.name} has no bot ${name}; it has ${names}.`);
    }
    this.level = level ?? world.spec.bots[this.index].levels;
    const { memory, exports } = world.engine;
    this.#memory = memory.allocate(world.rows * exports.sl_bot_memory() * 4);
    world.engine.check(exports.sl_bot_start(BigInt(seed), this.#memory, BigInt(world.rows)));
  }

  /** Rows of episodes that ended begin with an empty memory; the random stream goes on. */
  act(first = 0, count = this.world.rows - first) {
    this.#forgetEnded();
    this.world.botAct(this.index, this.level, this.#memory, first, count);
  }

  #forgetEnded() {
    const { terminated, truncated, rows, engine } = this.world;
    const size = engine.exports.sl_bot_memory();
    const memory = engine.memory.view(Float32Array, this.#memory, rows * size);
    for (let row = 0; row < rows; row++)
      if (terminated[row] || truncated[row]) memory.fill(0, row * size + 2, (row + 1) * size);
  }

  close() {
    this.world.engine.memory.release(this.#memory);
  }
}

/** A flat block as an object: a number for a field of one, an array for a field of several. */
function namedFields(fields, values) {
  const entries = fields.map(({ name, start, shape }) => {
    const size = shape.reduce((product, n) => product * n, 1);
    return [name, size === 1 ? values[start] : Array.from(values.subarray(start, start + size))];
  });
  return Object.fromEntries(entries);
}
