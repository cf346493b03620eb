// Every metric of the windows over env steps, in groups; several runs share the axes.
import { useMemo, useState } from "react";
import { getGame } from "../../api/analytics";
import { useResource } from "../../api/useResource";
import { Empty, Loading, Select } from "../../parts/ui";
import type { RunRows } from "./align";
import { Charts } from "./Charts";
import { groupsOf, type Fields } from "./chartGroups";
import { numericColumns } from "./rows";

const CLOSED = new Set(["Pace", "Everything else"]);
const SPANS = ["1", "5", "20", "50"] as const;

export function Curves({ runs, game, loaded }: { runs: readonly RunRows[]; game: string; loaded: boolean }) {
  const [span, setSpan] = useState<(typeof SPANS)[number]>("1");
  const fields = useFields(game);
  const groups = useMemo(() => {
    const columns = new Set(runs.flatMap((run) => numericColumns(run.rows)));
    return groupsOf([...columns], fields);
  }, [runs, fields]);
  if (!loaded) return <Loading what="the windows" />;
  if (groups.length === 0)
    return <Empty title="No window has closed yet" hint="The first one draws the first dot; this page looks again every few seconds." />;
  return (
    <div className="stack">
      <div className="row">
        <p className="small soft">
          <span className="analytics-hint">Drag to zoom, double-click to see all. </span>x is env steps: one step of one world counts one.
        </p>
        <div className="push">
          <Select
            label="Smooth over"
            value={span}
            options={SPANS.map((each) => ({ value: each, label: each === "1" ? "nothing" : `${each} windows` }))}
            onChange={setSpan}
          />
        </div>
      </div>
      <Charts groups={groups} runs={runs} span={Number(span)} closed={CLOSED} syncKey="curves" />
    </div>
  );
}

/** Units and meanings as the game says them; without an answer charts only lack those words. */
function useFields(game: string): Fields {
  const { data } = useResource(game, (signal) => getGame(game, signal));
  return useMemo(() => {
    const episodeFields = data?.spec.episode;
    const list = Array.isArray(episodeFields) ? (episodeFields as { name?: unknown; unit?: unknown; text?: unknown }[]) : [];
    return new Map(list.map((field) => [String(field.name), { unit: String(field.unit ?? ""), text: String(field.text ?? "") }]));
  }, [data]);
}
