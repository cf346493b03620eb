// Reads and writes replay files in the format of src/sandlot/runs/replays.py: `.jsonl.gz` with the lines header, actions,
// events, hashes and end, and a digest of all of it in the gzip header. Damaged, modified and newer files are refused with
// a message that the page can show.
import { blake2b } from "@noble/hashes/blake2.js";
import { capital } from "../parts/player/words";
import { Unreadable, crc32, deflate, fromBase64, inflate, joined, sameBytes, toBase64 } from "./bytes";

export const HASH_EVERY_STEPS = 32;
const SCHEMA = 1;
const MOST_FILE_BYTES = 16 << 20;
const MOST_TEXT_BYTES = 64 << 20; // unpacked: a small file may expand without bound
const MOST_STEPS = 1_000_000;
const MOST_ACTION_WIDTH = 4096; // numbers of all agents in one step
const MOST_ACTION_NUMBERS = 8 << 20; // of all agents and steps together
const QUANTA = 127; // steps of a continuous action from 0 to 1
const DIGEST_BYTES = 16;
// gzip: deflate, an extra field, no time, best compression, no system; then the field "SL" of 16 bytes
const HEAD = Uint8Array.of(0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 2, 255, 20, 0, 0x53, 0x4c, 16, 0);

export type Encoding = "int8" | "int16" | "q127" | "float32";

export type ReplayHeader = {
  schema_version: number;
  kind: "header";
  replay_id: string;
  game: string;
  game_version: string;
  played_in?: string; // "godot"; native when it is missing
  engine: string;
  spec_hash: string;
  config: Record<string, unknown>;
  seed: string; // 64 bits do not fit a number
  agents: string[];
  policies: Record<string, string>;
  scored_agent: number;
  action_encoding: Encoding;
  action_shape: number[];
  run_id: string | null;
  window_id: number | null;
  checkpoint_path: string | null;
  checkpoint_env_steps_total: number | null;
  trainer_backend: string | null;
  tags: string[];
  created_at: string;
};

export type ReplayEnd = {
  schema_version: number;
  kind: "end";
  steps: number;
  ticks: number;
  returns: number[];
  terminated: boolean;
  truncated: boolean;
  episode: Record<string, unknown>;
};

export type ReplayFile = {
  header: ReplayHeader;
  actions: Float32Array | Int32Array; // [steps, agents, size], step after step
  events: { step: number; name: string }[]; // step: how many were played before it
  hashes: { step: number; value: bigint }[]; // step: how many were played until then
  end: ReplayEnd;
};

/** damaged: it cannot be shown. newer, other_engine: the server may be able to show it, as when Godot played it. */
export type Refusal = "damaged" | "newer" | "other_engine";

export class ReplayRefused extends Error {
  constructor(
    readonly kind: Refusal,
    sentence: string,
  ) {
    super(sentence);
  }
}

const damaged = (sentence: string) => new ReplayRefused("damaged", sentence);

// ---------------------------------------------------------------- reading

/** Read and check; `what` names the file in the error message. */
export async function readReplay(data: Uint8Array, what = "The replay"): Promise<ReplayFile> {
  const lines = parseLines(await unpackText(data, what), what);
  const header = checkedHeader(lines[0], what);
  const { played_in: engine = "native" } = header;
  if (engine !== "native")
    throw new ReplayRefused("other_engine", `${what} was played in ${capital(engine)}, whose physics this page cannot play again.`);
  const kinds = lines.map((line) => line.kind);
  if (kinds.join() !== "header,actions,events,hashes,end")
    throw damaged(`${what} has the lines ${kinds.join(", ").slice(0, 100)}; expected header, actions, events, hashes, end.`);
  const [, actionLine, eventLine, hashLine, endLine] = lines as [Line, Line, Line, Line, Line];
  const end = checkedEnd(endLine, header, what);
  try {
    const actions = await decodeActions(actionLine.data, header);
    return { header, actions, events: await unpackEvents(eventLine), hashes: await unpackHashes(hashLine), end };
  } catch (problem) {
    if (problem instanceof Unreadable) throw damaged(`${what} holds a block that cannot be unpacked (${problem.message}).`);
    throw problem;
  }
}

