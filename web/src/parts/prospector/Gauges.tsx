// The ship's six gauges with their numbers.
import { Gauge } from "../ui";
import type { Belt, GaugeName } from "./belt";
import { amount } from "./words";

const GAUGES: Record<GaugeName, { label: string; warnBelow?: number; warnAbove?: number }> = {
  fuel: { label: "Fuel", warnBelow: 0.2 },
  hull: { label: "Hull", warnBelow: 0.35 },
  heat: { label: "Heat", warnAbove: 0.6 },
  tool: { label: "Tool", warnBelow: 0.3 },
  cargo: { label: "Cargo", warnAbove: 0.95 },
  alert: { label: "Alert", warnAbove: 0.7 },
};

export function Gauges({ belt }: { belt: Belt }) {
  return (
    <div className="pr-gauges" data-part="gauges">
      {belt.gauges.map(({ name, value, max }) => (
        <div key={name} data-gauge={name}>
          <Gauge {...GAUGES[name]} value={value} max={max} format={amount} />
        </div>
      ))}
    </div>
  );
}
