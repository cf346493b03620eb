// The real engine, for tests of what is drawn of it.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { useEngine, type Engine } from "../../../src/engine/engine";

const WASM = resolve(import.meta.dirname, "../../../../build/wasm/sandlot.wasm");
let engine: Promise<Engine> | null = null;

export function openEngine(): Promise<Engine> {
  return (engine ??= useEngine(readFileSync(WASM)));
}
