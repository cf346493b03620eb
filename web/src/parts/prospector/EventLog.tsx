// What happened so far, newest first. In a replay an entry leads to its moment.
import { Art, eventSigns } from "../art";
import { tell, toneOf, type GameEvent } from "./events";
import type { ProspectorSpec } from "./spec";
import { count } from "./words";

export type LoggedEvent = GameEvent & { step: number; tick: number };

type Props = { spec: ProspectorSpec; events: readonly LoggedEvent[]; onJump?: (step: number) => void; most?: number };

export function EventLog({ spec, events, onJump, most = 60 }: Props) {
  if (events.length === 0) return <p className="soft small">Nothing yet. Scans, sales, pirates and break-ups appear here.</p>;
  const newest = events.slice(-most).reverse();
  return (
    <ol className="pr-log" data-part="log" aria-label="Events, newest first" tabIndex={0}>
      {newest.map((event, i) => (
        <li key={`${event.step}-${event.name}-${newest.length - i}`} className={`pr-log-${toneOf(event.name)}`}>
          <Art name={eventSigns("prospector", event.name).icon ?? "icon.event.info"} size={14} decorative />
          <EventText event={event} spec={spec} onJump={onJump} />
          <span className="numbers faint">t {count(event.tick)}</span>
        </li>
      ))}
    </ol>
  );
}

function EventText({ event, spec, onJump }: { event: LoggedEvent; spec: ProspectorSpec; onJump?: (step: number) => void }) {
  const words = tell(event, spec);
  if (!onJump) return <span>{words}</span>;
  return (
    <button type="button" className="pr-log-jump" onClick={() => onJump(event.step)}>
      {words}
    </button>
  );
}
