// Re-simulates a replay in this page: the first frame at once, the rest in slices between paints. Every state hash is
// checked on the way, and keyframes are kept so that any step can be shown within milliseconds.
//
// There is no worker: an episode of 20,000 ticks takes about a tenth of a second, and views can read a frame
// synchronously (measurements: docs/browser.md).
import { EngineError, createWorld, loadEngine, type Engine, type GameSpec, type World } from "./engine";
import { ReplayRefused, readReplay, type ReplayFile } from "./replayFile";
import { actionText } from "./spec";
import type { Frame, ReplayEvent, Named, ReplayFacts, Source, Verdict } from "../parts/player/source";

export { ReplayRefused } from "./replayFile";

const KEYFRAME_EVERY_STEPS = 128;
const SLICE_MS = 6; // how long one slice plays before the page may draw
const WAIT_MS = 120; // how long a call may play ahead at most
const STEPS_PER_CLOCK_CHECK = 64;
const FRAMES_KEPT = 256;

/** Reads a replay file and starts to play it. Throws ReplayRefused, whose `kind` says whether the server can show it. */
export async function openReplay(data: Uint8Array, what?: string): Promise<ReplaySource> {
  const [engine, file] = await Promise.all([loadEngine(), readReplay(data, what)]);
  const source = new ReplaySource(engine, file);
  source.begin();
  return source;
}

/** A world at the start of a replay, or the reason why this engine cannot play it. */
export function openWorld(engine: Engine, file: ReplayFile): World {
  const { header } = file;
  if (!engine.games().includes(header.game)) throw otherEngine(`${header.replay_id} is of ${header.game}, which this page's engine does not have.`);
  const { version } = engine.describe(header.game);
  if (version !== header.game_version)
    throw otherEngine(
      `${header.replay_id} was recorded on ${header.game} version ${header.game_version}, this page's engine has version ${version}: ` +
        "the same actions give another episode.",
    );
  let world: World;
  try {
    world = createWorld(engine, header.game, header.config);
  } catch (problem) {
    throw otherEngine(`${header.replay_id} has settings that this page's engine does not know (${(problem as Error).message}).`);
  }
  const width = file.header.action_shape.slice(1).reduce((product, n) => product * n, 1);
  if (width !== world.actions.length || header.agents.length !== world.spec.shape.agents) {
    world.close();
    throw new ReplayRefused("damaged", `${header.replay_id} holds ${width} action numbers per step, ${header.game} takes ${world.actions.length}.`);
  }
  world.reset([BigInt(header.seed)]);
  return world;
}

function otherEngine(sentence: string): ReplayRefused {
  return new ReplayRefused("other_engine", sentence);
}

export class ReplaySource implements Source {
  readonly spec: GameSpec;
  readonly facts: ReplayFacts;
  #checkedWorld: World | null; // plays every step once, compares hashes and makes keyframes; null when done
  #shownWorld: World; // is moved to the step whose frame is made
  #shownStep = 0;
  #played = 0; // steps that checkedWorld has played
  #keyframes: Uint8Array[] = []; // of step 0, 128, 256, …
  #ticks: Int32Array; // [steps + 1] ticks so far
  #rewards: Float32Array; // [steps, agents]
  #replayEvents: ReplayEvent[] = [];
  #frames = new Map<number, Frame>(); // the latest, oldest first
  #returns: number[];
  #recordedHashes: Map<number, bigint>;
  #mismatch: string | null = null; // the first difference from the recording
  #ended = false;
  #closed = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #listeners = new Set<() => void>();

  constructor(
    engine: Engine,
    readonly file: ReplayFile,
  ) {
    const { header, end, hashes } = file;
    this.#checkedWorld = openWorld(engine, file);
    this.#shownWorld = openWorld(engine, file);
    this.spec = this.#shownWorld.spec;
    this.facts = factsOf(file);
    this.#ticks = new Int32Array(end.steps + 1);
    this.#rewards = new Float32Array(end.steps * header.agents.length);
    this.#returns = header.agents.map(() => 0);
    this.#recordedHashes = new Map(hashes.map((hash) => [hash.step, hash.value]));
    this.#keyframes.push(this.#checkedWorld.snapshot(0));
    this.#checkHash(this.#checkedWorld);
    if (end.steps === 0) this.#finish(this.#checkedWorld);
  }

