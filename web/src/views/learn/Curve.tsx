// The learning curve with its 95 % bands, and the slider under it: drag to see it learn.
import type { LearningResult, Stage } from "../../api/learning";
import { isSecondRole, roleColour } from "../../parts/player/shownByGames";
import { curves, intervalText, span, stageName, valueText } from "./stages";

const WIDTH = 1000;
const HEIGHT = 130;
const EDGE = 8;

type Props = { stages: readonly Stage[]; at: number; onAt: (place: number) => void };

export function Curve({ stages, at, onAt }: Props) {
  const lines = curves(stages);
  const stage = stages[at];
  if (!stage) return null;
  const spoken = lines.map(({ label, points }) => points[at] && `${label} ${valueText(points[at])}`).filter(Boolean);
  return (
    <div className="learn-curve">
      <ul className="row learn-key">
        {lines.map(({ label, role, points }) => (
          <li key={label} className="small">
            <i className={isSecondRole(role) ? "learn-dash" : ""} style={{ color: colourOf(role) }} />
            {label} <strong className="numbers">{points[at] ? valueText(points[at]) : "–"}</strong>{" "}
            {points[at] && <span className="faint numbers">{intervalText(points[at])}</span>}
          </li>
        ))}
        <li className="learn-drag">
          <strong aria-hidden="true">◂ Drag to see it learn ▸</strong>
        </li>
      </ul>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {lines.map(({ label, role, points }) => (
          <Line key={label} colour={colourOf(role)} dashed={isSecondRole(role)} points={points} {...scaleOf(points)} />
        ))}
        <line x1={across(at, stages.length)} x2={across(at, stages.length)} y1={0} y2={HEIGHT} className="learn-now" vectorEffect="non-scaling-stroke" />
      </svg>
      <input
        type="range"
        min={0}
        max={stages.length - 1}
        step={1}
        value={at}
        aria-label="Moment of training"
        aria-valuetext={`${stageName(stage)}: ${spoken.join(", ")}`}
        onChange={(event) => onAt(event.target.valueAsNumber)}
      />
      <div className="learn-ends small faint">
        <span>before training</span>
        <span>{endName(stages.at(-1))}</span>
      </div>
    </div>
  );
}

function endName(last: Stage | undefined): string {
  if (!last) return "";
  return last.trained_s === null ? stageName(last) : span(last.trained_s);
}

function across(place: number, count: number): number {
  return EDGE + (place / Math.max(1, count - 1)) * (WIDTH - 2 * EDGE);
}

/** Shares from 0 to 1; other numbers from their lowest to their highest. */
function scaleOf(points: readonly (LearningResult | null)[]): { low: number; high: number } {
  const known = points.filter((point) => point !== null);
  if (known.every(({ share }) => share)) return { low: 0, high: 1 };
  const ends = known.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  return { low: Math.min(...ends), high: Math.max(...ends) };
}

type LineProps = { colour: string; dashed: boolean; points: readonly (LearningResult | null)[]; low: number; high: number };

function Line({ colour, dashed, points, low, high }: LineProps) {
  const y = (value: number) => (HEIGHT - 6 - ((value - low) / (high - low || 1)) * (HEIGHT - 12)).toFixed(1);
  const known = points.flatMap((point, i) => (point ? [{ point, x: across(i, points.length).toFixed(1) }] : []));
  const upper = known.map(({ point, x }) => `${x},${y(point.high ?? point.value)}`);
  const lower = known.map(({ point, x }) => `${x},${y(point.low ?? point.value)}`).toReversed();
  return (
    <>
      <polygon points={[...upper, ...lower].join(" ")} fill={colour} opacity={0.18} />
      <polyline
        points={known.map(({ point, x }) => `${x},${y(point.value)}`).join(" ")}
        fill="none"
        stroke={colour}
        strokeWidth={2.4}
        strokeDasharray={dashed ? "7 4" : undefined}
        vectorEffect="non-scaling-stroke"
      />
    </>
  );
}

export function colourOf(role: string): string {
  return `var(--${roleColour(role) ?? "accent"})`;
}