type Line = Record<string, unknown>;

async function unpackText(data: Uint8Array, what: string): Promise<string> {
  const start = HEAD.length + DIGEST_BYTES;
  if (data.length > MOST_FILE_BYTES) throw damaged(`${what} is larger than ${MOST_FILE_BYTES >> 20} MiB; no replay is.`);
  if (data.length < start + 8 || !sameBytes(data.subarray(0, HEAD.length), HEAD))
    throw damaged(`${what} is not a replay of Sandlot: it begins with other bytes, or is cut off.`);
  if (!sameBytes(digest(data.subarray(start)), data.subarray(HEAD.length, start)))
    throw damaged(`${what} was changed or cut off after it was written: its digest differs. Use another copy.`);
  try {
    return new TextDecoder().decode(await inflate(data.subarray(start, -8), "deflate-raw", MOST_TEXT_BYTES));
  } catch (problem) {
    throw damaged(`${what} cannot be unpacked (${problem instanceof Error ? problem.message : "unknown"}).`);
  }
}

function parseLines(text: string, what: string): Line[] {
  let lines: unknown[];
  try {
    lines = text.split("\n").filter(Boolean).map((line) => JSON.parse(line) as unknown);
  } catch {
    throw damaged(`${what} does not hold one JSON object per line.`);
  }
  if (!lines.length) throw damaged(`${what} is empty.`);
  if (!lines.every((line) => typeof line === "object" && line !== null && !Array.isArray(line)))
    throw damaged(`${what} does not hold one JSON object per line.`);
  return lines as Line[];
}

function checkSchema(line: Line, what: string): void {
  const found = line.schema_version;
  if (typeof found === "number" && found > SCHEMA)
    throw new ReplayRefused(
      "newer",
      `${what} has schema version ${found}; this page reads up to ${SCHEMA}. Update Sandlot, or use the version that wrote it.`,
    );
  if (found !== SCHEMA) throw damaged(`${what} has schema version ${String(found)}, expected ${SCHEMA}. Is it a file of Sandlot?`);
}

