// onnxruntime-web in node: its module is handed over as bytes, there is no page to fetch it from.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { openPolicy, type Policy } from "../../../src/engine/policy";
import { fixture } from "./fixtures";

const file = createRequire(import.meta.url).resolve("onnxruntime-web/ort-wasm-simd-threaded.wasm");

export function runtime(): ArrayBuffer {
  return Uint8Array.from(readFileSync(file)).buffer;
}

export function policyOf(name: string): Promise<Policy> {
  return openPolicy(fixture(name), runtime());
}
