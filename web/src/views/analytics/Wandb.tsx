// Weights & Biases, read through the server: the last ten runs of a project, and one of them in more detail.
import { useState } from "react";
import { getGame, getWandbStatus, getWandbView, listWandbRuns, type RunSummary, type WandbRunList } from "../../api/analytics";
import { useResource } from "../../api/useResource";
import { SHOWN } from "../../parts/player/shownByGames";
import { shortNumber } from "../../parts/chart";
import { Chart } from "../../parts/chart/Chart";
import { Button, Empty, ErrorNote, Loading, Note, Panel, Table, type Column } from "../../parts/ui";
import { moment } from "./Sources";
import { formatName } from "./chartGroups";

type WandbRun = WandbRunList["runs"][number];
const HISTORY = ["return_mean", ...SHOWN.flatMap((game) => game.logged), "reward_mean"];

export function WandbTab({ run }: { run: RunSummary }) {
  const status = useResource("wandb", getWandbStatus);
  if (status.loading) return <Loading what="W&B's status" />;
  if (!status.data) return <ErrorNote error={status.error} onRetry={status.reload} />;
  const { available, reason, defaults } = status.data;
  if (!available)
    return <Empty title="Weights & Biases is not connected" hint={<>{reason} Everything else on this page comes from the run's own files and works without it.</>} />;
  if (!defaults.entity) return <Empty title="Which entity of Weights & Biases?" hint={<>Start the server with <code>SANDLOT_WANDB_ENTITY</code>.</>} />;
  return defaults.project ? <LastRuns project={defaults.project} /> : <OwnProject game={run.game} />;
}

/** Where `sandlot train` logs a game, unless the server says otherwise. */
function OwnProject({ game }: { game: string }) {
  const { data, loading } = useResource(game, (signal) => getGame(game, signal));
  if (loading) return <Loading what="the game" />;
  return <LastRuns project={String(data?.spec.wandb_project || `sandlot-${game}`)} />;
}

function LastRuns({ project }: { project: string }) {
  const [chosen, setChosen] = useState<string>();
  const { data, error, loading, reload } = useResource(project, (signal) => listWandbRuns(project, signal));
  if (loading) return <Loading what="the runs of W&B" />;
  if (!data) return <ErrorNote error={error} title="Weights & Biases did not answer as hoped." onRetry={reload} />;
  const columns: Column<WandbRun>[] = [
    { key: "name", title: "Run", cell: (run) => <Button kind="quiet" pressed={run.id === chosen} onClick={() => setChosen(run.id)}>{run.name}</Button> },
    { key: "state", title: "State", cell: (run) => run.state ?? "missing" },
    { key: "created", title: "Created", cell: (run) => moment(run.created_at) },
    ...HISTORY.slice(0, 4).map((key) => ({ key, title: formatName(key), numeric: true, cell: (run: WandbRun) => formatMetric(run.summary[key]) })),
  ];
  return (
    <div className="stack">
      <Panel title={`The last ${data.count} runs of ${data.entity}/${data.project}`} tools={<Button onClick={reload}>Ask again</Button>} flush>
        {data.count ? (
          <Table caption="Runs on Weights & Biases, newest first" columns={columns} rows={data.runs} rowKey={(run) => run.id} />
        ) : (
          <Empty title="That project has no run yet" hint={<>Train with <code>--wandb online</code>.</>} />
        )}
      </Panel>
      {chosen && <OneRun key={chosen} runId={chosen} project={project} />}
    </div>
  );
}

function formatMetric(value: unknown) {
  return typeof value === "number" ? shortNumber(value) : <span className="faint">missing</span>;
}

function OneRun({ runId, project }: { runId: string; project: string }) {
  const { data, error, loading, reload } = useResource(`${project}/${runId}`, (signal) => getWandbView(runId, project, signal));
  if (loading) return <Loading what="the history" />;
  if (!data) return <ErrorNote error={error} onRetry={reload} />;
  const rows = data.history.rows;
  const xs = rows.map((row, at) => numeric(row.env_steps_total) ?? numeric(row._step) ?? at);
  const shown = HISTORY.filter((key) => rows.some((row) => numeric(row[key]) !== null));
  return (
    <Panel title={`${data.run.name}: key metrics and history`}>
      <dl className="metrics">
        {data.kpis.map((kpi) => (
          <div key={kpi.key}>
            <dt>{formatName(kpi.key)}</dt>
            <dd className="numbers">
              {shortNumber(kpi.last)} <span className="soft">best {shortNumber(kpi.best)}</span>
            </dd>
          </div>
        ))}
      </dl>
      {shown.length === 0 && <Note>The history of this run holds none of the metrics that are drawn here.</Note>}
      <div className="chart-grid">
        {shown.map((key) => (
          <Chart key={key} title={formatName(key)} xs={xs} series={[{ name: formatName(key), values: rows.map((row) => numeric(row[key])) }]} yLabel="as logged" syncKey="wandb" />
        ))}
      </div>
    </Panel>
  );
}

function numeric(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
