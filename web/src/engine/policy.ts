// A trained policy in this page: onnxruntime-web on one thread, its files served by our own site. Import this file
// lazily; the runtime is large and only needed when a policy plays.
import * as ort from "onnxruntime-web/wasm";
import runtimeUrl from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import type { GameSpec } from "./engine";
import { PolicyRefused, readFacts, type Head, type PolicyFacts } from "./policyFile";
import { Random } from "./random";

export { PolicyRefused };
export type { PolicyFacts };

const MOST_BYTES = 64 << 20;
const TIMEOUT_MS = 30_000;

export type Answer = {
  actions: Float32Array | Int32Array; // [rows] of a discrete game, else [rows, size]
  values: Float32Array; // [rows] what it expects, in units of its scaled return
  state: Float32Array | null; // [rows, memory], to hand back at the next call
};

/** Decides: `greedy` takes the likeliest, otherwise `random` draws by probability, as the policy was trained to. */
export type ActOptions = { greedy?: boolean; random?: Random };

const loaded = new Map<string, Promise<Policy>>();

/** The policy at an address; asked for twice, it is fetched once. */
export function loadPolicy(url: string): Promise<Policy> {
  const known = loaded.get(url);
  if (known) return known;
  const asked = fetchPolicy(url);
  loaded.set(url, asked);
  asked.catch(() => loaded.delete(url)); // the next call tries again
  return asked;
}

async function fetchPolicy(url: string): Promise<Policy> {
  const reply = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null);
  if (!reply?.ok) throw new PolicyRefused(`The policy could not be fetched (${reply?.status ?? "no answer"}). Is the server running?`);
  return openPolicy(new Uint8Array(await reply.arrayBuffer()));
}

/** A policy from the bytes of its file. runtime: the runtime's own module, for programs that are no page. */
export async function openPolicy(data: Uint8Array, runtime?: ArrayBufferLike): Promise<Policy> {
  if (data.length > MOST_BYTES) throw new PolicyRefused(`The policy is larger than ${MOST_BYTES >> 20} MiB; none of ours is.`);
  const facts = readFacts(data);
  ort.env.wasm.numThreads = 1; // more would need a page isolated from all others
  if (runtime) ort.env.wasm.wasmBinary = runtime;
  else ort.env.wasm.wasmPaths = { wasm: runtimeUrl };
  try {
    const session = await ort.InferenceSession.create(data, { executionProviders: ["wasm"], graphOptimizationLevel: "all" });
    return new Policy(facts, session);
  } catch (problem) {
    throw new PolicyRefused(`The policy cannot be run here (${String((problem as Error).message ?? problem).slice(0, 160)}).`);
  }
}

export class Policy {
  #turn: Promise<unknown> = Promise.resolve(); // a session runs one call at a time

  constructor(
    readonly facts: PolicyFacts,
    private readonly session: ort.InferenceSession,
  ) {}

  get name(): string {
    const { role, window_id: window, run_id: run } = this.facts;
    return window === null ? `${role}${run ? ` of ${run}` : ""}` : `${role} of window ${window}`;
  }

  /** Refuses, in a sentence, to play what it was not trained on. */
  check(spec: GameSpec): void {
    const { game, game_version: version, observation_size: size } = this.facts;
    if (game !== spec.name) throw new PolicyRefused(`This policy plays ${game}, not ${spec.name}.`);
    if (version !== spec.version)
      throw new PolicyRefused(`This policy was trained on ${game} version ${version}, the page has version ${spec.version}. Train it again.`);
    if (size !== spec.shape.observation)
      throw new PolicyRefused(`This policy sees ${size} numbers, the game shows ${spec.shape.observation}. Play under its own settings.`);
  }

  /** observations [rows, D], masks [rows, A] where the game has them; state of the rows' last call. */
  act(observations: Float32Array, masks: Uint8Array | null = null, state: Float32Array | null = null, options: ActOptions = {}): Promise<Answer> {
    const answer = this.#turn.then(() => this.#run(observations, masks, state, options));
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  async #run(observations: Float32Array, masks: Uint8Array | null, state: Float32Array | null, options: ActOptions): Promise<Answer> {
    const { observation_size: width, memory, head } = this.facts;
    const rows = observations.length / width;
    if (!Number.isInteger(rows) || rows === 0) throw new PolicyRefused(`${observations.length} numbers are no rows of ${width}.`);
    const feeds: Record<string, ort.Tensor> = { observations: tensor(observations, rows) };
    if (this.session.inputNames.includes("masks"))
      feeds.masks = tensor(masks ? Float32Array.from(masks) : new Float32Array(rows * (head as { count: number }).count).fill(1), rows);
    if (memory) feeds.state = tensor(state ?? new Float32Array(rows * memory), rows);
    const found = await this.session.run(feeds);
    const out = (name: string) => found[name]?.data as Float32Array;
    const actions = decide(head, out, rows, options);
    return { actions, values: out("value").slice(), state: memory ? out("next_state").slice() : null };
  }

  async close(): Promise<void> {
    await this.session.release();
  }
}

function tensor(values: Float32Array, rows: number): ort.Tensor {
  return new ort.Tensor("float32", values, [rows, values.length / rows]);
}

// ---------------------------------------------------------------- from outputs to actions

type Outputs = (name: string) => Float32Array;

function decide(head: Head, out: Outputs, rows: number, { greedy = false, random = new Random(0) }: ActOptions): Float32Array | Int32Array {
  if (head.kind === "categorical" || head.kind === "table") {
    const ids = Int32Array.from({ length: rows }, (_, row) => {
      const logits = out("logits").subarray(row * head.count, (row + 1) * head.count);
      return greedy ? largest(logits) : drawn(logits, random);
    });
    return head.kind === "categorical" ? ids : Float32Array.from([...ids].flatMap((id) => head.table[id]!));
  }
  const buttons = head.kind === "mixed" ? head.buttons : 0;
  const spread = out("log_std");
  const actions: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < head.numbers; i++) {
      const mean = out("mean")[row * head.numbers + i]!;
      actions.push(cut(greedy ? mean : mean + Math.exp(spread[i]!) * random.normal()));
    }
    for (let i = 0; i < buttons; i++) {
      const logit = out("button_logits")[row * buttons + i]!;
      actions.push((greedy ? logit > 0 : random.unit() < 1 / (1 + Math.exp(-logit))) ? 1 : -1);
    }
  }
  return Float32Array.from(actions);
}

const cut = (value: number) => Math.min(1, Math.max(-1, value));

/** The first of the largest. */
function largest(logits: Float32Array): number {
  return logits.reduce((best, value, i) => (value > logits[best]! ? i : best), 0);
}

function drawn(logits: Float32Array, random: Random): number {
  const top = logits[largest(logits)]!;
  const weights = Array.from(logits, (value) => Math.exp(value - top));
  let left = random.unit() * weights.reduce((sum, weight) => sum + weight, 0);
  const id = weights.findIndex((weight) => (left -= weight) < 0);
  return id < 0 ? largest(logits) : id;
}
