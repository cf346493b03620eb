// The timeline of a replay: position, events, and the value estimates of the policies.
import { useMemo } from "react";
import { plainName } from "./words";
import type { Playback } from "./playback";
import type { ReplayEvent, Source } from "./source";
import { SHOWN } from "./shownByGames";
import { useArrivals, usePlaybackState } from "./usePlayback";

const MOST_MARKS = 240;

export function Timeline({ playback, source }: { playback: Playback; source: Source }) {
  usePlaybackState(playback);
  useArrivals(source);
  const marks = source.events();
  const step = Math.min(playback.step, playback.length);
  return (
    <div className="timeline">
      <Marks replayEvents={marks} length={playback.length} />
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
function Marks({ replayEvents, length }: { replayEvents: readonly ReplayEvent[]; length: number }) {
  // The list grows in place while the replay is played again: its length says that it is another.
  const known = replayEvents.length;
  const kinds = useMemo(() => [...new Set(replayEvents.map((each) => each.name))], [replayEvents, known]);
  const thinned = useMemo(() => thin(replayEvents), [replayEvents, known]);
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

const LOUD = new Set(SHOWN.flatMap((game) => game.loudEvents));

function isLoud(name: string): boolean {
  return LOUD.has(name);
}

/** All loud events, and as many of the rest as a line can show. */
function thin(replayEvents: readonly ReplayEvent[]): readonly ReplayEvent[] {
  const every = Math.ceil(replayEvents.length / MOST_MARKS);
  return every <= 1 ? replayEvents : replayEvents.filter((each, i) => isLoud(each.name) || i % every === 0);
}
