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

/** A number on an axis whose ticks are `step` apart: as many digits as tell neighbours apart. */
export function tickNumber(value: number, step: number): string {
  if (value === 0) return "0";
  const [size, letter] = STEPS.find(([each]) => Math.abs(value) >= each) ?? [1, ""];
  let digits = 0;
  while (digits <= 5 && !isWhole((step / size) * 10 ** digits)) digits++;
  if (digits > 5) return value.toExponential(Math.max(0, Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(step) + 1e-9)));
  return `${(value / size).toFixed(digits)}${letter}`;
}

function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-6 && Math.round(value) !== 0;
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
