// Which match of a run tells most, chosen by a rule that knows no game.
import type { ReplayEntry } from "../../api/watch";

export type Telling = { entry: ReplayEntry; why: string };

const RECENT = 0.5; // of the windows: what it plays like now, not at the beginning

/**
 * Where roles play against each other, the longest match that was still decided before time ran out; else the highest
 * return. entries: newest first. null: there is none beside `shown`.
 */
export function mostTelling(entries: readonly ReplayEntry[], competes: boolean, shown: string | null): Telling | null {
  const newest = entries[0]?.window_id ?? 0;
  const recent = entries.filter((entry) => entry.replay_id !== shown && entry.window_id >= newest * RECENT);
  const longest = Math.max(0, ...entries.map((entry) => entry.steps));
  const decided = recent.filter((entry) => entry.steps < longest);
  if (competes && decided.length) return { entry: best(decided, (entry) => entry.steps), why: "the longest one that was still decided before time ran out" };
  return recent.length ? { entry: best(recent, (entry) => entry.return_total), why: "the highest score of the later half of training" } : null;
}

function best(entries: readonly ReplayEntry[], measure: (entry: ReplayEntry) => number): ReplayEntry {
  return entries.reduce((found, entry) => (measure(entry) > measure(found) ? entry : found));
}
