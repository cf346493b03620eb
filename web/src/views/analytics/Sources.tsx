// Where the numbers come from: the completeness contract, and the lineage of each chosen run.
import { getCompleteness, getRun, type Completeness, type RunSummary } from "../../api/analytics";
import { useResource } from "../../api/useResource";
import { Badge, ErrorNote, Loading, Panel, Table, type Column, type Tone } from "../../parts/ui";
import { Lineage } from "./Lineage";
import { shortRunName } from "./align";

type Row = Completeness["coverage"][number];
const TONES: Record<Row["status"], Tone> = { ok: "good", stale: "warn", missing: "warn", error: "bad" };
const POLL_MS = 20_000;

export function Sources({ runs }: { runs: readonly RunSummary[] }) {
  return (
    <div className="stack">
      {runs.map((run) => (
        <Coverage key={run.run_id} run={run} named={runs.length > 1} />
      ))}
      {runs.map((run) => (
        <RunLineage key={run.run_id} run={run} named={runs.length > 1} />
      ))}
    </div>
  );
}

function Coverage({ run, named }: { run: RunSummary; named: boolean }) {
  const { data, error, loading, reload } = useResource(run.run_id, (signal) => getCompleteness(run.run_id, signal), { pollMs: POLL_MS });
  const columns: Column<Row>[] = [
    { key: "label", title: "Source", cell: (row) => row.label },
    { key: "status", title: "Status", cell: (row) => <Badge tone={TONES[row.status]}>{row.status}</Badge> },
    { key: "count", title: "Rows", numeric: true, cell: (row) => row.observed_count.toLocaleString("en") },
    { key: "missing", title: "Missing fields", cell: (row) => row.missing_fields.join(", ") || "none" },
    { key: "path", title: "Where", cell: (row) => `${row.lineage.source}${row.lineage.path ? `: ${row.lineage.path}` : ""}` },
    { key: "updated", title: "Updated", cell: (row) => moment(row.lineage.updated_at) },
    { key: "notes", title: "Notes", cell: (row) => row.notes.join(" ") },
  ];
  return (
    <Panel title={named ? `Coverage of ${shortRunName(run.run_id)}` : "Coverage"} tools={data && <Badge tone={TONES[data.overall_status]}>overall: {data.overall_status}</Badge>} flush>
      {loading && <Loading what="the coverage" />}
      {!data && error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {data && <Table caption="Which sources of this run are there" columns={columns} rows={data.coverage} rowKey={(row) => row.key} />}
    </Panel>
  );
}

function RunLineage({ run, named }: { run: RunSummary; named: boolean }) {
  const { data, error, loading, reload } = useResource(run.run_id, (signal) => getRun(run.run_id, signal), { pollMs: POLL_MS });
  return (
    <Panel title={named ? `Lineage of ${shortRunName(run.run_id)}` : "Lineage"}>
      {loading && <Loading what="the run" />}
      {!data && error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {data && <Lineage record={data.metadata} />}
    </Panel>
  );
}

export function moment(time: string | null | undefined): string {
  return time ? `${time.slice(0, 19).replace("T", " ")} UTC` : "missing";
}
