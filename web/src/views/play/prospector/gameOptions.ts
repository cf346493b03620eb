// Which game to open, from the address: /play?game=prospector&seed=7&time=2000. Wrong values are reported and ignored.
export const MOST_SEED = (1n << 64n) - 1n;
export const DEFAULT_TIME = 20_000; // ticks; a test holds that it is the engine's own default
export const TIMES = { low: 1, high: 1_000_000 } as const;

export function randomSeed(): bigint {
  return BigInt(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0);
}

export type Checked<T> = { value: T; problem: null } | { value: null; problem: string };

export function readSeed(text: string): Checked<bigint> {
  const clean = text.trim();
  if (/^\d{1,20}$/.test(clean) && BigInt(clean) <= MOST_SEED) return { value: BigInt(clean), problem: null };
  return { value: null, problem: "A seed is a whole number from 0 to 18446744073709551615." };
}

export function readTime(text: string): Checked<number> {
  const clean = text.trim();
  const value = /^\d{1,7}$/.test(clean) ? Number(clean) : NaN;
  if (value >= TIMES.low && value <= TIMES.high) return { value, problem: null };
  return { value: null, problem: `A time budget is a whole number of ticks from ${TIMES.low} to ${TIMES.high.toLocaleString("en")}.` };
}
