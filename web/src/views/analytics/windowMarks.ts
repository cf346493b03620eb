// Checkpoints and replays gathered by the window they came from.
import type { CheckpointList, ReplayEntry } from "../../api/analytics";

type Checkpoint = CheckpointList["checkpoints"][number];
export type WindowMarks = { windowId: number; envSteps: number; checkpoint?: Checkpoint; replays: ReplayEntry[] };

/** In order of their windows. Where no file tells the env steps, windows are all of one size; a run ends within its last. */
export function windowsOf(replays: readonly ReplayEntry[], checkpoints: readonly Checkpoint[], windowEnvSteps: number, envStepsTotal: number): WindowMarks[] {
  const found = new Map<number, WindowMarks>();
  const at = (windowId: number, envSteps: number | null | undefined): WindowMarks => {
    const marks = found.get(windowId) ?? { windowId, envSteps: envSteps ?? Math.min((windowId + 1) * windowEnvSteps, envStepsTotal), replays: [] };
    found.set(windowId, marks);
    return marks;
  };
  for (const checkpoint of checkpoints) at(checkpoint.window_id, checkpoint.env_steps_total).checkpoint = checkpoint;
  for (const replay of replays) at(replay.window_id, replay.checkpoint_env_steps_total).replays.push(replay);
  return [...found.values()].sort((a, b) => a.windowId - b.windowId);
}

/** Only the highest milestone of each kind. */
export function tellingTags(tags: readonly string[]): string[] {
  const highest = new Map<string, number>();
  const parts = (tag: string) => /^milestone:(.+):(-?[\d.]+)$/.exec(tag);
  for (const tag of tags) {
    const [, kind, level] = parts(tag) ?? [];
    if (kind) highest.set(kind, Math.max(highest.get(kind) ?? -Infinity, Number(level)));
  }
  return tags.filter((tag) => {
    const [, kind, level] = parts(tag) ?? [];
    return !kind || Number(level) === highest.get(kind);
  });
}
