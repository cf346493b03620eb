// A replay source: frames of one episode by number, from the engine in this page or from the server.

/** A block of the engine by name: a number for a field of one, a flat list for a field of several. */
export type Named = Readonly<Record<string, number | readonly number[]>>;

export type FieldSpec = { name: string; start: number; shape: readonly number[]; low?: number; high?: number; unit: string; labels: readonly string[]; text: string };
export type KnobSpec = { name: string; kind: string; low: number; high: number; defaults: readonly number[]; unit: string; choices: readonly string[]; text: string };
export type ActionSpec = { name: string; group: string; text: string };

/** What a game says about itself: the JSON of the engine, as /api/games/{game} gives it too. */
export type GameSpec = {
  name: string;
  title: string;
  version: string;
  shape: { agents: number; observation: number; actions: number; action_size: number; masked: boolean };
  knobs: readonly KnobSpec[];
  bots: readonly { name: string; levels: number; role: string; text: string }[];
  observation: readonly FieldSpec[];
  actions: readonly ActionSpec[];
  roles: readonly string[];
  agent_roles: readonly string[] | readonly number[];
  reward_terms: readonly unknown[];
  info: readonly FieldSpec[];
  render: readonly FieldSpec[];
  events: readonly { name: string; values: readonly string[]; text: string }[];
};

export type ReplayEvent = {
  step: number; // the frame that it happened in
  tick: number;
  name: string;
  values: Readonly<Record<string, number>>;
};

export type Frame = {
  step: number; // decisions so far; 0 is the opening, before the first
  tick: number; // ticks so far
  dt: number; // ticks that this decision lasted
  actions: readonly string[]; // in words, one an agent; empty at the opening
  rewards: readonly number[]; // one an agent
  terms: Readonly<Record<string, readonly number[]>>; // reward by its parts, where known
  events: readonly ReplayEvent[];
  render: Named;
  info: Named;
  observations?: Float32Array; // [agents, D], where known
  masks?: Uint8Array; // [agents, A]
  raw?: unknown; // as the server sent it
};

export type Verdict =
  | { state: "checking"; share: number } // 0 … 1 of the episode played again so far
  | { state: "yes" }
  | { state: "no"; why: string }
  | { state: "unchecked"; why: string } // frames of the server: nothing here played them again
  | { state: "elsewhere"; engine: string }; // played in Godot: nobody can play it again, its frames were kept

export type ReplayFacts = {
  replayId: string;
  runId: string | null;
  windowId: number | null;
  game: string;
  seed: string;
  config: Readonly<Record<string, unknown>>;
  agents: readonly string[]; // the role of each agent
  policies: Readonly<Record<string, string>>; // who played each role
  tags: readonly string[];
  createdAt: string;
  returns: readonly number[];
  episode: Readonly<Record<string, unknown>>; // the game's own sums
};

/** One episode. frameAt may answer null while a step is not there yet; subscribers are notified when more is. */
export interface Source {
  readonly spec: GameSpec;
  readonly facts: ReplayFacts;
  readonly steps: number; // of the whole episode
  readonly ticks: number;
  frameAt(step: number): Frame | null;
  /** Everything that happened, over the whole replay, as far as it is known yet. */
  events(): readonly ReplayEvent[];
  /** The step during which this tick passed. */
  stepOfTick(tick: number): number;
  tickOfStep(step: number): number;
  verdict(): Verdict;
  subscribe(listener: () => void): () => void;
  close(): void;
}

/** A list of numbers, whatever the field's size. */
export function numbers(block: Named, name: string): readonly number[] {
  const value = block[name];
  if (value === undefined) throw new Error(`The engine's picture has no ${name}; page and engine are of different versions.`);
  return typeof value === "number" ? [value] : value;
}

export function number(block: Named, name: string): number {
  const [first] = numbers(block, name);
  return first ?? 0;
}

/** A setting's value: as the replay was recorded, else the game's default. */
export function setting(spec: GameSpec, config: Readonly<Record<string, unknown>>, name: string): number {
  const value = config[name];
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  return spec.knobs.find((knob) => knob.name === name)?.defaults[0] ?? 0;
}

/** The word for a code in a block, such as an ending: its label in the spec. */
export function labelOf(fields: readonly FieldSpec[], block: Named, name: string): string {
  return fields.find((field) => field.name === name)?.labels[number(block, name)] ?? "";
}
