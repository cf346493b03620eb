// Money, time, place and supplies: the numbers that are not gauges.
import type { ReactNode } from "react";
import type { Belt } from "./belt";
import { count, credits, nodeName, percent, sentenceCase } from "./words";

export function Figures({ belt }: { belt: Belt }) {
  return (
    <dl className="pr-figures" data-part="figures">
      <Figure name="Credits" value={credits(belt.credits)} />
      <Figure name="Net profit" value={credits(belt.netProfit)} tone={belt.netProfit < -0.5 ? "bad" : belt.netProfit > 0.5 ? "good" : undefined} />
      <Figure name="Time left" value={`${count(belt.timeLeft)} ticks`} />
      <Figure name="Place" value={place(belt)} wide />
      <Figure name="Way home" value={belt.node === 0 ? "here" : belt.hops === 1 ? "1 hop" : `${count(belt.hops)} hops`} />
      <Figure name="Survival" value={belt.survival > 0 ? "alive" : "lost"} tone={belt.survival > 0 ? undefined : "bad"} />
      <Figure name="Cargo worth" value={credits(belt.cargoValue)} />
      <Figure name="Mean load" value={percent(belt.meanLoad)} />
      <Figure name="Repair kits" value={count(belt.kits)} />
      <Figure name="Stabilizers" value={count(belt.stabilizers)} />
      <Figure name="Decoys" value={count(belt.decoys)} />
    </dl>
  );
}

function place(belt: Belt): string {
  return belt.node === 0 ? "Station" : `${sentenceCase(nodeName(belt.node))}, ${belt.nodeType}`;
}

function Figure({ name, value, tone, wide }: { name: string; value: ReactNode; tone?: "good" | "bad"; wide?: boolean }) {
  return (
    <div className={wide ? "pr-figures-wide" : undefined}>
      <dt>{name}</dt>
      <dd className="numbers" data-figure={name} style={tone && { color: `var(--${tone})` }}>
        {value}
      </dd>
    </div>
  );
}
