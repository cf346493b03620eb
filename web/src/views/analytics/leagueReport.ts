// The cross-play matrix of a league, sorted by rating.

import type { League } from "../../api/analytics";

export type HeatMap = {
  rowRole: string;
  columnRole: string;
  rows: { name: string; rating: number | null }[];
  columns: { name: string; rating: number | null }[];
  wins: number[][]; // share of the row's wins
};

export function heatMapOf(league: League): HeatMap | null {
  const { matrix } = league;
  if (!matrix) return null;
  const rating = (role: string, name: string) => league.standings?.find((each) => each.role === role && each.name === name)?.rating ?? null;
  const order = (role: string, names: readonly string[]) =>
    names.map((name, at) => ({ name, at, rating: rating(role, name) })).sort((a, b) => (b.rating ?? -Infinity) - (a.rating ?? -Infinity) || a.at - b.at);
  const rows = order(matrix.row_role, matrix.rows);
  const columns = order(matrix.column_role, matrix.columns);
  const shown = ({ name, rating }: { name: string; rating: number | null }) => ({ name: league.labels[name] ?? name, rating });
  return {
    rowRole: matrix.row_role,
    columnRole: matrix.column_role,
    rows: rows.map(shown),
    columns: columns.map(shown),
    wins: rows.map((row) => columns.map((column) => matrix.row_wins[row.at]?.[column.at] ?? Number.NaN)),
  };
}

const STRONGEST = 48; // percent of colour; more would drown the number

/** How strongly a cell is coloured, in percent, and whose colour it has. */
export function shade(share: number): { side: "row" | "column"; percent: number } {
  return { side: share >= 0.5 ? "row" : "column", percent: Math.round(Math.abs(share - 0.5) * 2 * STRONGEST) };
}
