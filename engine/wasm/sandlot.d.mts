// The types of sandlot.mjs, for pages and programs in TypeScript.

/** A named run of numbers in a flat block. */
export type FieldSpec = {
  name: string;
  start: number;
  shape: readonly number[];
  low?: number;
  high?: number;
  unit: string;
  labels: readonly string[];
  text: string;
};

export type KnobSpec = {
  name: string;
  kind: "float" | "integer" | "flag" | "choice";
  low: number;
  high: number;
  defaults: readonly number[];
  unit: string;
  choices: readonly string[];
  text: string;
};

/** What a game says about itself (the JSON of sl_describe). */
export type GameSpec = {
  name: string;
  title: string;
  version: string;
  /** Changes when a policy or replay made under this spec no longer fits. */
  hash: string;
  text: string;
  profiles: readonly string[];
  shape: {
    agents: number;
    observation: number;
    actions: number;
    action_size: number;
    masked: boolean;
    info: number;
    render: number;
    episode: number;
  };
  knobs: readonly KnobSpec[];
  bots: readonly { name: string; levels: number; role: string; text: string }[];
  observation: readonly FieldSpec[];
  actions: readonly { name: string; group: string; text: string }[];
  roles: readonly string[];
  agent_roles: readonly string[];
  reward_terms: readonly { name: string; role: string; knob: string; text: string }[];
  info: readonly FieldSpec[];
  render: readonly FieldSpec[];
  episode: readonly FieldSpec[];
  meaning: readonly { field: string; kind: "outcome" | "code" | "flag" | "measure"; better: "higher" | "lower" | "none"; headline: boolean }[];
  outcomes?: readonly { role: string; field: string; equals: string; means: "win" | "loss" | "draw" }[];
  default_bots: Readonly<Record<string, string>>; // by role
  events: readonly { name: string; values: readonly string[]; text: string }[];
};

export type Config = Readonly<Record<string, unknown>>;
export type Named = Record<string, number | number[]>;
export type WorldEvent = { name: string; values: Record<string, number> };
export type Episode = {
  seed: bigint;
  step: number;
  world: number;
  episode: number;
  length: number;
  invalid: number;
  terminated: boolean;
  truncated: boolean;
} & Record<string, unknown>;

export class EngineError extends Error {}

export function loadEngine(source: BufferSource | Response): Promise<Engine>;

export class Engine {
  readonly build: string;
  games(): string[];
  describe(game: string, options?: { config?: Config; profile?: string }): GameSpec;
  create(game: string, options?: { worlds?: number; config?: Config; profile?: string; autoreset?: boolean }): World;
}

export class World {
  readonly engine: Engine;
  readonly spec: GameSpec;
  readonly worlds: number;
  readonly rows: number;
  readonly observations: Float32Array;
  readonly finalObservations: Float32Array;
  readonly actions: Float32Array | Int32Array;
  readonly rewards: Float32Array;
  readonly terminated: Uint8Array;
  readonly truncated: Uint8Array;
  readonly masks: Uint8Array;
  readonly ticks: Int32Array;
  readonly invalid: Uint8Array;
  reset(seeds: readonly (number | bigint)[]): Float32Array;
  step(): number;
  hash(world: number): bigint;
  snapshot(world: number): Uint8Array;
  restore(world: number, state: Uint8Array): void;
  render(world: number): Named;
  info(world: number): Named;
  events(world: number): WorldEvent[];
  finished(): Episode[];
  bot(name: string, options?: { level?: number; seed?: number | bigint }): Bot;
  botAct(bot: number, level: number, memory: number, first: number, count: number): void;
  close(): void;
}

export class Bot {
  readonly world: World;
  readonly index: number;
  readonly level: number;
  /** Writes an action into every row of the world, or into `count` rows from `first` on. */
  act(first?: number, count?: number): void;
  close(): void;
}
