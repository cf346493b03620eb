// A match played in this page by people, scripted players and trained policies, without a server. A game with a clock
// runs in real time (`advance`), a turn-based one step by step (`play`). A match can be saved as a replay.
import type { Frame, ReplayEvent } from "../parts/player/source";
import { botName, defaultBot, type BotChoice } from "./bots";
import { EngineError, createWorld, loadEngine, type Config, type Engine, type GameSpec, type World } from "./engine";
import type { Policy } from "./policy";
import { Random, checkSeed, freshSeed } from "./random";
import { Recorder, newReplayId } from "./recorder";
import { termsOf } from "./replay";
import { quantise } from "./replayFile";
import { actionText, agentsOf, secondsPerStep, completeConfig, type Setting } from "./spec";

export type PlayerChoice = BotChoice | { kind: "policy"; policy: Policy; greedy?: boolean; name?: string };

export type SessionOptions = {
  game: string;
  config?: Config;
  seed?: number | bigint | string;
  human?: string | null; // the role that a person plays; null: none, for watching
  humanName?: string;
  players?: Readonly<Record<string, PlayerChoice>>; // the player of each role; its default bot if not given
};

const MOST_SECONDS_BEHIND = 0.25; // a slow page catches up on at most this much time; the rest is dropped
const MOST_STEPS_AT_ONCE = 8;
const SLICE_MS = 8; // how long rush() plays before it lets the page draw
const BOT_STREAM = 0xb075n; // separates the players' random streams from the world's

/** A bot or a policy that decides for one agent. */
type Controller = { act(world: World): Promise<void> | void; close(): void };

export class PlaySession {
  readonly seed: bigint;
  readonly config: Record<string, Setting>;
  readonly secondsPerStep: number | null; // null for a turn-based game
  readonly names: Record<string, string>; // who plays each role
  #humans: readonly number[]; // agents
  speed = 1; // of a clock game: multiple of real time
  readonly #world: World;
  #frame: Frame | null = null; // made when `frame` is first read after a step
  #previousFrame: Frame | null = null;
  #heldActions: (number[] | null)[]; // by agent: a person's action, repeated until it changes
  #controllers: Map<string, Controller>[]; // by agent and role
  #recorder: Recorder;
  #unplayedSeconds = 0; // elapsed real time that has not been played yet
  #deciding: Promise<void> | null = null;
  #closed = false;
  #replayEvents: ReplayEvent[] = [];
  #listeners = new Set<() => void>();
  #error: Error | null = null;

  static async start(options: SessionOptions): Promise<PlaySession> {
    const session = new PlaySession(await loadEngine(), options);
    await session.ready();
    return session;
  }

  private constructor(
    private readonly engine: Engine,
    private readonly options: SessionOptions,
  ) {
    const { game, config = {} } = options;
    this.seed = checkSeed(options.seed ?? freshSeed());
    this.#world = createWorld(engine, game, config);
    const { spec } = this.#world;
    this.config = completeConfig(spec, config);
    this.secondsPerStep = secondsPerStep(this.config);
    this.#humans = options.human ? agentsOf(spec, options.human) : [];
    try {
      if (options.human && !this.humans.length)
        throw new EngineError(`${spec.title} has no ${options.human}; it has ${[...new Set(spec.agent_roles)].join(", ")}.`);
      this.#world.reset([this.seed]);
      this.#controllers = spec.agent_roles.map((_, agent) => (this.humans.includes(agent) ? new Map<string, Controller>() : this.#controllersOf(agent)));
    } catch (problem) {
      this.#world.close();
      throw problem;
    }
    this.names = this.#namesOf(options);
    this.#heldActions = spec.agent_roles.map(() => null);
    this.#recorder = new Recorder(this.#world);
    this.#decide();
  }

  /** Agents that people play. */
  get humans(): readonly number[] {
    return this.#humans;
  }

