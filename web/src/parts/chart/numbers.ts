const STEPS: readonly (readonly [number, string])[] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/** 12,345,678 → "12.3M": three digits are enough to read a curve. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  for (const [step, letter] of STEPS) if (size >= step) return `${trim(value / step)}${letter}`;
  return trim(value);
}

function trim(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && size < 0.001) return value.toExponential(1);
  return String(Number(value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3)));
}

/** 0.934 → "93 %". */
export function percent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(share * 100)} %` : "–";
}
