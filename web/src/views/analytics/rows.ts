// Window rows as the page holds them: in order, each window once, growing while a run trains.

/** A row of windows.jsonl: a few fixed fields, then any number of metrics by name. */
export type Row = { window_id: number; env_steps_total: number; window_complete: boolean } & Record<string, unknown>;

export function numberOf(row: Row | undefined, column: string): number | null {
  const value = row?.[column];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Columns that hold a number in at least one row, in the order in which they first appear. */
export function numericColumns(rows: readonly Row[]): string[] {
  const found = new Set<string>();
  for (const row of rows) for (const column in row) if (numberOf(row, column) !== null) found.add(column);
  return [...found];
}

/**
 * Lays newer rows over known ones. A run that was resumed starts again at an earlier window: what it had after that is
 * gone from its files, so it goes here too.
 */
export function merge(known: readonly Row[], newer: readonly Row[], latestWindow: number | null): readonly Row[] {
  const byWindow = new Map(known.map((row) => [row.window_id, row]));
  for (const row of newer) byWindow.set(row.window_id, row);
  const rows = [...byWindow.values()].filter((row) => latestWindow === null || row.window_id <= latestWindow);
  return rows.sort((a, b) => a.window_id - b.window_id);
}
