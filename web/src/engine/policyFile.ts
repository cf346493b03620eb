// What an exported policy says about itself: the metadata of its ONNX file (docs/export.md), read from the few protobuf
// fields that hold it, because the runtime does not hand it out.

export const FORMAT = "sandlot_onnx_v1";

export type Head =
  | { kind: "categorical"; count: number }
  | { kind: "table"; count: number; table: number[][] }
  | { kind: "gaussian"; numbers: number }
  | { kind: "mixed"; numbers: number; buttons: number };

export type PolicyFacts = {
  game: string;
  game_version: string;
  spec_hash: string;
  profile: string;
  config: Record<string, unknown>;
  role: string;
  head: Head;
  actions: string[];
  observation_size: number;
  memory: number;
  hidden: number[];
  weights: string;
  run_id: string | null;
  window_id: number | null;
};

export class PolicyRefused extends Error {}

const METADATA = 14; // ModelProto.metadata_props
const JSON_KEYS = new Set(["config", "head", "actions", "observation_size", "memory", "hidden", "window_id"]);
const NEEDED = ["game", "game_version", "spec_hash", "config", "role", "head", "observation_size", "memory"];

export function readFacts(data: Uint8Array, what = "The policy"): PolicyFacts {
  const metadataEntries = metadata(data, what);
  if (metadataEntries.format !== FORMAT)
    throw new PolicyRefused(`${what} is not a Sandlot policy: format ${metadataEntries.format ?? "missing"}, expected ${FORMAT}. Make one with "sandlot export".`);
  const facts: Record<string, unknown> = { run_id: null, window_id: null };
  try {
    for (const [key, value] of Object.entries(metadataEntries)) facts[key] = JSON_KEYS.has(key) ? (JSON.parse(value) as unknown) : value;
  } catch {
    throw new PolicyRefused(`${what} does not say what it is: its metadata is not JSON.`);
  }
  const missing = NEEDED.filter((key) => facts[key] === undefined);
  if (missing.length) throw new PolicyRefused(`${what} does not say its ${missing.join(", ")}.`);
  return facts as PolicyFacts;
}

function metadata(data: Uint8Array, what: string): Record<string, string> {
  const metadataEntries: Record<string, string> = {};
  try {
    for (const [field, value] of messageFields(data)) {
      if (field !== METADATA || !(value instanceof Uint8Array)) continue;
      const entry = new Map(messageFields(value));
      const [key, text] = [entry.get(1), entry.get(2)].map((bytes) => (bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : ""));
      if (key) metadataEntries[key] = text ?? "";
    }
  } catch {
    throw new PolicyRefused(`${what} is not an ONNX file, or is cut off.`);
  }
  return metadataEntries;
}

/** The fields of one protobuf message: numbers as they are, everything of a length as bytes. */
function* messageFields(data: Uint8Array): Generator<[number, number | Uint8Array]> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = data[at++];
      if (byte === undefined) throw new RangeError("cut off");
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError("too long");
  };
  while (at < data.length) {
    const key = varint();
    const [field, wire] = [Math.floor(key / 8), key % 8];
    if (wire === 0) yield [field, varint()];
    else if (wire === 2) {
      const size = varint();
      if (at + size > data.length) throw new RangeError("cut off");
      yield [field, data.subarray(at, at + size)];
      at += size;
    } else if (wire === 1 || wire === 5) at += wire === 1 ? 8 : 4;
    else throw new RangeError("no protobuf");
  }
}
