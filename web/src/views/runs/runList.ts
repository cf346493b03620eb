// The list of runs: which are shown, and in which order.
import type { RunSummary } from "../../api/analytics";

export type SortKey = "run_id" | "game" | "status" | "trainer_backend" | "env_steps_total" | "windows_emitted" | "replay_count" | "started_at" | "updated_at";
export type Sort = { key: SortKey; descending: boolean };
export type Filter = { game: string; status: string; words: string };

export function shownRuns(runs: readonly RunSummary[], filter: Filter, sort: Sort): RunSummary[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (run: RunSummary) =>
    (!filter.game || run.game === filter.game) &&
    (!filter.status || run.status === filter.status) &&
    words.every((word) => `${run.run_id} ${run.game} ${run.trainer_backend} ${run.status} seed:${run.seed}`.toLowerCase().includes(word));
  const sign = sort.descending ? -1 : 1;
  return runs.filter(fits).sort((a, b) => sign * compare(a[sort.key], b[sort.key]) || (a.run_id < b.run_id ? 1 : -1));
}

function compare(a: string | number, b: string | number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** A click on a heading: another column sorts descending, the same one reverses. */
export function nextSort(sort: Sort, key: SortKey): Sort {
  const text = ["run_id", "game", "status", "trainer_backend"].includes(key);
  return sort.key === key ? { key, descending: !sort.descending } : { key, descending: !text };
}

export function duration(startedAt: string, endedAt: string | null): string {
  const seconds = Math.max(0, (Date.parse(endedAt ?? "") - Date.parse(startedAt)) / 1000);
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function fileSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
