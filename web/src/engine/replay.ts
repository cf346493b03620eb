// A replay played again in this page: the first frame at once, the rest in slices between two paints, every state hash
// checked on the way, and keyframes kept so that any step is a few milliseconds away.
//
// No worker: an episode of 20,000 ticks takes about a tenth of a second in slices of a few milliseconds, and a picture
// that can ask for its frame without waiting is worth more (docs/browser.md has the measurements).
import { EngineError, createWorld, loadEngine, type Engine, type GameSpec, type World } from "./engine";
import { ReplayRefused, readReplay, type ReplayFile } from "./replayFile";
import { actionInWords } from "./spec";
import type { Frame, ReplayEvent, Named, ReplayFacts, Source, Verdict } from "../parts/player/source";

export { ReplayRefused } from "./replayFile";

const KEYFRAME_EVERY_STEPS = 128;
const SLICE_MS = 6; // of work between two chances for the page to draw
const WAIT_MS = 120; // the longest that one question may play ahead
const STEPS_BETWEEN_LOOKS = 64; // at the clock
const FRAMES_KEPT = 256;

/** Reads a replay file and begins to play it. Refused with a ReplayRefused whose `kind` says whether a server may help. */
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
    throw new ReplayRefused("damaged", `${header.replay_id} holds ${width} action numbers a step, ${header.game} takes ${world.actions.length}.`);
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
  #scout: World | null; // plays ahead once, checks, leaves keyframes
  #stage: World; // shows
  #stageStep = 0;
  #played = 0; // steps that the scout has played
  #keyframes: Uint8Array[] = []; // of step 0, 128, 256, …
  #ticks: Int32Array; // [steps + 1] ticks so far
  #rewards: Float32Array; // [steps, agents]
  #replayEvents: ReplayEvent[] = [];
  #frames = new Map<number, Frame>(); // the latest, oldest first
  #returns: number[];
  #expected: Map<number, bigint>;
  #why: string | null = null; // why it does not play again as recorded
  #ended = false;
  #closed = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #listeners = new Set<() => void>();

  constructor(
    engine: Engine,
    readonly file: ReplayFile,
  ) {
    const { header, end, hashes } = file;
    this.#scout = openWorld(engine, file);
    this.#stage = openWorld(engine, file);
    this.spec = this.#stage.spec;
    this.facts = factsOf(file);
    this.#ticks = new Int32Array(end.steps + 1);
    this.#rewards = new Float32Array(end.steps * header.agents.length);
    this.#returns = header.agents.map(() => 0);
    this.#expected = new Map(hashes.map((hash) => [hash.step, hash.value]));
    this.#keyframes.push(this.#scout.snapshot(0));
    this.#checkHash(this.#scout);
    if (end.steps === 0) this.#finish(this.#scout);
  }

  /** Plays on in slices until all of it is known. */
  begin(): void {
    if (this.#timer !== null || !this.#scout) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#playAhead(this.file.end.steps, SLICE_MS);
      this.#tell();
      this.begin();
    });
  }

  get steps(): number {
    return this.#scout ? this.file.end.steps : this.#played; // fewer when it ends early here
  }

  get ticks(): number {
    return this.#scout ? this.file.end.ticks : this.#ticks[this.#played]!;
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
    this.#moveStage(step);
    const frame = this.#look(step);
    this.#frames.set(step, frame);
    if (this.#frames.size > FRAMES_KEPT) this.#frames.delete(this.#frames.keys().next().value!);
    return frame;
  }

  events(): readonly ReplayEvent[] {
    return this.#replayEvents;
  }

  /** Reward of every step that is known, one row of agents a step. */
  rewards(): Float32Array {
    return this.#rewards.subarray(0, this.#played * this.file.header.agents.length);
  }

  tickOfStep(step: number): number {
    const whole = Math.max(0, Math.min(Math.floor(step), this.steps));
    if (whole > this.#played) this.#playAhead(whole, WAIT_MS);
    return this.#ticks[Math.min(whole, this.#played)]!;
  }

  stepOfTick(tick: number): number {
    while (this.#scout && this.#ticks[this.#played]! < tick) {
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
    if (this.#why) return { state: "no", why: this.#why };
    if (this.#scout) return { state: "checking", share: this.#played / Math.max(1, this.file.end.steps) };
    return { state: "yes" };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#scout?.close();
    this.#scout = null;
    this.#stage.close();
    this.#closed = true;
    this.#listeners.clear();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  // -------------------------------------------------------------- playing ahead

  #playAhead(until: number, milliseconds: number): void {
    const stop = performance.now() + milliseconds;
    while (this.#scout && this.#played < until) {
      this.#playOne(this.#scout);
      if (this.#played % STEPS_BETWEEN_LOOKS === 0 && performance.now() > stop) return;
    }
  }

  #playOne(world: World): void {
    if (this.#ended) {
      this.#doubt(`The episode ends after ${this.#played} of ${this.file.end.steps} steps.`);
      this.#stop();
      return;
    }
    world.actions.set(this.#actionsOf(this.#played));
    try {
      world.step();
    } catch (problem) {
      if (!(problem instanceof EngineError)) throw problem;
      this.#doubt(`Step ${this.#played + 1} cannot be played: ${problem.message}.`);
      this.#stop();
      return;
    }
    this.#played++;
    this.#note(world);
    if (this.#played === this.file.end.steps) this.#finish(world);
  }

  #note(world: World): void {
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
    const expected = this.#expected.get(this.#played);
    if (expected !== undefined && expected !== world.hash(0)) this.#doubt(`Its state differs from the recorded one at step ${this.#played}.`);
  }

  /** What `sandlot replay --verify` compares at the end. */
  #finish(world: World): void {
    const { end, events } = this.file;
    const found = this.#replayEvents;
    const same = events.length === found.length && events.every((each, i) => each.name === found[i]!.name && each.step + 1 === found[i]!.step);
    if (!same) this.#doubt(`${found.length} events happen where ${events.length} were recorded, or others.`);
    if (this.#ticks[this.#played] !== end.ticks) this.#doubt(`It lasts ${this.#ticks[this.#played]} ticks, recorded were ${end.ticks}.`);
    if (end.returns.some((value, agent) => value !== this.#returns[agent])) this.#doubt("The returns are others than recorded.");
    if (end.terminated !== Boolean(world.terminated[0]) || end.truncated !== Boolean(world.truncated[0]))
      this.#doubt("It ends in another way than recorded.");
    this.#stop();
  }

  #doubt(sentence: string): void {
    this.#why ??= sentence;
  }

  #stop(): void {
    this.#scout?.close();
    this.#scout = null;
  }

  #actionsOf(step: number): Float32Array | Int32Array {
    const width = this.#stage.actions.length;
    return this.file.actions.subarray(step * width, (step + 1) * width);
  }

  // -------------------------------------------------------------- showing

  /** To a step: onward from where the stage is, or from the keyframe before it, whichever is nearer. */
  #moveStage(step: number): void {
    const key = Math.min(Math.max(0, Math.floor((step - 1) / KEYFRAME_EVERY_STEPS)), this.#keyframes.length - 1);
    const start = key * KEYFRAME_EVERY_STEPS;
    // a keyframe has no last step: it is never shown itself, except the opening
    const onward = this.#stageStep < step && this.#stageStep >= start;
    if (!onward) {
      this.#stage.restore(0, this.#keyframes[key]!);
      this.#stageStep = start;
    }
    while (this.#stageStep < step) {
      this.#stage.actions.set(this.#actionsOf(this.#stageStep));
      this.#stage.step();
      this.#stageStep++;
    }
  }

  #look(step: number): Frame {
    const world = this.#stage;
    const { agents, action_size: size } = this.spec.shape;
    const render = world.render(0);
    const played = step > 0 ? this.#actionsOf(step - 1) : null;
    return {
      step,
      tick: this.#ticks[step]!,
      dt: step > 0 ? this.#ticks[step]! - this.#ticks[step - 1]! : 0,
      actions: played ? Array.from({ length: agents }, (_, i) => actionInWords(this.spec, played.subarray(i * size, (i + 1) * size))) : [],
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

/** The parts of the last reward by name, one entry an agent, where a game draws them. */
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
