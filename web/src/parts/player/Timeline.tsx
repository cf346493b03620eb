// The whole replay as a line: where it stands, what happened when, and what the players thought of their chances.
import { useMemo } from "react";
import { plainName } from "./words";
import type { Playback } from "./playback";
import type { Happening, Source } from "./source";
import { useArrivals, useTold } from "./usePlayback";

const MOST_MARKS = 240;

export function Timeline({ playback, source }: { playback: Playback; source: Source }) {
  useTold(playback);
  useArrivals(source);
  const marks = source.events();
  const step = Math.min(playback.step, playback.length);
  return (
    <div className="timeline">
      <Marks happenings={marks} length={playback.length} />
      <input
        type="range"
        min={0}
        max={playback.length}
        step={1}
        value={step}
        aria-label="Moment of the replay"
        aria-valuetext={`step ${step} of ${playback.length}, tick ${source.tickOfStep(step)}`}
        onChange={(event) => {
          playback.pause();
          playback.seek(event.target.valueAsNumber);
        }}
      />
    </div>
  );
}

/** Each kind of event keeps its height and colour, so that patterns show. */
function Marks({ happenings, length }: { happenings: readonly Happening[]; length: number }) {
  // The list grows in place while the replay is played again: its length says that it is another.
  const known = happenings.length;
  const kinds = useMemo(() => [...new Set(happenings.map((each) => each.name))], [happenings, known]);
  const thinned = useMemo(() => thin(happenings), [happenings, known]);
  return (
    <svg className="timeline-marks" viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true">
      {thinned.map((each, i) => (
        <rect
          key={i}
          x={(each.step / Math.max(1, length)) * 1000 - 1.5}
          y={isLoud(each.name) ? 1 : 8}
          width={3}
          height={isLoud(each.name) ? 15 : 7}
          fill={isLoud(each.name) ? "var(--accent)" : `var(--series-${(kinds.indexOf(each.name) % 6) + 1})`}
          opacity={isLoud(each.name) ? 1 : 0.65}
        >
          <title>{plainName(each.name)}</title>
        </rect>
      ))}
    </svg>
  );
}

const LOUD = new Set(["tag", "pass", "timeout", "destroyed", "stranded", "cash_out", "pirate_encounter", "truncated"]);

function isLoud(name: string): boolean {
  return LOUD.has(name);
}

/** All loud events, and as many of the rest as a line can show. */
function thin(happenings: readonly Happening[]): readonly Happening[] {
  const every = Math.ceil(happenings.length / MOST_MARKS);
  return every <= 1 ? happenings : happenings.filter((each, i) => isLoud(each.name) || i % every === 0);
}
