// Checkpoints and replays along the run, window by window; a replay opens in Watch.
import { useMemo, useState } from "react";
import { Link } from "react-router";
import { listCheckpoints, listReplays, type CheckpointList, type ReplayEntry, type RunSummary } from "../../api/analytics";
import { apiUrl } from "../../api/client";
import { useResource } from "../../api/useResource";
import { shortNumber } from "../../parts/chart";
import { SHOWN } from "../../parts/player/shownByGames";
import { Badge, Empty, ErrorNote, Loading, Note, Select, Table, type Column } from "../../parts/ui";
import { watchLink } from "./links";
import { tellingTags, windowsOf, type WindowMarks } from "./windowMarks";

const MOST_REPLAYS = 1000;
const POLL_MS = 8000;

export function Timeline({ run }: { run: RunSummary }) {
  const replays = useResource(run.run_id, (signal) => listReplays(run.run_id, MOST_REPLAYS, signal), { pollMs: POLL_MS });
  const checkpoints = useResource(run.run_id, (signal) => listCheckpoints(run.run_id, signal), { pollMs: POLL_MS });
  const [tag, setTag] = useState("");
  const tags = useMemo(() => [...new Set(replays.data?.replays.flatMap((each) => each.tags) ?? [])].sort(), [replays.data]);
  const shown = useMemo(() => (replays.data?.replays ?? []).filter((each) => !tag || each.tags?.includes(tag)), [replays.data, tag]);
  const windows = useMemo(() => windowsOf(shown, tag ? [] : (checkpoints.data?.checkpoints ?? []), run.window_env_steps, run.env_steps_total), [shown, checkpoints.data, tag, run.window_env_steps, run.env_steps_total]);
  if (replays.loading || checkpoints.loading) return <Loading what="the replays" />;
  if (!replays.data) return <ErrorNote error={replays.error} title="The replays cannot be listed." onRetry={replays.reload} />;
  if (replays.data.total === 0 && !checkpoints.data?.count)
    return <Empty title="There is no checkpoint and no replay yet" hint="A window that closes leaves a checkpoint; its evaluation leaves a replay." />;
  return (
    <div className="stack">
      {checkpoints.error !== undefined && <ErrorNote error={checkpoints.error} title="The checkpoints cannot be listed." />}
      <div className="row">
        <p className="small soft">Click a dot or a name to watch the replay.</p>
        <div className="push">
          <Select label="Tag" value={tag} options={[{ value: "", label: "all" }, ...tags.map((each) => ({ value: each, label: each }))]} onChange={setTag} />
        </div>
      </div>
      <Strip run={run} windows={windows} />
      {replays.data.total > replays.data.count && (
        <Note>The newest {replays.data.count} of {replays.data.total} replays are shown.</Note>
      )}
      <WindowTable run={run} windows={windows} checkpoints={checkpoints.data} />
    </div>
  );
}

/** The run as a line: squares are checkpoints, dots replays; the best stands out by shape too. */
function Strip({ run, windows }: { run: RunSummary; windows: readonly WindowMarks[] }) {
  const end = Math.max(run.env_steps_total, ...windows.map((each) => each.envSteps), 1);
  const place = (steps: number) => `${(100 * steps) / end}%`;
  return (
    <div className="strip" role="group" aria-label="Checkpoints and replays along the run">
      <div className="strip-line" />
      {windows.map((window) => (
        <div key={window.windowId} className="strip-window" style={{ left: place(window.envSteps) }}>
          {window.replays.slice(0, 4).map((replay) => (
            <Link
              key={replay.replay_id}
              to={watchLink(run.run_id, replay.replay_id)}
              className={`strip-replay${isBest(replay) ? " strip-best" : ""}`}
              aria-label={`Watch ${replay.replay_id} of window ${window.windowId}`}
              title={`Window ${window.windowId}: ${replay.tags?.join(", ")}`}
            />
          ))}
          {window.checkpoint && <span className={`strip-checkpoint${window.checkpoint.best ? " strip-best" : ""}`} title={`Checkpoint of window ${window.windowId}`} />}
        </div>
      ))}
      <span className="strip-end numbers">{shortNumber(end)} env steps</span>
      <span className="strip-start numbers">0</span>
    </div>
  );
}

const isBest = (replay: ReplayEntry) => replay.tags?.includes("best_so_far") ?? false;

function WindowTable({ run, windows, checkpoints }: { run: RunSummary; windows: readonly WindowMarks[]; checkpoints: CheckpointList | undefined }) {
  const columns: Column<WindowMarks>[] = [
    { key: "window", title: "Window", numeric: true, cell: (each) => each.windowId },
    { key: "steps", title: "Env steps", numeric: true, cell: (each) => shortNumber(each.envSteps) },
    { key: "checkpoint", title: "Checkpoint", cell: (each) => <CheckpointCell window={each} kept={checkpoints !== undefined} /> },
    {
      key: "replays",
      title: "Replays",
      cell: (each) => (each.replays.length ? each.replays.map((replay) => <ReplayCell key={replay.replay_id} run={run} replay={replay} />) : <span className="faint">none</span>),
    },
  ];
  return <Table caption="Windows with their checkpoints and replays, newest first" columns={columns} rows={[...windows].reverse()} rowKey={(each) => each.windowId} />;
}

function CheckpointCell({ window, kept }: { window: WindowMarks; kept: boolean }) {
  if (!window.checkpoint) return <span className="faint">{kept ? "not kept" : "unknown"}</span>;
  const { url, best, newest } = window.checkpoint;
  return (
    <span className="row">
      <a href={apiUrl(url)} download>
        {window.checkpoint.path.split("/").at(-1)}
      </a>
      {best && <Badge tone="good">best</Badge>}
      {newest && <Badge>newest</Badge>}
    </span>
  );
}

/** What its game shows of a replay beside its return. */
function measures(replay: ReplayEntry): string {
  return SHOWN.flatMap(({ replayMeasure }) => {
    const value = replayMeasure && replay.measures?.[replayMeasure.name];
    return value == null ? [] : [`, ${replayMeasure?.label} ${shortNumber(value)}`];
  }).join("");
}

function ReplayCell({ run, replay }: { run: RunSummary; replay: ReplayEntry }) {
  return (
    <div className="row">
      <Link to={watchLink(run.run_id, replay.replay_id)}>{replay.replay_id}</Link>
      <span className="numbers soft">
        return {shortNumber(replay.return_total)}
        {measures(replay)}, {replay.steps} steps
      </span>
      {tellingTags(replay.tags ?? []).map((tag) => (
        <Badge key={tag} tone={tag === "best_so_far" ? "good" : tag.startsWith("milestone") ? "accent" : "plain"}>
          {tag}
        </Badge>
      ))}
    </div>
  );
}
