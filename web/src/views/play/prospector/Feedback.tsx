// After each step: the action, its reward by term and the events; or why an action was refused.
import { useEffect } from "react";
import { tell, toneOf } from "../../../parts/prospector/events";
import { LastAction, RewardParts } from "../../../parts/prospector/LastAction";
import type { ProspectorSpec } from "../../../parts/prospector/spec";
import { goodName, reward } from "../../../parts/prospector/words";
import { goodsOf } from "../../../parts/prospector/belt";
import { playCue } from "../../../parts/art";
import type { View } from "./game";
import type { Waiting } from "./keys";

export function Feedback({ spec, view, waiting }: { spec: ProspectorSpec; view: View; waiting: Waiting }) {
  const refused = view.notice?.id;
  useEffect(() => {
    if (refused !== undefined) playCue("error");
  }, [refused]);
  return (
    <div className="pr-feedback" data-part="feedback">
      <div className="row">
        <LastAction spec={spec} belt={view.belt} paid={view.paid} />
        {view.step > 0 && <RewardParts belt={view.belt} />}
      </div>
      <div role="status" className="pr-feedback-line">
        {waiting ? (
          <span className="pr-feedback-wait" data-waiting={waiting.for}>
            {prompt(waiting, spec)}
          </span>
        ) : view.notice ? (
          <span key={view.notice.id} className="pr-feedback-refused" data-part="notice">
            Not possible. {view.notice.text}
          </span>
        ) : (
          view.events.map((event, i) => (
            <span key={`${view.step}-${i}`} className={`pr-log-${toneOf(event.name)}`} data-event={event.name}>
              {tell(event, spec)}.
            </span>
          ))
        )}
      </div>
      <span className="pr-feedback-total small soft numbers">return {reward(view.total)}</span>
    </div>
  );
}

const SHARES = { 100: "all", 50: "half", 25: "a quarter" };

function prompt(waiting: NonNullable<Waiting>, spec: ProspectorSpec): string {
  const goods = goodsOf(spec)
    .map((good, i) => `${i + 1} ${goodName(good)}`)
    .join(", ");
  if (waiting.for === "fuel") return "Buy fuel: 1 a little, 2 some, 3 much. Escape forgets it.";
  if (waiting.for === "jettison") return `Jettison: ${goods}. Escape forgets it.`;
  return `Sell ${SHARES[waiting.share]}: ${goods}. L again for another share, Escape forgets it.`;
}
