// What the page says about stages of training, in plain words.
import type { LearningResult, Stage } from "../../api/learning";
import { percent, shortNumber } from "../../parts/chart";

/** "before training", "after 1 min 20 s of training". */
export function stageName({ window_id: window, trained_s: seconds, env_steps_total: steps }: Stage): string {
  if (window === null) return "before training";
  return seconds === null ? `after ${shortNumber(steps)} steps of training` : `after ${span(seconds)} of training`;
}

/** 80 → "1 min 20 s": the two largest units. */
export function span(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return whole % 60 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${whole / 60} min`;
  const minutes = Math.round(whole / 60);
  return minutes % 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${minutes / 60} h`;
}

/** "62 %", "1.2k credits". */
export function valueText({ value, share, unit }: LearningResult): string {
  return share ? percent(value) : `${shortNumber(value)}${unit ? ` ${unit}` : ""}`;
}

/** "54 to 70 %"; empty where there is none. */
export function intervalText({ low, high, share }: LearningResult): string {
  if (low == null || high == null) return "";
  return share ? `${Math.round(low * 100)} to ${Math.round(high * 100)} %` : `${shortNumber(low)} to ${shortNumber(high)}`;
}

/** The lines of the curve: what should grow or shrink with training, by label, over all stages. */
export function curves(stages: readonly Stage[]): { label: string; role: string; points: (LearningResult | null)[] }[] {
  const labels = new Map<string, string>();
  for (const { results } of stages) for (const { label, role, better } of results) if (better !== "none") labels.set(label, role);
  return [...labels].map(([label, role]) => ({ label, role, points: stages.map(({ results }) => results.find((each) => each.label === label) ?? null) }));
}

/** The stage shown between the first and the last until one drags: the first that has come half of the way. */
export function middleOf(stages: readonly Stage[]): number {
  const [line] = curves(stages);
  const first = line?.points[0]?.value;
  const last = line?.points.at(-1)?.value;
  const half = Math.floor(stages.length / 2);
  if (line === undefined || first === undefined || last === undefined || first === last) return half;
  const found = line.points.findIndex((point) => point !== null && (point.value - first) / (last - first) >= 0.5);
  return found > 0 && found < stages.length - 1 ? found : half;
}
