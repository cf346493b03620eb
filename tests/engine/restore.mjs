// restore.mjs: puts a snapshot from elsewhere into a fresh world, plays on without input, prints the state's hash.
//   node restore.mjs sandlot.wasm GAME SNAPSHOT STEPS
import { readFile } from "node:fs/promises";

import { loadEngine } from "../../engine/wasm/sandlot.mjs";

const [module, game, snapshot, steps] = process.argv.slice(2);
const engine = await loadEngine(await readFile(module));
const world = engine.create(game);
world.reset([0]);
world.restore(0, await readFile(snapshot));
for (let i = 0; i < Number(steps); i++) world.step();
console.log(world.hash(0).toString(16));
