// What Python made (make_fixtures.py), and the engine as the site has it.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { useEngine } from "../../../src/engine/engine";
import type { Engine } from "../../../src/engine/engine";
import { FIXTURES } from "./setup";

const WASM = resolve(import.meta.dirname, "../../../../build/wasm/sandlot.wasm");

export type PythonFrame = {
  frame_index: number;
  t: number;
  dt: number;
  action: unknown;
  reward: number | number[];
  render_state: Record<string, unknown>;
  events: { name: string; values?: Record<string, number> }[];
  info: Record<string, unknown>;
};
export type PythonPolicy = {
  file: string;
  game: string;
  role: string;
  head: string;
  memory: number;
  steps: { observations: number[]; masks: number[] | null; actions: number[]; values: number[] }[];
};
export type Python = {
  numbers: [number, number][];
  specs: { game: string; config: Record<string, unknown>; hash: string; whole: Record<string, unknown> }[];
  bots: { game: string; name: string; level: number; actions: number[][]; hash: string }[];
  frames: Record<string, { steps: number; ticks: number; events: number; frames: PythonFrame[] }>;
  policies: PythonPolicy[];
};

export function python(): Python {
  return JSON.parse(readFileSync(resolve(FIXTURES, "python.json"), "utf8")) as Python;
}

export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(resolve(FIXTURES, name)));
}

export function engine(): Promise<Engine> {
  return useEngine(readFileSync(WASM));
}
