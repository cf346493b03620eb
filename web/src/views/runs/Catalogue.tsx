import { useMemo, useState } from "react";
import { Link } from "react-router";
import { listRuns, type RunSummary } from "../../api/analytics";
import { useResource } from "../../api/useResource";
import { shortNumber } from "../../parts/chart";
import { Badge, Empty, ErrorNote, Loading, Note, Panel, Select, Table, type Column, type Tone } from "../../parts/ui";
import { analyticsLink, runLink, watchLink } from "../analytics/links";
import { duration, nextSort, shownRuns, type Sort, type SortKey } from "./runList";

const MOST_RUNS = 500;
const POLL_MS = 10_000;
export const STATUS_TONES: Record<string, Tone> = { running: "good", completed: "plain", stopped: "warn", interrupted: "warn", failed: "bad" };

export function Catalogue() {
  const { data, error, loading, reload } = useResource("runs", (signal) => listRuns(MOST_RUNS, signal), { pollMs: POLL_MS });
  const [game, setGame] = useState("");
  const [status, setStatus] = useState("");
  const [words, setWords] = useState("");
  const [sort, setSort] = useState<Sort>({ key: "updated_at", descending: true });
  const runs = useMemo(() => shownRuns(data?.runs ?? [], { game, status, words }, sort), [data, game, status, words, sort]);
  if (loading) return <Loading what="the runs" />;
  if (!data) return <ErrorNote error={error} title="The runs cannot be listed." onRetry={reload} />;
  if (data.total === 0) return <Empty title="There is no run yet" hint={<>Train one: <code>sandlot train tag --minutes 2</code>. It appears here by itself.</>} />;
  const options = (key: "game" | "status") => [{ value: "", label: "all" }, ...[...new Set(data.runs.map((run) => run[key]))].sort().map((value) => ({ value, label: value }))];
  return (
    <div className="stack">
      <div className="page-head">
        <h1>Runs</h1>
        <div className="row push runs-filters">
          <Select label="Game" value={game} options={options("game")} onChange={setGame} />
          <Select label="Status" value={status} options={options("status")} onChange={setStatus} />
          <div className="field">
            <label htmlFor="runs-words" className="field-label">
              Search
            </label>
            <input id="runs-words" className="input" type="search" value={words} placeholder="id, trainer, seed:7" onChange={(event) => setWords(event.target.value)} />
          </div>
        </div>
      </div>
      {error !== undefined && <ErrorNote error={error} title="What you see may be old." onRetry={reload} />}
      {data.total > data.count && <Note>The {data.count} runs that changed last are shown, of {data.total}.</Note>}
      <Panel flush>
        {runs.length ? (
          <Table
            caption={`${runs.length} of ${data.total} runs`}
            columns={COLUMNS}
            rows={runs}
            rowKey={(run) => run.run_id}
            sort={sort}
            onSort={(key) => setSort(nextSort(sort, key as SortKey))}
          />
        ) : (
          <Empty title="No run fits" hint="Take a filter away." />
        )}
      </Panel>
    </div>
  );
}

const COLUMNS: Column<RunSummary>[] = [
  { key: "run_id", title: "Run", sortable: true, cell: (run) => <Link to={runLink(run.run_id)}>{run.run_id}</Link> },
  { key: "game", title: "Game", sortable: true, cell: (run) => run.game },
  { key: "status", title: "Status", sortable: true, cell: (run) => <Badge tone={STATUS_TONES[run.status]} title={run.error ?? undefined}>{run.status}</Badge> },
  { key: "trainer_backend", title: "Trainer", sortable: true, cell: (run) => run.trainer_backend },
  { key: "env_steps_total", title: "Env steps", sortable: true, numeric: true, cell: (run) => <Progress run={run} /> },
  { key: "windows_emitted", title: "Windows", sortable: true, numeric: true, cell: (run) => run.windows_emitted },
  { key: "replay_count", title: "Replays", sortable: true, numeric: true, cell: (run) => run.replay_count },
  { key: "updated_at", title: "Updated (UTC)", sortable: true, cell: (run) => run.updated_at.slice(0, 19).replace("T", " ") },
  { key: "took", title: "Took", numeric: true, cell: (run) => duration(run.started_at, run.finished_at ?? run.updated_at) },
  {
    key: "go",
    title: "Open in",
    cell: (run) => (
      <span className="row">
        <Link to={watchLink(run.run_id)} aria-label={`Watch ${run.run_id}`}>Watch</Link>
        <Link to={analyticsLink(run.run_id)} aria-label={`Analytics of ${run.run_id}`}>Analytics</Link>
      </span>
    ),
  },
];

function Progress({ run }: { run: RunSummary }) {
  const share = run.target_env_steps ? run.env_steps_total / run.target_env_steps : null;
  return (
    <>
      {shortNumber(run.env_steps_total)}
      {run.status === "running" && share !== null && ` (${Math.min(100, Math.round(100 * share))} %)`}
    </>
  );
}
