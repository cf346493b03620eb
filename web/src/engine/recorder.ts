// Watches a world from its reset on and notes what a replay holds, as the recorder in Python does: the same hashes, events,
// sums and rounding, so that `sandlot replay --verify` agrees with a match that was played in a page.
import type { Engine, GameSpec, World } from "./engine";
import { HASH_EVERY_STEPS, encodingOf, writeReplay, type ReplayFile } from "./replayFile";
import { type Setting } from "./spec";

export type Played = {
  replayId: string;
  seed: bigint;
  config: Record<string, Setting>;
  policies: Record<string, string>; // who played each role
  scoredAgent: number;
  createdAt: Date;
};

export class Recorder {
  steps = 0;
  ticks = 0;
  readonly returns: number[];
  ended = false;
  #actions: number[] = [];
  #events: ReplayFile["events"] = [];
  #hashes: ReplayFile["hashes"];
  #episode: Record<string, unknown> = {};

  constructor(private readonly world: World) {
    this.returns = Array.from({ length: world.rows }, () => 0);
    this.#hashes = [{ step: 0, value: world.hash(0) }];
  }

  /** Call it after each step. */
  recordStep(): void {
    const { world } = this;
    for (const action of world.actions) this.#actions.push(action);
    for (const event of world.events(0)) this.#events.push({ step: this.steps, name: event.name });
    this.steps++;
    this.ticks += world.ticks[0]!;
    world.rewards.forEach((reward, agent) => (this.returns[agent]! += reward));
    if (this.steps % HASH_EVERY_STEPS === 0) this.#hashes.push({ step: this.steps, value: world.hash(0) });
    this.ended = Boolean(world.terminated[0] || world.truncated[0]);
    if (this.ended) this.#episode = namedSums(world.spec, world.finished()[0] ?? {});
  }

  /** The game's own sums, words for labels; empty until the episode has ended. */
  get episode(): Readonly<Record<string, unknown>> {
    return this.#episode;
  }

  file(engine: Engine, played: Played): ReplayFile {
    const { world, steps } = this;
    const { spec } = world;
    const encoding = encodingOf(spec.shape.actions);
    const last = { step: steps, value: world.hash(0) };
    return {
      header: {
        schema_version: 1,
        kind: "header",
        replay_id: played.replayId,
        game: spec.name,
        game_version: spec.version,
        engine: engine.build,
        spec_hash: spec.hash,
        config: played.config,
        seed: played.seed.toString(),
        agents: [...spec.agent_roles],
        policies: played.policies,
        scored_agent: played.scoredAgent,
        action_encoding: encoding,
        action_shape: encoding === "q127" ? [steps, spec.shape.agents, spec.shape.action_size] : [steps, spec.shape.agents],
        run_id: null,
        window_id: null,
        checkpoint_path: null,
        checkpoint_env_steps_total: null,
        trainer_backend: null,
        tags: [],
        created_at: played.createdAt.toISOString(),
      },
      actions: spec.shape.actions ? Int32Array.from(this.#actions) : Float32Array.from(this.#actions),
      events: this.#events,
      hashes: this.#hashes.at(-1)!.step === steps ? this.#hashes : [...this.#hashes, last],
      end: {
        schema_version: 1,
        kind: "end",
        steps,
        ticks: this.ticks,
        returns: [...this.returns],
        terminated: Boolean(world.terminated[0]),
        truncated: Boolean(world.truncated[0]),
        episode: this.#episode,
      },
    };
  }

  bytes(engine: Engine, played: Played): Promise<Uint8Array> {
    return writeReplay(this.file(engine, played));
  }
}

export function newReplayId(): string {
  const [word] = crypto.getRandomValues(new Uint32Array(1));
  return `replay-000000-${word!.toString(16).padStart(8, "0")}`;
}

function namedSums(spec: GameSpec, sums: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    spec.episode.map((field) => {
      const value = sums[field.name];
      if (Array.isArray(value)) return [field.name, reshaped(value.map(nineDigits), field.shape)];
      const word = field.labels[Math.trunc(value as number)];
      return [field.name, word ?? nineDigits(value as number)];
    }),
  );
}

/** A flat list in the field's shape, as Python writes it. */
function reshaped(values: number[], shape: readonly number[]): unknown[] {
  if (shape.length < 2) return values;
  const [first = 1, ...rest] = shape;
  const size = values.length / first;
  return Array.from({ length: first }, (_, i) => reshaped(values.slice(i * size, (i + 1) * size), rest));
}

/** The nine digits that tell one float32 from the next, by the same steps as in Python. */
export function nineDigits(value: number): number {
  if (value === 0 || !Number.isFinite(value)) return value;
  const exponent = Number(Math.abs(value).toExponential().split("e")[1]);
  const scale = Number(`1e${8 - exponent}`);
  const scaled = value * scale;
  const low = Math.floor(scaled);
  const rest = scaled - low;
  const whole = rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low;
  return whole / scale;
}
