// Several runs over one x axis. uPlot wants one list of xs; a run has no value at most of another run's.
import type { Series } from "../../parts/chart/Chart";
import type { ChartSpec } from "./chartGroups";
import { numberOf, type Row } from "./rows";

export type RunRows = { runId: string; label: string; rows: readonly Row[] };

const RUN_DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2], [1, 3]];

/** Env steps of all runs, each once, in order. */
export function sharedXs(runs: readonly RunRows[]): number[] {
  const xs = new Set(runs.flatMap((run) => run.rows.map((row) => row.env_steps_total)));
  return [...xs].sort((a, b) => a - b);
}

/**
 * Values of a column at the shared xs: null is a window without that number (a gap in the line), undefined an x at which
 * this run has no window (the line goes on).
 */
export function valuesAt(xs: readonly number[], rows: readonly Row[], column: string): (number | null | undefined)[] {
  const byX = new Map(rows.map((row) => [row.env_steps_total, row]));
  return xs.map((x) => {
    const row = byX.get(x);
    return row && numberOf(row, column);
  });
}

/**
 * One line per run and column. A single column in a chart is coloured by run; several are coloured by column, and runs
 * differ by dashes. When runs are compared, medians are left out.
 */
export function seriesOf(chart: ChartSpec, runs: readonly RunRows[], xs: readonly number[]): Series[] {
  const several = runs.length > 1;
  const kept = several ? chart.lines.filter((line, at) => at === 0 || line.name !== "median") : chart.lines;
  const isOnly = kept.length === 1;
  return runs.flatMap((run, at) =>
    kept.map((line, place) => ({
      name: several ? (isOnly ? run.label : `${line.name}, ${run.label}`) : line.name,
      values: valuesAt(xs, run.rows, line.column),
      colour: isOnly ? `series-${(at % 6) + 1}` : (line.colour ?? `series-${(place % 6) + 1}`),
      dash: isOnly || !several ? undefined : RUN_DASHES[at % RUN_DASHES.length],
    })),
  );
}

/** Names that tell runs apart at a glance: game and start, as far as needed. */
export function shortRunName(runId: string): string {
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[^-]+(-\d+)?$/.exec(runId);
  return found ? `${found[2]}-${found[3]} ${found[4]}:${found[5]}:${found[6]}${found[7] ?? ""}` : runId;
}