  /** The state of the world after the latest step. */
  get frame(): Frame {
    return (this.#frame ??= this.#makeFrame());
  }

  /** The frame one step before, for interpolation between the two. */
  get previous(): Frame {
    return this.#previousFrame ?? this.frame;
  }

  get spec(): GameSpec {
    return this.#world.spec;
  }

  get steps(): number {
    return this.#recorder.steps;
  }

  get over(): boolean {
    return this.#recorder.ended;
  }

  get returns(): readonly number[] {
    return this.#recorder.returns;
  }

  /** The game's own sums over the episode, once it is over. */
  get episode(): Readonly<Record<string, unknown>> {
    return this.#recorder.episode;
  }

  events(): readonly ReplayEvent[] {
    return this.#replayEvents;
  }

  /** How far real time is between the previous frame (0) and this one (1). */
  get blend(): number {
    return this.secondsPerStep ? Math.min(1, this.#unplayedSeconds / this.secondsPerStep) : 1;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Sets the action that a person's agent repeats from now on; without `agent`, of the first such agent. */
  hold(action: readonly number[], agent = this.humans[0]): void {
    if (agent === undefined || !this.humans.includes(agent)) throw new EngineError("No person plays this agent.");
    const { action_size: size, actions: count } = this.spec.shape;
    if (action.length !== size) throw new EngineError(`An action of ${this.spec.title} has ${size} numbers, not ${action.length}.`);
    // other values become an invalid action (discrete) or 0 (continuous)
    const known = (id: number) => (Number.isInteger(id) && id >= 0 && id < count ? id : -1);
    this.#heldActions[agent] = action.map((value) => (count ? known(value) : Number.isFinite(value) ? value : 0));
  }

  /** A person takes over a role; `names` lists both players. */
  takeOver(role: string, humanName = "a person"): void {
    const agents = agentsOf(this.spec, role).filter((agent) => !this.humans.includes(agent));
    if (!agents.length) throw new EngineError(`Nobody but people plays ${role} in ${this.spec.title}.`);
    for (const agent of agents) {
      for (const controller of this.#controllers[agent]?.values() ?? []) controller.close();
      this.#controllers[agent]?.clear();
    }
    this.#humans = [...this.humans, ...agents];
    this.names[role] = `${this.names[role] ?? "somebody"}, then ${humanName}`;
  }

  /** Plays the decisions that are due after `seconds` more of real time; returns how many were played. */
  advance(seconds: number): number {
    if (this.secondsPerStep === null) throw new EngineError(`${this.spec.title} has no clock; use play().`);
    this.#throwError();
    if (this.over || this.#closed) return 0;
    this.#unplayedSeconds = Math.min(this.#unplayedSeconds + Math.max(0, seconds) * this.speed, MOST_SECONDS_BEHIND * Math.max(1, this.speed));
    return this.#playDue();
  }

  #playDue(): number {
    let played = 0;
    const each = this.secondsPerStep!;
    while (this.#unplayedSeconds >= each && !this.#deciding && !this.over && !this.#closed && played < MOST_STEPS_AT_ONCE) {
      this.#unplayedSeconds -= each;
      void this.frame; // make it now: it becomes the previous frame
      this.#step();
      played++;
    }
    return played;
  }

  /** Plays one step. action: of the first person's agent, an id in a discrete game. */
  async play(action?: number | readonly number[]): Promise<Frame> {
    if (action !== undefined) this.hold(typeof action === "number" ? [action] : action);
    await this.ready();
    if (this.over) throw new EngineError("The game is over; start a new one.");
    if (this.#closed) throw new EngineError("This match was closed; start a new one.");
    this.#step();
    return this.frame;
  }

  /** Plays to the end as fast as possible, in slices that leave the page responsive; makes no frames. */
  async rush(mostSteps = 30_000): Promise<void> {
    let paused = performance.now();
    while (!this.over && !this.#closed && this.steps < mostSteps) {
      if (this.#deciding) await this.ready();
      this.#step();
      if (performance.now() - paused < SLICE_MS) continue;
      await new Promise((done) => setTimeout(done));
      paused = performance.now();
    }
  }

  /** Resolves when every controller has decided and the next step can be played. */
  async ready(): Promise<void> {
    while (this.#deciding) await this.#deciding;
    this.#throwError();
  }

  /** The match so far as the bytes of a replay, and a name for the file. */
  async save(): Promise<{ name: string; bytes: Uint8Array }> {
    const replayId = newReplayId();
    const played = { replayId, seed: this.seed, config: this.config, policies: this.names, scoredAgent: this.humans[0] ?? 0, createdAt: new Date() };
    return { name: `${replayId}.jsonl.gz`, bytes: await this.#recorder.bytes(this.engine, played) };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const controllers of this.#controllers) for (const controller of controllers.values()) controller.close();
    this.#world.close();
    this.#listeners.clear();
  }

  // -------------------------------------------------------------- who plays

  #choice(role: string): PlayerChoice {
    const chosen = this.options.players?.[role] ?? defaultBot(this.spec, role);
    if (!chosen) throw new EngineError(`Nobody plays ${role}; choose a player.`);
    return chosen;
  }

  /** A controller for every role that an agent may have: in some games roles change hands. */
  #controllersOf(agent: number): Map<string, Controller> {
    const seed = this.seed * 31n + BOT_STREAM + BigInt(agent);
    return new Map([...new Set(this.spec.roles)].map((role) => [role, controllerFor(this.#world, agent, this.#choice(role), BigInt.asUintN(63, seed))]));
  }

  #namesOf({ human, humanName = "a person" }: SessionOptions): Record<string, string> {
    return Object.fromEntries(
      [...new Set(this.spec.agent_roles)].map((role) => {
        if (role === human) return [role, humanName];
        const choice = this.#choice(role);
        return [role, choice.kind === "bot" ? `${botName(this.spec, choice)} (scripted)` : (choice.name ?? choice.policy.name)];
      }),
    );
  }

  /** The current role of an agent: the render block may have one flag per agent under a role's name. */
  roleOf(agent: number): string {
    const { roles, agent_roles: first } = this.spec;
    for (const role of roles.length > 1 ? roles : []) {
      const flags = this.frame.render[role];
      const flag = typeof flags === "number" ? flags : flags?.[agent];
      if (flag !== undefined) return flag ? role : (roles.find((other) => other !== role) ?? role);
    }
    return first[agent]!;
  }

  // -------------------------------------------------------------- one step

  /** Bots and policies decide right after each step, so that their actions are ready when the next step is due. */
  #decide(): void {
    if (this.over || this.#closed) return;
    const waiting = this.#controllers.flatMap((controllers, agent) => controllers.get(this.roleOf(agent))?.act(this.#world) ?? []);
    if (!waiting.length) return;
    this.#deciding = Promise.all(waiting)
      .catch((problem: unknown) => {
        this.#error = problem instanceof Error ? problem : new Error(String(problem));
      })
      .then(() => {
        this.#deciding = null;
        if (!this.#error && this.secondsPerStep !== null && this.#unplayedSeconds >= this.secondsPerStep) this.#playDue();
      });
  }

  #throwError(): void {
    if (!this.#error) return;
    const problem = this.#error;
    this.#error = null;
    throw problem;
  }

  #step(): void {
    const world = this.#world;
    const { action_size: size, actions: count } = world.spec.shape;
    for (const agent of this.humans) world.actions.set(this.#heldActions[agent] ?? this.#defaultAction(), agent * size);
    if (!count) world.actions.forEach((value, i) => (world.actions[i] = quantise(value)));
    world.step();
    this.#recorder.recordStep();
    this.#previousFrame = this.#frame;
    this.#frame = null;
    this.#replayEvents.push(...this.#eventsNow());
    this.#decide();
    for (const listener of this.#listeners) listener();
  }

  /** The default action: zeros, or in a discrete game the first legal action. */
  #defaultAction(): number[] {
    const { action_size: size, actions: count, masked } = this.spec.shape;
    if (!count) return Array.from({ length: size }, () => 0);
    const row = (this.humans[0] ?? 0) * count;
    return [masked ? Math.max(0, this.#world.masks.subarray(row, row + count).indexOf(1)) : 0];
  }

  #eventsNow(): ReplayEvent[] {
    const { steps, ticks } = this.#recorder;
    return steps ? this.#world.events(0).map((event) => ({ step: steps, tick: ticks, ...event })) : [];
  }

  #makeFrame(): Frame {
    const world = this.#world;
    const { steps, ticks } = this.#recorder;
    const { action_size: size, masked } = world.spec.shape;
    const render = world.render(0);
    const words = world.spec.agent_roles.map((_, i) => actionText(world.spec, world.actions.subarray(i * size, (i + 1) * size)));
    return {
      step: steps,
      tick: ticks,
      dt: steps ? world.ticks[0]! : 0,
      actions: steps ? words : [],
      rewards: steps ? Array.from(world.rewards) : words.map(() => 0),
      terms: steps ? termsOf(world.spec, render) : {},
      events: this.#eventsNow(),
      render,
      info: world.info(0),
      observations: world.observations.slice(),
      ...(masked ? { masks: world.masks.slice() } : {}),
    };
  }
}

// ---------------------------------------------------------------- controllers

function controllerFor(world: World, agent: number, choice: PlayerChoice, seed: bigint): Controller {
  return choice.kind === "bot" ? botController(world, agent, choice, seed) : policyController(world, agent, choice, seed);
}

function botController(world: World, agent: number, { name, level }: BotChoice, seed: bigint): Controller {
  const bot = world.bot(name, level === undefined ? { seed } : { seed, level });
  return { act: () => bot.act(agent, 1), close: () => bot.close() };
}

function policyController(world: World, agent: number, choice: PlayerChoice & { kind: "policy" }, seed: bigint): Controller {
  const { policy, greedy = false } = choice;
  policy.check(world.spec);
  const { observation, actions: count, action_size: size, masked } = world.spec.shape;
  const random = new Random(seed);
  let state: Float32Array | null = null;
  let open = true;
  return {
    async act() {
      const seen = world.observations.slice(agent * observation, (agent + 1) * observation);
      const masks = masked ? world.masks.slice(agent * count, (agent + 1) * count) : null;
      const answer = await policy.act(seen, masks, state, { greedy, random });
      state = answer.state;
      if (open) world.actions.set(answer.actions, agent * size);
    },
    close: () => (open = false),
  };
}

// ---------------------------------------------------------------- the same seed, other players

/** Plays the episode of these options to its end without a person, to compare other players on the same seed. */
export async function playOut(options: SessionOptions, mostSteps?: number): Promise<PlaySession> {
  const session = await PlaySession.start({ ...options, human: null });
  await session.rush(mostSteps);
  return session;
}
