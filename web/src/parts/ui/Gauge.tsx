type Props = {
  label: string;
  value: number;
  max: number;
  unit?: string;
  warnBelow?: number; // share of max under which the bar warns
  warnAbove?: number; // share of max over which the bar warns
  format?: (value: number) => string;
};

/** A bar with its number, for quantities with a known end. */
export function Gauge({ label, value, max, unit = "", warnBelow, warnAbove, format = (v) => v.toFixed(0) }: Props) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  const low = warnBelow !== undefined && share < warnBelow;
  const high = warnAbove !== undefined && share > warnAbove;
  return (
    <div
      className={`gauge${low || high ? " gauge-warn" : ""}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={`${format(value)}${unit} of ${format(max)}${unit}`}
    >
      <div className="gauge-text">
        <span>{label}</span>
        <span className="numbers">
          {format(value)}
          {unit}
        </span>
      </div>
      <div className="gauge-track">
        <div className="gauge-fill" style={{ inlineSize: `${share * 100}%` }} />
      </div>
    </div>
  );
}
