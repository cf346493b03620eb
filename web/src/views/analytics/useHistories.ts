// Windows of several runs: fetched completely once, then only new ones.
import { useEffect, useMemo, useState } from "react";
import { newestWindows } from "../../api/analytics";
import { merge, type Row } from "./rows";

export const MOST_WINDOWS = 2000; // drawn of one run: the newest
const POLL_MS = 4000;
const OVERLAP = 3; // windows asked for again, in case a resume has rewritten them

export type History = { rows: readonly Row[]; total: number; error?: unknown; loaded: boolean };
const UNKNOWN: History = { rows: [], total: 0, loaded: false };

export function useHistories(runIds: readonly string[], pollMs = POLL_MS): ReadonlyMap<string, History> {
  const [known, setKnown] = useState<ReadonlyMap<string, History>>(new Map());
  const key = runIds.join(" ");
  useEffect(() => {
    const ids = key ? key.split(" ") : [];
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const local = new Map<string, History>();
    const poll = async () => {
      await Promise.all(ids.map((id) => update(id, local, stop.signal)));
      if (stop.signal.aborted) return;
      setKnown((old) => (same(old, local) ? old : new Map(local)));
      timer = setTimeout(poll, pollMs);
    };
    void poll();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, pollMs]);
  // Runs just chosen are unknown until their answer comes; runs just left are forgotten at once.
  return useMemo(() => new Map(runIds.map((id) => [id, known.get(id) ?? UNKNOWN])), [known, key]);
}

async function update(id: string, into: Map<string, History>, signal: AbortSignal): Promise<void> {
  const before = into.get(id) ?? UNKNOWN;
  try {
    into.set(id, await newer(id, before, signal));
  } catch (error) {
    if (!signal.aborted) into.set(id, { ...before, error, loaded: true });
  }
}

/** The same object when nothing has changed, so that charts are left alone. */
async function newer(id: string, before: History, signal: AbortSignal): Promise<History> {
  if (!before.loaded || before.error) return whole(id, signal);
  const peek = await newestWindows(id, 1, signal);
  const [last] = peek.windows;
  const known = before.rows.at(-1);
  if (peek.total === before.total && last?.window_id === known?.window_id) return before;
  const fresh = peek.total - before.total;
  if (fresh <= 0 || fresh > MOST_WINDOWS) return whole(id, signal);
  const answer = await newestWindows(id, Math.min(MOST_WINDOWS, fresh + OVERLAP), signal);
  const rows = answer.windows;
  return { rows: merge(before.rows, rows, last?.window_id ?? null), total: answer.total, loaded: true };
}

async function whole(id: string, signal: AbortSignal): Promise<History> {
  const answer = await newestWindows(id, MOST_WINDOWS, signal);
  return { rows: merge([], answer.windows, null), total: answer.total, loaded: true };
}

function same(a: ReadonlyMap<string, History>, b: ReadonlyMap<string, History>): boolean {
  return a.size === b.size && [...b].every(([id, history]) => a.get(id) === history);
}
