// Groups of charts; a group can be folded, and what is folded is not drawn.
import { useMemo, useState } from "react";
import { percent } from "../../parts/chart";
import { Chart } from "../../parts/chart/Chart";
import { seriesOf, sharedXs, type RunRows } from "./align";
import type { ChartSpec, Group } from "./chartGroups";
import { smoothed } from "./smooth";

type Props = { groups: readonly Group[]; runs: readonly RunRows[]; span?: number; closed?: ReadonlySet<string>; syncKey: string };

export function Charts({ groups, runs, span = 1, closed = new Set(), syncKey }: Props) {
  const xs = useMemo(() => sharedXs(runs), [runs]);
  return groups.map((group) => (
    <ChartGroup key={group.title} group={group} startsOpen={!closed.has(group.title)}>
      {group.charts.map((chart) => (
        <OneChart key={chart.title} chart={chart} runs={runs} xs={xs} span={span} syncKey={syncKey} />
      ))}
    </ChartGroup>
  ));
}

function ChartGroup({ group, startsOpen, children }: { group: Group; startsOpen: boolean; children: React.ReactNode }) {
  const [open, setOpen] = useState(startsOpen);
  return (
    <details className="chart-group" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>{group.title}</h2>
        <span className="small soft">{group.note}</span>
      </summary>
      {open && <div className={`chart-grid${group.charts.length % 3 ? " chart-grid-even" : ""}`}>{children}</div>}
    </details>
  );
}

type OneProps = { chart: ChartSpec; runs: readonly RunRows[]; xs: readonly number[]; span: number; syncKey: string };

function OneChart({ chart, runs, xs, span, syncKey }: OneProps) {
  const series = useMemo(
    () => seriesOf(chart, runs, xs).map((each) => ({ ...each, values: smoothed(each.values, span) })),
    [chart, runs, xs, span],
  );
  return (
    <div className="panel chart-panel">
      <Chart title={chart.title} xs={xs} series={series} yLabel={chart.unit} format={chart.percent ? percent : undefined} syncKey={syncKey} />
    </div>
  );
}
