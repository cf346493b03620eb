// What a game's description says, in the forms that files and pages need.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Config, GameSpec, KnobSpec } from "../../../engine/wasm/sandlot.mjs";

/** A setting as a person writes it: a choice by its name, a flag as a boolean. */
export type Setting = number | string | boolean;

/** Every setting of a world: a profile's defaults with the given ones laid over them. */
export function wholeConfig(spec: GameSpec, config: Config): Record<string, Setting> {
  const { profile } = config;
  const column = typeof profile === "string" ? Math.max(0, spec.profiles.indexOf(profile)) : 0;
  return Object.fromEntries(spec.knobs.map((knob) => [knob.name, settingOf(knob, config[knob.name] ?? knob.defaults[column]!)]));
}

function settingOf(knob: KnobSpec, value: unknown): Setting {
  if (knob.kind === "choice") return typeof value === "number" ? knob.choices[value]! : String(value);
  return knob.kind === "flag" ? Boolean(value) : Number(value);
}

/** The same sixteen digits as Spec.hash in Python: another hash means that policies and replays may not fit. */
export function specHash(spec: GameSpec, config: Record<string, Setting>): string {
  const fields = spec.observation.map((field) => [field.name, field.start, field.shape]);
  const names = spec.actions.map((action) => action.name);
  const floats = new Set(spec.knobs.filter((knob) => knob.kind === "float").map((knob) => knob.name));
  const { info: _info, render: _render, ...shape } = spec.shape; // only looked at: they change what no policy sees
  const parts = [spec.name, spec.version, shape, fields, names].map((part) => pythonJson(part));
  const settings = Object.keys(config).sort(byCodePoint).map((name) => {
    const value = config[name]!;
    return `${JSON.stringify(name)}: ${floats.has(name) ? pythonFloat(value as number) : pythonJson(value)}`;
  });
  const text = `[${parts.join(", ")}, {${settings.join(", ")}}]`;
  return bytesToHex(sha256(new TextEncoder().encode(text))).slice(0, 16);
}

const byCodePoint = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** As json.dumps(value, sort_keys=True) writes it; names here are plain ASCII. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => byCodePoint(a, b));
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}: ${pythonJson(each)}`).join(", ")}}`;
}

/** A float as Python's repr writes it: the same digits, but "1.0", and exponents below 1e-4 and from 1e16 on. */
function pythonFloat(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-4 && size < 1e16)) {
    const text = value.toString();
    return text.includes(".") ? text : `${text}.0`;
  }
  const [digits, exponent] = value.toExponential().split("e") as [string, string];
  const power = Number(exponent);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** Which agents hold this role at the start of an episode. */
export function agentsOf(spec: GameSpec, role: string): number[] {
  return spec.agent_roles.flatMap((each, agent) => (each === role ? [agent] : []));
}

/** Real seconds that one decision lasts, for a game with a tick rate; null for a game of decisions. */
export function secondsPerStep(config: Record<string, Setting>): number | null {
  const rate = config.tick_rate;
  return typeof rate === "number" && rate > 0 ? Number(config.ticks_per_step ?? 1) / rate : null;
}

/** One agent's action in words: the name of a choice, or the named numbers of a continuous one. */
export function actionInWords(spec: GameSpec, action: ArrayLike<number>): string {
  if (spec.shape.actions) {
    const id = action[0] ?? -1;
    return spec.actions[id]?.name ?? `invalid (${id})`;
  }
  return Array.from(action, (value, i) => `${spec.actions[i]?.name ?? i} ${value.toFixed(2)}`).join(", ");
}
