// Analytics: one run or several, over env steps. Runs and tab are in the address, so a view can be shared.
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { listRuns, type RunSummary } from "../../api/analytics";
import { useResource } from "../../api/useResource";
import { Badge, Empty, ErrorNote, Loading, Tabs } from "../../parts/ui";
import "./analytics.css";
import { shortRunName, type RunRows } from "./align";
import { Curves } from "./Curves";
import { Headlines } from "./Headlines";
import { Evaluations } from "./Evaluations";
import { LeagueTab } from "./League";
import { RunPicker } from "./RunPicker";
import { Sources } from "./Sources";
import { Timeline } from "./Timeline";
import { MOST_WINDOWS, useHistories, type History } from "./useHistories";
import { WandbTab } from "./Wandb";
import { Windows } from "./Windows";

const MOST_RUNS = 500;
export const MOST_COMPARED = 6;
const RUNS_POLL_MS = 20_000;

const TABS = [
  { key: "curves", label: "Curves" },
  { key: "evaluations", label: "Evaluations" },
  { key: "replays", label: "Replays" },
  { key: "league", label: "League" },
  { key: "windows", label: "Windows" },
  { key: "sources", label: "Sources" },
  { key: "wandb", label: "W&B" },
] as const;
type TabKey = (typeof TABS)[number]["key"];

export default function Analytics() {
  const catalogue = useResource("runs", (signal) => listRuns(MOST_RUNS, signal), { pollMs: RUNS_POLL_MS });
  if (catalogue.loading) return <Loading what="the runs" />;
  if (!catalogue.data) return <ErrorNote error={catalogue.error} title="The runs cannot be listed." onRetry={catalogue.reload} />;
  if (catalogue.data.runs.length === 0)
    return (
      <Empty title="There is no run to chart yet" hint={<>Train one: <code>sandlot train tag --minutes 2</code>. It appears here by itself.</>} />
    );
  return (
    <>
      {catalogue.error !== undefined && <ErrorNote error={catalogue.error} title="What you see may be old." onRetry={catalogue.reload} />}
      <Page runs={catalogue.data.runs} />
    </>
  );
}

function Page({ runs }: { runs: readonly RunSummary[] }) {
  const [address, setAddress] = useSearchParams();
  const asked = address.get("run");
  const run = runs.find((each) => each.run_id === asked) ?? (asked ? undefined : runs[0]);
  const others = (address.get("with") ?? "").split(",").filter(Boolean);
  const compared = runs.filter((each) => others.includes(each.run_id) && each !== run).slice(0, MOST_COMPARED - 1);
  const tab = TABS.find((each) => each.key === address.get("tab"))?.key ?? "curves";
  const change = (parts: Record<string, string | undefined>) =>
    setAddress(
      (old) => {
        const next = new URLSearchParams(old);
        for (const [name, value] of Object.entries(parts)) value ? next.set(name, value) : next.delete(name);
        return next;
      },
      { replace: true },
    );
  return (
    <div className="stack">
      <div className="page-head">
        <h1>Analytics</h1>
        {run && <Live run={run} />}
        <RunPicker
          runs={runs}
          run={run}
          compared={compared}
          onRun={(id) => change({ run: id, with: others.filter((each) => each !== id).join(",") })}
          onCompared={(ids) => change({ with: ids.join(",") })}
        />
      </div>
      {run ? (
        <Chosen run={run} compared={compared} tab={tab} onTab={(key) => change({ tab: key })} />
      ) : (
        <Empty title="That run is not here (any more)" hint={<>The address asks for <code>{asked}</code>. Choose another run above.</>} />
      )}
    </div>
  );
}

function Live({ run }: { run: RunSummary }) {
  if (run.status === "running") return <Badge tone="good">training: updates by itself</Badge>;
  return <Badge tone={run.status === "failed" ? "bad" : "plain"}>{run.status}</Badge>;
}

type ChosenProps = { run: RunSummary; compared: readonly RunSummary[]; tab: TabKey; onTab: (key: TabKey) => void };

function Chosen({ run, compared, tab, onTab }: ChosenProps) {
  const chosen = useMemo(() => [run, ...compared], [run.run_id, compared.map((each) => each.run_id).join(" ")]);
  const histories = useHistories(chosen.map((each) => each.run_id));
  const lines: RunRows[] = useMemo(
    () => chosen.map(({ run_id, game }) => ({ runId: run_id, label: labelOf(game, run_id, chosen), rows: histories.get(run_id)?.rows ?? [] })),
    [chosen, histories],
  );
  const own = histories.get(run.run_id);
  return (
    <>
      <Headlines rows={lines[0]?.rows ?? []} />
      <Remarks chosen={chosen} histories={histories} />
      <Tabs label="What to look at" tabs={TABS} chosen={tab} onChoose={onTab}>
        {tab === "curves" && <Curves runs={lines} game={run.game} loaded={own?.loaded ?? false} />}
        {tab === "evaluations" && <Evaluations runs={lines} />}
        {tab === "replays" && <Timeline run={run} />}
        {tab === "league" && <LeagueTab run={run} />}
        {tab === "windows" && <Windows run={run} rows={own?.rows ?? []} total={own?.total ?? 0} />}
        {tab === "sources" && <Sources runs={chosen} />}
        {tab === "wandb" && <WandbTab run={run} />}
      </Tabs>
    </>
  );
}

function labelOf(game: string, runId: string, chosen: readonly RunSummary[]): string {
  const games = new Set(chosen.map((each) => each.game));
  return games.size > 1 ? `${game} ${shortRunName(runId)}` : shortRunName(runId);
}

/** Per run, what is missing or left out. */
function Remarks({ chosen, histories }: { chosen: readonly RunSummary[]; histories: ReadonlyMap<string, History> }) {
  return chosen.map(({ run_id }) => {
    const history = histories.get(run_id);
    if (history?.error !== undefined) return <ErrorNote key={run_id} error={history.error} title={`${shortRunName(run_id)}:`} />;
    if (history && history.total > MOST_WINDOWS)
      return (
        <p key={run_id} className="small soft">
          {shortRunName(run_id)} has {history.total.toLocaleString("en")} windows; the newest {MOST_WINDOWS.toLocaleString("en")} are drawn.
        </p>
      );
    return null;
  });
}
