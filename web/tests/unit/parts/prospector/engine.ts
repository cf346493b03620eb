// The real engine, for tests of what stands on it.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { loadEngine, type Engine, type World } from "../../../../../engine/wasm/sandlot.mjs";
import { asProspector, type ProspectorSpec } from "../../../../src/parts/prospector/spec";

export const WASM = resolve(import.meta.dirname, "../../../../../build/wasm/sandlot.wasm");
let engine: Promise<Engine> | undefined;

export async function openWorld(seed = 7, config: Record<string, unknown> = {}): Promise<{ world: World; spec: ProspectorSpec }> {
  engine ??= loadEngine(readFileSync(WASM));
  const world = (await engine).create("prospector", { worlds: 1, autoreset: false, config });
  world.reset([BigInt(seed)]);
  return { world, spec: asProspector(world.spec) };
}

export function act(world: World, action: number): void {
  world.actions[0] = action;
  world.step();
}

/** Plays like a scripted player who stumbles now and then, and calls `look` after every step. */
export async function playOn(seed: number, steps: number, look: (world: World, spec: ProspectorSpec) => void): Promise<void> {
  const { world, spec } = await openWorld(seed);
  const bot = world.bot("tour", { seed });
  let next = seed + 1;
  for (let i = 0; i < steps; i++) {
    bot.act();
    if (i % 7 === 3) world.actions[0] = (i * 13 + seed) % 68; // never cash out
    world.step();
    look(world, spec);
    if (world.terminated[0] || world.truncated[0]) world.reset([BigInt(next++)]);
  }
  bot.close();
  world.close();
}
