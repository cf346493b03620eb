// Money, time, place and supplies: the numbers that are not gauges.
import type { ReactNode } from "react";
import type { Belt } from "./belt";
import { count, credits, nodeName, percent, sentenceCase } from "./words";

export function Metrics({ belt }: { belt: Belt }) {
  return (
    <dl className="pr-metrics" data-part="metrics">
      <Metric name="Credits" value={credits(belt.credits)} />
      <Metric name="Net profit" value={credits(belt.netProfit)} tone={belt.netProfit < -0.5 ? "bad" : belt.netProfit > 0.5 ? "good" : undefined} />
      <Metric name="Time left" value={`${count(belt.timeLeft)} ticks`} />
      <Metric name="Place" value={place(belt)} wide />
      <Metric name="Way home" value={belt.node === 0 ? "here" : belt.hops === 1 ? "1 hop" : `${count(belt.hops)} hops`} />
      <Metric name="Survival" value={belt.survival > 0 ? "alive" : "lost"} tone={belt.survival > 0 ? undefined : "bad"} />
      <Metric name="Cargo worth" value={credits(belt.cargoValue)} />
      <Metric name="Mean load" value={percent(belt.meanLoad)} />
      <Metric name="Repair kits" value={count(belt.kits)} />
      <Metric name="Stabilizers" value={count(belt.stabilizers)} />
      <Metric name="Decoys" value={count(belt.decoys)} />
    </dl>
  );
}

function place(belt: Belt): string {
  return belt.node === 0 ? "Station" : `${sentenceCase(nodeName(belt.node))}, ${belt.nodeType}`;
}

function Metric({ name, value, tone, wide }: { name: string; value: ReactNode; tone?: "good" | "bad"; wide?: boolean }) {
  return (
    <div className={wide ? "pr-metrics-wide" : undefined}>
      <dt>{name}</dt>
      <dd className="numbers" data-metric={name} style={tone && { color: `var(--${tone})` }}>
        {value}
      </dd>
    </div>
  );
}
