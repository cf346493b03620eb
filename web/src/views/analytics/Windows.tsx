// The latest window with all its numbers, and the recent ones in a table.
import { useMemo, useState } from "react";
import type { RunSummary } from "../../api/analytics";
import { apiUrl, part } from "../../api/client";
import { shortNumber } from "../../parts/chart";
import { Empty, Panel, Select, Table, type Column } from "../../parts/ui";
import { HEADLINES, formatName } from "./chartGroups";
import { numberOf, numericColumns, type Row } from "./rows";

const COUNTS = ["10", "25", "100", "500"] as const;
const FIXED = ["window_id", "env_steps_total", "episodes_completed"];

export function Windows({ run, rows, total }: { run: RunSummary; rows: readonly Row[]; total: number }) {
  const [count, setCount] = useState<(typeof COUNTS)[number]>("25");
  const columns = useMemo(() => recentColumns(rows), [rows]);
  const last = rows.at(-1);
  if (!last) return <Empty title="No window has closed yet" hint="A row appears here with each window." />;
  const recent = rows.slice(-Number(count)).reverse();
  return (
    <div className="stack">
      <Panel
        title={`Latest window: ${last.window_id}`}
        tools={
          <a href={apiUrl(`/api/runs/${part(run.run_id)}/files/metrics/windows.jsonl`)} download>
            all rows as JSON lines
          </a>
        }
      >
        <dl className="metrics">
          {numericColumns([last]).map((column) => (
            <div key={column}>
              <dt>{formatName(column)}</dt>
              <dd className="numbers">{exact(numberOf(last, column))}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      <Panel
        title={`Recent windows, of ${total.toLocaleString("en")}`}
        tools={<Select label="How many" hideLabel value={count} options={COUNTS.map((each) => ({ value: each, label: `the last ${each}` }))} onChange={setCount} />}
        flush
      >
        <Table caption="Recent windows, newest first" columns={columns} rows={recent} rowKey={(row) => row.window_id} />
      </Panel>
    </div>
  );
}

function exact(value: number | null): string {
  return value === null ? "missing" : value.toLocaleString("en", { maximumSignificantDigits: 6 });
}

function recentColumns(rows: readonly Row[]): Column<Row>[] {
  const has = new Set(numericColumns(rows));
  const known = HEADLINES.map((metric) => metric.columns[0]?.[0] ?? "");
  const learning = [...has].filter((column) => /_(policy_loss|value_loss|entropy)$/.test(column));
  return [...FIXED, ...known, ...learning, "seconds"].filter((column) => has.has(column)).map((column) => ({
    key: column,
    title: formatName(column),
    numeric: true,
    cell: (row) => cell(row, column),
  }));
}

function cell(row: Row, column: string) {
  const value = numberOf(row, column);
  if (value === null) return <span className="faint">missing</span>;
  return column === "window_id" ? `${value}${row.window_complete ? "" : " (partial)"}` : shortNumber(value);
}
