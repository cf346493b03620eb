// What the pilot just did: the action in words, its name and id, ticks, and what it paid.
import { actionSigns, Art } from "../art";
import type { Belt } from "./belt";
import type { ProspectorSpec } from "./spec";
import { actionTitle, reward } from "./words";

export function LastAction({ spec, belt, paid }: { spec: ProspectorSpec; belt: Belt; paid: number }) {
  const name = spec.actions[belt.action]?.name;
  const icon = name ? actionSigns("prospector", name).icon : null;
  return (
    <div className="pr-lastaction" data-part="action" data-action={name ?? ""}>
      {icon && <Art name={icon} size={18} decorative />}
      <strong>{actionTitle(spec, belt.action)}</strong>
      {name && (
        <span className="faint small numbers">
          {name} · {belt.action}
        </span>
      )}
      {name && <span className="numbers small soft">{belt.dt === 1 ? "1 tick" : `${belt.dt} ticks`}</span>}
      {name && <span className="numbers small">reward {reward(paid)}</span>}
      {belt.invalid && <span className="badge badge-warn">not possible: drifted a tick</span>}
    </div>
  );
}

/** The last reward by its parts; parts that paid nothing are left out. */
export function RewardParts({ belt }: { belt: Belt }) {
  const parts = belt.rewardTerms.filter((term) => Math.abs(term.value) >= 0.00005);
  if (parts.length === 0) return <span className="small faint">no reward in this step</span>;
  return (
    <ul className="pr-parts" aria-label="Parts of the last reward">
      {parts.map((term) => (
        <li key={term.name} className={term.value < 0 ? "pr-parts-bad" : "pr-parts-good"}>
          {term.name} <span className="numbers">{reward(term.value)}</span>
        </li>
      ))}
    </ul>
  );
}
