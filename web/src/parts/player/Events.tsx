// The events of a replay, newest first; a click seeks to one. Only visible rows are rendered.
import { useMemo, useState } from "react";
import { Empty, Select } from "../ui";
import { shortNumber } from "../chart";
import type { Playback } from "./playback";
import type { ReplayEvent, Source } from "./source";
import { useArrivals, usePlaybackState } from "./usePlayback";
import { useEventFormatter } from "./useEventFormatter";
import { plainName } from "./words";

const ROW_PX = 34;
const SHOWN_ROWS = 9;

export function Events({ playback, source }: { playback: Playback; source: Source }) {
  useArrivals(source);
  usePlaybackState(playback);
  const teller = useEventFormatter(source.spec.name);
  const all = source.events();
  const known = all.length; // it grows in place while the replay is played again
  const kinds = useMemo(() => [...new Set(all.map((each) => each.name))].sort(), [all, known]);
  const [kind, setKind] = useState("");
  const [scrolled, setScrolled] = useState(0);
  const rows = useMemo(() => all.filter((each) => !kind || each.name === kind).toReversed(), [all, known, kind]);
  const first = Math.max(0, Math.floor(scrolled / ROW_PX) - 3);
  const shown = rows.slice(first, first + SHOWN_ROWS + 6);
  const go = (replayEvent: ReplayEvent) => {
    playback.pause();
    playback.seek(replayEvent.step);
  };
  return (
    <div className="stack">
      <Select
        label="Kind of event"
        hideLabel
        value={kind}
        options={[{ value: "", label: `All events (${known})` }, ...kinds.map((name) => ({ value: name, label: plainName(name) }))]}
        onChange={setKind}
      />
      {rows.length === 0 ? (
        <Empty title="Nothing happened yet" />
      ) : (
        <div className="events" style={{ maxHeight: ROW_PX * SHOWN_ROWS }} onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}>
          <ol style={{ height: rows.length * ROW_PX }}>
            {shown.map((each, i) => (
              <li key={first + i} style={{ top: (first + i) * ROW_PX }}>
                <button type="button" className={each.step <= playback.step ? "events-past" : ""} onClick={() => go(each)}>
                  <span className="numbers faint">{each.tick}</span> <span>{teller ? teller(each, source.spec, source.facts.agents) : plainName(each.name)}</span>{" "}
                  {!teller && <span className="numbers faint">{details(each)}</span>}
                </button>
              </li>
            ))}
          </ol>
        </div>
      )}
    </div>
  );
}

function details({ values }: ReplayEvent): string {
  return Object.entries(values)
    .filter(([name]) => name !== "tick")
    .map(([name, value]) => `${plainName(name)} ${shortNumber(value)}`)
    .join(" · ");
}