  /** Plays ahead in slices until every step is known. */
  begin(): void {
    if (this.#timer !== null || !this.#checkedWorld) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#playAhead(this.file.end.steps, SLICE_MS);
      this.#notify();
      this.begin();
    });
  }

  get steps(): number {
    return this.#checkedWorld ? this.file.end.steps : this.#played; // fewer if it ends early
  }

  get ticks(): number {
    return this.#checkedWorld ? this.file.end.ticks : this.#ticks[this.#played]!;
  }

  /** Steps that have been played again so far. */
  get known(): number {
    return this.#played;
  }

  frameAt(step: number): Frame | null {
    const kept = this.#frames.get(step);
    if (kept) return kept;
    if (this.#closed || !Number.isInteger(step) || step < 0 || step > this.steps) return null;
    if (step > this.#played) this.#playAhead(step, WAIT_MS);
    if (step > this.#played) return null;
    this.#seek(step);
    const frame = this.#makeFrame(step);
    this.#frames.set(step, frame);
    if (this.#frames.size > FRAMES_KEPT) this.#frames.delete(this.#frames.keys().next().value!);
    return frame;
  }

  events(): readonly ReplayEvent[] {
    return this.#replayEvents;
  }

  /** Reward of every step that is known, one row of agents per step. */
  rewards(): Float32Array {
    return this.#rewards.subarray(0, this.#played * this.file.header.agents.length);
  }

  tickOfStep(step: number): number {
    const whole = Math.max(0, Math.min(Math.floor(step), this.steps));
    if (whole > this.#played) this.#playAhead(whole, WAIT_MS);
    return this.#ticks[Math.min(whole, this.#played)]!;
  }

  stepOfTick(tick: number): number {
    while (this.#checkedWorld && this.#ticks[this.#played]! < tick) {
      const before = this.#played;
      this.#playAhead(Math.min(this.file.end.steps, before + 4096), WAIT_MS);
      if (this.#played === before) break;
    }
    let low = 0;
    let high = this.#played;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ticks[middle]! >= tick) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  verdict(): Verdict {
    if (this.#mismatch) return { state: "no", why: this.#mismatch };
    if (this.#checkedWorld) return { state: "checking", share: this.#played / Math.max(1, this.file.end.steps) };
    return { state: "yes" };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#checkedWorld?.close();
    this.#checkedWorld = null;
    this.#shownWorld.close();
    this.#closed = true;
    this.#listeners.clear();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  // -------------------------------------------------------------- playing ahead

  #playAhead(until: number, milliseconds: number): void {
    const stop = performance.now() + milliseconds;
    while (this.#checkedWorld && this.#played < until) {
      this.#playOne(this.#checkedWorld);
      if (this.#played % STEPS_PER_CLOCK_CHECK === 0 && performance.now() > stop) return;
    }
  }

  #playOne(world: World): void {
    if (this.#ended) {
      this.#reportMismatch(`The episode ends after ${this.#played} of ${this.file.end.steps} steps.`);
      this.#endCheck();
      return;
    }
    world.actions.set(this.#actionsOf(this.#played));
    try {
      world.step();
    } catch (problem) {
      if (!(problem instanceof EngineError)) throw problem;
      this.#reportMismatch(`Step ${this.#played + 1} cannot be played: ${problem.message}.`);
      this.#endCheck();
      return;
    }
    this.#played++;
    this.#recordStep(world);
    if (this.#played === this.file.end.steps) this.#finish(world);
  }

  #recordStep(world: World): void {
    const step = this.#played;
    const tick = this.#ticks[step - 1]! + world.ticks[0]!;
    this.#ticks[step] = tick;
    this.#rewards.set(world.rewards, (step - 1) * world.rows);
    world.rewards.forEach((reward, agent) => (this.#returns[agent]! += reward));
    for (const event of world.events(0)) this.#replayEvents.push({ step, tick, ...event });
    this.#ended = Boolean(world.terminated[0] || world.truncated[0]);
    this.#checkHash(world);
    if (step % KEYFRAME_EVERY_STEPS === 0) this.#keyframes.push(world.snapshot(0));
  }

  #checkHash(world: World): void {
    const expected = this.#recordedHashes.get(this.#played);
    if (expected !== undefined && expected !== world.hash(0)) this.#reportMismatch(`Its state differs from the recorded one at step ${this.#played}.`);
  }

  /** The comparisons of `sandlot replay --verify` at the end of an episode. */
  #finish(world: World): void {
    const { end, events } = this.file;
    const found = this.#replayEvents;
    const same = events.length === found.length && events.every((each, i) => each.name === found[i]!.name && each.step + 1 === found[i]!.step);
    if (!same) this.#reportMismatch(`${found.length} events happen, ${events.length} were recorded, or their kinds or steps differ.`);
    if (this.#ticks[this.#played] !== end.ticks) this.#reportMismatch(`It lasts ${this.#ticks[this.#played]} ticks; ${end.ticks} were recorded.`);
    if (end.returns.some((value, agent) => value !== this.#returns[agent])) this.#reportMismatch("The returns differ from the recorded ones.");
    if (end.terminated !== Boolean(world.terminated[0]) || end.truncated !== Boolean(world.truncated[0]))
      this.#reportMismatch("Its ending differs from the recorded one.");
    this.#endCheck();
  }

  #reportMismatch(sentence: string): void {
    this.#mismatch ??= sentence;
  }

  #endCheck(): void {
    this.#checkedWorld?.close();
    this.#checkedWorld = null;
  }

  #actionsOf(step: number): Float32Array | Int32Array {
    const width = this.#shownWorld.actions.length;
    return this.file.actions.subarray(step * width, (step + 1) * width);
  }

  // -------------------------------------------------------------- showing

  /** Move the shown world to a step: forward from where it is, or from the nearest keyframe before the step. */
  #seek(step: number): void {
    const key = Math.min(Math.max(0, Math.floor((step - 1) / KEYFRAME_EVERY_STEPS)), this.#keyframes.length - 1);
    const start = key * KEYFRAME_EVERY_STEPS;
    // a keyframe has no rewards or events of its last step, so frames are made one step later (except step 0)
    const onward = this.#shownStep < step && this.#shownStep >= start;
    if (!onward) {
      this.#shownWorld.restore(0, this.#keyframes[key]!);
      this.#shownStep = start;
    }
    while (this.#shownStep < step) {
      this.#shownWorld.actions.set(this.#actionsOf(this.#shownStep));
      this.#shownWorld.step();
      this.#shownStep++;
    }
  }

  #makeFrame(step: number): Frame {
    const world = this.#shownWorld;
    const { agents, action_size: size } = this.spec.shape;
    const render = world.render(0);
    const played = step > 0 ? this.#actionsOf(step - 1) : null;
    return {
      step,
      tick: this.#ticks[step]!,
      dt: step > 0 ? this.#ticks[step]! - this.#ticks[step - 1]! : 0,
      actions: played ? Array.from({ length: agents }, (_, i) => actionText(this.spec, played.subarray(i * size, (i + 1) * size))) : [],
      rewards: step > 0 ? Array.from(this.#rewards.subarray((step - 1) * agents, step * agents)) : this.facts.agents.map(() => 0),
      terms: step > 0 ? termsOf(this.spec, render) : {},
      events: this.#eventsOf(step),
      render,
      info: world.info(0),
      observations: world.observations.slice(),
      ...(this.spec.shape.masked ? { masks: world.masks.slice() } : {}),
    };
  }

  #eventsOf(step: number): readonly ReplayEvent[] {
    let low = 0;
    let high = this.#replayEvents.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#replayEvents[middle]!.step < step) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (this.#replayEvents[end]?.step === step) end++;
    return this.#replayEvents.slice(low, end);
  }
}

/** The terms of the last reward by name, one entry per agent, if the game's render block has them. */
export function termsOf(spec: GameSpec, render: Named): Record<string, readonly number[]> {
  const field = spec.render.find((each) => each.name === "reward_terms");
  const values = render.reward_terms;
  if (!field || typeof values === "number" || values === undefined) return {};
  const agents = values.length / Math.max(1, field.labels.length);
  return Object.fromEntries(
    field.labels.map((label, i) => [label, Array.from({ length: agents }, (_, agent) => values[agent * field.labels.length + i] ?? 0)]),
  );
}

function factsOf({ header, end }: ReplayFile): ReplayFacts {
  return {
    replayId: header.replay_id,
    runId: header.run_id,
    windowId: header.window_id,
    game: header.game,
    seed: header.seed,
    config: header.config,
    agents: header.agents,
    policies: header.policies,
    tags: header.tags,
    createdAt: header.created_at,
    returns: end.returns,
    episode: end.episode,
  };
}
