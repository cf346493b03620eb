// The newest window at a glance: a few metrics with their trend and the change since the window before.
import { percent, shortNumber, Spark } from "../../parts/chart";
import { hasOpponents, HEADLINES } from "./chartGroups";
import { numberOf, type Row } from "./rows";

const MOST = 5;
const TREND = 60; // windows in a spark line

export function Headlines({ rows }: { rows: readonly Row[] }) {
  const last = rows.at(-1);
  if (!last) return null;
  const opponents = hasOpponents(Object.keys(last));
  const shown = HEADLINES.filter((metric) => numberOf(last, columnOf(metric)) !== null && !(opponents && metric.pilotOnly)).slice(0, MOST);
  return (
    <ul className="headlines" aria-label={`Window ${last.window_id}`}>
      <li>
        <span className="small soft">Window</span>
        <strong className="numbers">{last.window_id}</strong>
        <span className="small soft">{shortNumber(last.env_steps_total)} env steps</span>
      </li>
      {shown.map((metric) => (
        <Headline key={metric.title} metric={metric} rows={rows} />
      ))}
    </ul>
  );
}

type Known = (typeof HEADLINES)[number];
const columnOf = (metric: Known) => metric.columns[0]?.[0] ?? "";

function Headline({ metric, rows }: { metric: Known; rows: readonly Row[] }) {
  const column = columnOf(metric);
  const format = metric.percent ? percent : shortNumber;
  const now = numberOf(rows.at(-1), column) ?? 0;
  const before = numberOf(rows.at(-2), column);
  const change = before === null ? null : now - before;
  return (
    <li>
      <span className="small soft">{metric.title}</span>
      <span className="row">
        <strong className="numbers">{format(now)}</strong>
        {change !== null && <span className="small soft">{signed(change, format)}</span>}
      </span>
      <Spark values={rows.slice(-TREND).map((row) => numberOf(row, column))} label={`${metric.title}, the last ${Math.min(TREND, rows.length)} windows`} />
      <span className="small soft">{metric.unit}</span>
    </li>
  );
}

function signed(change: number, format: (value: number) => string): string {
  return Math.abs(change) < 1e-9 ? "±0" : `${change > 0 ? "+" : "−"}${format(Math.abs(change))}`;
}
