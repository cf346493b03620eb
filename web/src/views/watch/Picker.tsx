// Run → window → replay, with filters by tag.
import { useMemo } from "react";
import { listRuns } from "../../api/analytics";
import { ApiError } from "../../api/client";
import { useResource } from "../../api/useResource";
import { findReplays, type ReplayEntry } from "../../api/watch";
import { shortNumber } from "../../parts/chart";
import { Badge, Button, Empty, ErrorNote, Loading, Select } from "../../parts/ui";

const POLL_MS = 20_000;
export const QUICK_FILTERS = [
  { tag: "", label: "All" },
  { tag: "every_window", label: "Every window" },
  { tag: "best_so_far", label: "Best so far" },
  { tag: "milestone:*", label: "Milestones" },
] as const;

type Props = {
  run: string;
  replay: string | null;
  tag: string;
  window: string; // "" for all
  onRun: (run: string) => void;
  onTag: (tag: string) => void;
  onWindow: (window: string) => void;
  onReplay: (replay: string) => void;
};

export function Picker({ run, replay, tag, window, onRun, onTag, onWindow, onReplay }: Props) {
  const runs = useResource("runs", (signal) => listRuns(200, signal), { pollMs: POLL_MS });
  const all = useResource(run, (signal) => findReplays(run, {}, signal), { pollMs: POLL_MS });
  const found = useResource(tag ? `${run} ${tag}` : null, (signal) => findReplays(run, { tag }, signal), { pollMs: POLL_MS });
  const listed = tag ? found : all;
  const windows = useMemo(() => [...new Set((all.data?.replays ?? []).map((entry) => entry.window_id))], [all.data]);
  const shown = (listed.data?.replays ?? []).filter((entry) => !window || String(entry.window_id) === window);
  const runOptions = (runs.data?.runs ?? []).map((each) => ({ value: each.run_id, label: `${each.game} · ${each.run_id}` }));
  if (!runOptions.some((option) => option.value === run)) runOptions.unshift({ value: run, label: run });
  return (
    <div className="stack">
      <Select label="Run" value={run} options={runOptions} onChange={onRun} />
      <Select
        label="Window"
        value={window}
        options={[{ value: "", label: `All windows (${windows.length})` }, ...windows.map((id) => ({ value: String(id), label: `Window ${id}` }))]}
        onChange={onWindow}
      />
      <div className="row" role="group" aria-label="Filter by tag">
        {QUICK_FILTERS.map((filter) => (
          <Button key={filter.tag} pressed={tag === filter.tag} onClick={() => onTag(filter.tag)}>
            {filter.label}
          </Button>
        ))}
      </div>
      {listed.error instanceof ApiError && listed.error.gone && !listed.data ? (
        <Empty title="This run is not here (any more)" hint="Choose another one above." />
      ) : listed.error !== undefined && !listed.data ? (
        <ErrorNote error={listed.error} onRetry={listed.reload} />
      ) : listed.loading ? (
        <Loading what="replays" />
      ) : shown.length === 0 ? (
        <Empty title="No replay fits" hint={tag || window ? "Choose All, or another window." : "The evaluator records one as windows close; it appears here by itself."} />
      ) : (
        <ReplayRows entries={shown} chosen={replay} onReplay={onReplay} />
      )}
    </div>
  );
}

function ReplayRows({ entries, chosen, onReplay }: { entries: readonly ReplayEntry[]; chosen: string | null; onReplay: (replay: string) => void }) {
  return (
    <ul className="replays" aria-label="Replays">
      {entries.map((entry) => (
        <li key={entry.replay_id}>
          <button type="button" aria-pressed={entry.replay_id === chosen} onClick={() => onReplay(entry.replay_id)}>
            <span className="replays-head">
              Window {entry.window_id}
              <span className="numbers faint">
                return {shortNumber(entry.return_total)} · {entry.steps} steps
              </span>
            </span>
            <span className="row">
              {entry.tags.map((each) => (
                <Badge key={each} tone={each === "best_so_far" ? "accent" : each.startsWith("milestone") ? "good" : "plain"}>
                  {each.replaceAll("_", " ")}
                </Badge>
              ))}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
