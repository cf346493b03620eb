// A sparkline: the trend of one metric.
type Props = { values: readonly (number | null | undefined)[]; label: string; colour?: string; width?: number; height?: number };

export function Spark({ values, label, colour = "accent", width = 96, height = 28 }: Props) {
  const known = values.flatMap((value, index) => (value == null || !Number.isFinite(value) ? [] : [{ index, value }]));
  const last = known.at(-1);
  if (!last) return <span className="faint small">no trend yet</span>;
  const low = Math.min(...known.map((point) => point.value));
  const span = Math.max(...known.map((point) => point.value)) - low || 1;
  const place = ({ index, value }: { index: number; value: number }) =>
    [2 + (index / Math.max(1, values.length - 1)) * (width - 6), height - 4 - ((value - low) / span) * (height - 8)] as const;
  const path = known.map((point) => place(point).map((v) => v.toFixed(1)).join(" ")).join(" L");
  const [x, y] = place(last);
  return (
    <svg className="spark" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <path d={`M${path}`} fill="none" stroke={`var(--${colour})`} strokeWidth="1.6" strokeLinejoin="round" />
      <circle cx={x} cy={y} r="2.6" fill={`var(--${colour})`} />
    </svg>
  );
}
