// How checkpoints were evaluated over time: ratings, matches against scripted players, held-out seeds.
import { useEffect, useMemo, useState } from "react";
import { listRatings, type RatingList } from "../../api/analytics";
import { Empty, ErrorNote, Loading } from "../../parts/ui";
import type { RunRows } from "./align";
import { Charts } from "./Charts";
import { evaluationGroups, evaluationRows } from "./evaluationCharts";
import { numericColumns } from "./rows";

const POLL_MS = 8000; // evaluation lags behind training anyway
const CLOSED = new Set(["Other metrics"]);

export function Evaluations({ runs }: { runs: readonly RunRows[] }) {
  const { answers, error } = useRatings(runs.map((run) => run.runId));
  const lines = useMemo(() => runs.map((run) => ({ ...run, rows: evaluationRows(answers?.get(run.runId)?.ratings ?? []) })), [runs, answers]);
  const groups = useMemo(() => evaluationGroups([...new Set(lines.flatMap((run) => numericColumns(run.rows)))]), [lines]);
  if (error !== undefined && !answers) return <ErrorNote error={error} title="The evaluations cannot be read." />;
  if (!answers) return <Loading what="the evaluations" />;
  if (groups.length === 0)
    return <Empty title="No checkpoint was evaluated yet" hint="Evaluation runs beside training and takes a little longer; it may also be switched off (evaluation.enabled)." />;
  const first = answers.get(runs[0]?.runId ?? "");
  const best = first?.best_window;
  return (
    <div className="stack">
      <p className="small soft">
        Each dot is a checkpoint on held-out seeds. {best == null ? "Which is best is not known yet." : `The best so far is that of window ${best}.`} {first?.best && reportOf(first.best)}
      </p>
      <Charts groups={groups} runs={lines} closed={CLOSED} syncKey="evaluated" />
    </div>
  );
}

/** The best checkpoint on seeds that did not choose it: its score on the others is biased upwards. */
function reportOf(best: NonNullable<RatingList["best"]>): string {
  const number = (value: number) => Math.round(value).toLocaleString("en");
  const withInterval = (value: number, interval: readonly [number, number] | null | undefined) => number(value) + (interval ? ` (${interval.map(number).join(" to ")})` : "");
  const ratings = Object.entries(best.ratings).map(([role, rating]) => `${role} ${withInterval(rating, best.rating_intervals[role])}`);
  const value = ratings.length > 0 ? ratings.join(", ") : best.value === null ? "" : withInterval(best.value, best.value_interval);
  return value && `Measured again on ${best.episodes ?? "other"} seeds on which nothing was chosen: ${value}.`;
}

/** Ratings of several runs, asked for again every few seconds. A list that is as long as before changes nothing. */
function useRatings(runIds: readonly string[]) {
  const [answers, setAnswers] = useState<ReadonlyMap<string, RatingList>>();
  const [error, setError] = useState<unknown>();
  const key = runIds.join(" ");
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let before = "";
    const poll = async () => {
      try {
        const found = await Promise.all(key.split(" ").map((id) => listRatings(id, stop.signal)));
        const mark = found.map((each) => `${each.total} ${each.ratings.at(-1)?.window_id} ${each.best_window}`).join();
        if (stop.signal.aborted) return;
        if (mark !== before) setAnswers(new Map(found.map((each) => [each.run_id, each])));
        before = mark;
        setError(undefined);
      } catch (problem) {
        if (!stop.signal.aborted) setError(problem);
      }
      if (!stop.signal.aborted) timer = setTimeout(poll, POLL_MS);
    };
    void poll();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key]);
  return { answers, error };
}