const isText = (value: unknown) => typeof value === "string";
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isTable = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
const isListOf = (check: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(check);
const isSeed = (value: unknown) => typeof value === "string" && /^\d{1,20}$/.test(value) && BigInt(value) < 1n << 64n;

const HEADER: Record<string, (value: unknown) => boolean> = {
  replay_id: isText,
  game: isText,
  game_version: isText,
  played_in: (value) => value === undefined || (typeof value === "string" && /^[a-z][a-z0-9_]{0,31}$/.test(value)),
  engine: isText,
  spec_hash: isText,
  config: isTable,
  seed: isSeed,
  agents: isListOf(isText),
  policies: isTable,
  scored_agent: isCount,
  action_encoding: (value) => ["int8", "int16", "q127", "float32"].includes(value as string),
  action_shape: isListOf(isCount),
  tags: isListOf(isText),
  created_at: isText,
};
const END: Record<string, (value: unknown) => boolean> = {
  steps: isCount,
  ticks: isCount,
  returns: isListOf((value) => typeof value === "number"),
  terminated: (value) => typeof value === "boolean",
  truncated: (value) => typeof value === "boolean",
  episode: isTable,
};

function check(line: Line, rules: typeof HEADER, what: string): void {
  for (const [name, good] of Object.entries(rules))
    if (!good(line[name])) throw damaged(`${what} is not valid at ${name}. Use another copy.`);
}

function checkedHeader(line: Line | undefined, what: string): ReplayHeader {
  if (line?.kind !== "header") throw damaged(`${what} does not begin with a header.`);
  checkSchema(line, what);
  const fields: Line = { scored_agent: 0, tags: [], run_id: null, window_id: null, ...line };
  check(fields, HEADER, what);
  const header = fields as ReplayHeader;
  const [steps = 0, agents] = header.action_shape;
  const fits = [2, 3].includes(header.action_shape.length) && agents === header.agents.length && steps <= MOST_STEPS;
  if (!fits || header.scored_agent >= header.agents.length)
    throw damaged(`${what} has actions of shape [${header.action_shape.join(", ")}] for ${header.agents.length} agents.`);
  return header;
}

function checkedEnd(line: Line, header: ReplayHeader, what: string): ReplayEnd {
  checkSchema(line, what);
  check(line, END, what);
  const end = line as ReplayEnd;
  if (end.steps !== header.action_shape[0]) throw damaged(`${what} says ${end.steps} steps and holds ${header.action_shape[0]}.`);
  if (end.returns.length !== header.agents.length)
    throw damaged(`${what} names ${header.agents.length} agents and holds ${end.returns.length} returns.`);
  return end;
}

const SIZES: Record<Encoding, number> = { int8: 1, q127: 1, int16: 2, float32: 4 };

async function decodeActions(text: unknown, header: ReplayHeader): Promise<Float32Array | Int32Array> {
  const { action_encoding: encoding, action_shape: shape } = header;
  const steps = shape[0]!;
  const width = shape.slice(1).reduce((product, n) => product * n, 1);
  if (width > MOST_ACTION_WIDTH || steps * width > MOST_ACTION_NUMBERS)
    throw new Unreadable(`actions of shape [${shape.join(", ")}]: more than any game has`);
  const raw = await unpack(text, steps * width * SIZES[encoding]);
  const columns = typed(raw, encoding); // one number's whole history together
  const whole = encoding === "int8" || encoding === "int16";
  const actions = whole ? new Int32Array(steps * width) : new Float32Array(steps * width);
  const scale = encoding === "q127" ? QUANTA : 1;
  for (let column = 0; column < width; column++)
    for (let step = 0; step < steps; step++) actions[step * width + column] = columns[column * steps + step]! / scale;
  return actions;
}

function typed(raw: Uint8Array, encoding: Encoding): Int8Array | Int16Array | Float32Array {
  if (encoding === "int16") return new Int16Array(raw.buffer, raw.byteOffset, raw.length / 2);
  if (encoding === "float32") return new Float32Array(raw.buffer, raw.byteOffset, raw.length / 4);
  return new Int8Array(raw.buffer, raw.byteOffset, raw.length);
}

async function unpackEvents(line: Line): Promise<ReplayFile["events"]> {
  const steps = await unpackSteps(line);
  const kinds = await unpack(line.kinds, steps.length);
  const names = line.names;
  if (!Array.isArray(names)) throw new Unreadable("events without names");
  return steps.map((step, i) => {
    const name: unknown = names[kinds[i]!];
    if (typeof name !== "string") throw new Unreadable(`event kind ${kinds[i]}`);
    return { step, name };
  });
}

async function unpackHashes(line: Line): Promise<ReplayFile["hashes"]> {
  const steps = await unpackSteps(line);
  const raw = await unpack(line.values, 8 * steps.length);
  const values = new BigUint64Array(raw.buffer, raw.byteOffset, steps.length);
  return steps.map((step, i) => ({ step, value: values[i]! }));
}

/** Ascending step numbers, each held as its distance from the one before. */
async function unpackSteps(line: Line): Promise<number[]> {
  const { count } = line;
  if (!isCount(count) || (count as number) > MOST_STEPS) throw new Unreadable(`a count of ${String(count)}`);
  const raw = await unpack(line.steps, 4 * (count as number));
  let step = 0;
  return Array.from(new Uint32Array(raw.buffer, raw.byteOffset, count as number), (distance) => (step += distance));
}

async function unpack(text: unknown, expected: number): Promise<Uint8Array> {
  if (typeof text !== "string") throw new Unreadable("a block that is missing");
  const raw = await inflate(fromBase64(text), "deflate", expected);
  if (raw.length !== expected) throw new Unreadable(`a block of another length than ${expected} bytes`);
  return raw;
}

// ---------------------------------------------------------------- writing

/** The bytes of a file that `sandlot replay --verify` accepts. */
export async function writeReplay(replay: ReplayFile): Promise<Uint8Array> {
  const { header, actions, events, hashes, end } = replay;
  const lines = [
    header,
    { kind: "actions", data: await pack(encodeActions(actions, header)) },
    { kind: "events", ...(await packEvents(events)) },
    { kind: "hashes", ...(await packHashes(hashes)) },
    end,
  ];
  const text = new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const tail = new Uint8Array(8);
  const view = new DataView(tail.buffer);
  view.setUint32(0, crc32(text), true);
  view.setUint32(4, text.length, true);
  const body = joined([await deflate(text, "deflate-raw"), tail]);
  return joined([HEAD, digest(body), body]);
}

/** How a game's actions are held: ids in a byte or two, or 127ths when it has none. */
export function encodingOf(actionCount: number): Encoding {
  if (actionCount === 0) return "q127";
  return actionCount <= 127 ? "int8" : "int16";
}

/** A continuous action rounded to whole 127ths, as a recorder plays it: the episode in the file is the one played. */
export function quantise(value: number): number {
  if (!Number.isFinite(value)) return 0;
  const cut = Math.fround(Math.min(1, Math.max(-1, value)));
  return Math.fround(roundHalfToEven(Math.fround(cut * QUANTA)) / QUANTA);
}

function roundHalfToEven(value: number): number {
  const low = Math.floor(value);
  const rest = value - low;
  const up = rest > 0.5 || (rest === 0.5 && low % 2 !== 0);
  return (up ? low + 1 : low) + 0; // no minus zero: an integer cannot hold it
}

function encodeActions(actions: Float32Array | Int32Array, header: ReplayHeader): Uint8Array {
  const { action_encoding: encoding, action_shape: shape } = header;
  const steps = shape[0]!;
  const width = shape.slice(1).reduce((product, n) => product * n, 1);
  const packed = typed(new Uint8Array(steps * width * SIZES[encoding]), encoding);
  const scale = encoding === "q127" ? QUANTA : 1;
  for (let column = 0; column < width; column++)
    for (let step = 0; step < steps; step++) {
      const value = actions[step * width + column]! * scale;
      packed[column * steps + step] = encoding === "float32" ? value : Math.round(value);
    }
  return new Uint8Array(packed.buffer);
}

async function packEvents(events: ReplayFile["events"]): Promise<Line> {
  const names = [...new Set(events.map((event) => event.name))].sort();
  const kinds = Uint8Array.from(events, (event) => names.indexOf(event.name));
  return { names, ...(await packSteps(events.map((event) => event.step))), kinds: await pack(kinds) };
}

async function packHashes(hashes: ReplayFile["hashes"]): Promise<Line> {
  const values = BigUint64Array.from(hashes, (hash) => hash.value);
  return { ...(await packSteps(hashes.map((hash) => hash.step))), values: await pack(new Uint8Array(values.buffer)) };
}

async function packSteps(steps: readonly number[]): Promise<Line> {
  const distances = Uint32Array.from(steps, (step, i) => step - (steps[i - 1] ?? 0));
  return { count: steps.length, steps: await pack(new Uint8Array(distances.buffer)) };
}

async function pack(data: Uint8Array): Promise<string> {
  return toBase64(await deflate(data, "deflate"));
}

function digest(body: Uint8Array): Uint8Array {
  return blake2b(body, { dkLen: DIGEST_BYTES });
}
