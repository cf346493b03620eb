// Value estimates of a policy before every decision of a replay: the line under a timeline. The episode is played once more,
// beside the picture, and its observations go through the policy in batches.
import { loadEngine, type World } from "./engine";
import type { Policy } from "./policy";
import { openWorld } from "./replay";
import type { ReplayFile } from "./replayFile";

const ROWS_AT_ONCE = 256;

export type Estimate = {
  agent: number;
  values: Float32Array; // [steps], in units of the policy's scaled return; the first `known` are there
  known: number;
};

/** Estimates for one agent. tell: is called as more of them are known; signal: stops it. */
export async function estimateValues(
  file: ReplayFile,
  policy: Policy,
  agent: number,
  tell?: (estimate: Estimate) => void,
  signal?: AbortSignal,
): Promise<Estimate> {
  const world = openWorld(await loadEngine(), file);
  try {
    policy.check(world.spec);
    const estimate: Estimate = { agent, values: new Float32Array(file.end.steps), known: 0 };
    let state: Float32Array | null = null;
    while (estimate.known < file.end.steps) {
      signal?.throwIfAborted();
      // a policy with memory needs each answer before the next question
      const rows = Math.min(policy.facts.memory ? 1 : ROWS_AT_ONCE, file.end.steps - estimate.known);
      const answer = await policy.act(observe(world, file, agent, estimate.known, rows), null, state, { greedy: true });
      ({ state } = answer);
      estimate.values.set(answer.values, estimate.known);
      estimate.known += rows;
      if (estimate.known % ROWS_AT_ONCE === 0 || estimate.known === file.end.steps) {
        tell?.(estimate);
        await new Promise((done) => setTimeout(done)); // the page stays alive
      }
    }
    return estimate;
  } finally {
    world.close();
  }
}

/** What the agent sees before steps first … first + rows - 1; the world moves on by as many. */
function observe(world: World, file: ReplayFile, agent: number, first: number, rows: number): Float32Array {
  const { observation } = world.spec.shape;
  const width = world.actions.length;
  const seen = new Float32Array(rows * observation);
  for (let row = 0; row < rows; row++) {
    const step = first + row;
    seen.set(world.observations.subarray(agent * observation, (agent + 1) * observation), row * observation);
    world.actions.set(file.actions.subarray(step * width, (step + 1) * width));
    world.step();
  }
  return seen;
}
