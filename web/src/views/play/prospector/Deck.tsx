// All 69 actions as buttons, in five groups. Illegal ones are greyed out and show the reason.
import { useState, type ReactNode } from "react";
import { actionSigns, Art } from "../../../parts/art";
import type { Belt } from "../../../parts/prospector/belt";
import { GoodName } from "../../../parts/prospector/Market";
import type { ProspectorSpec } from "../../../parts/prospector/spec";
import { amount, credits, goodName, phrase } from "../../../parts/prospector/words";
import { Button, Panel, Tabs } from "../../../parts/ui";
import { actionsOf, GROUPS, type DeckAction, type Group } from "./groups";
import { keysOf } from "./keys";

type Props = {
  spec: ProspectorSpec;
  belt: Belt;
  hints: readonly string[]; // what the guide points at, by name
  over: boolean;
  narrow: boolean; // one group at a time
  last: number | null; // the action that a repeat would do
  onAct: (action: number) => void;
};

export function Deck(props: Props) {
  const [chosen, setChosen] = useState<Group>("navigation");
  if (props.narrow)
    return (
      <section className="panel pr-deck-narrow" aria-label="Actions">
        <Tabs
          label="Groups of actions"
          chosen={chosen}
          onChoose={setChosen}
          tabs={GROUPS.map(({ key, short }) => ({ key, label: <TabLabel title={short} hinted={isHinted(props, key)} /> }))}
        >
          <DeckGroup {...props} group={chosen} />
        </Tabs>
        {props.last !== null && !props.over && <RepeatButton {...props} last={props.last} />}
      </section>
    );
  return (
    <div className="pr-deck" role="group" aria-label="Actions">
      {GROUPS.map(({ key, title }) => (
        <div key={key} className={`pr-deck-${key}`} data-group={key}>
          <Panel title={title}>
            <DeckGroup {...props} group={key} />
          </Panel>
        </div>
      ))}
    </div>
  );
}

/** A repeat button for touch screens, which have no Space key. */
function RepeatButton({ spec, last, onAct }: Props & { last: number }) {
  return (
    <div className="pr-deck-repeat">
      <Button onClick={() => onAct(last)}>Again: {phrase(spec.actions[last]?.name ?? "").label}</Button>
    </div>
  );
}

function TabLabel({ title, hinted }: { title: string; hinted: boolean }) {
  return (
    <>
      {title}
      {hinted && <span className="pr-deck-dot" aria-label="the guide points here" role="img" />}
    </>
  );
}

function isHinted({ spec, hints }: Props, group: Group): boolean {
  return actionsOf(spec, group).some((action) => hints.includes(action.name));
}

function DeckGroup({ group, ...props }: Props & { group: Group }) {
  const actions = actionsOf(props.spec, group);
  if (group === "navigation") return <Plain {...props} actions={actions} />;
  const [slots, rest] = divide(actions, (action) => /^(SELECT_ASTEROID|JETTISON|SELL)_/.test(action.name));
  return (
    <div className="stack">
      {group === "trade" && <Sales {...props} actions={slots} />}
      <Plain {...props} actions={rest} />
      {group === "scan" && <Small {...props} title="Select an asteroid" actions={slots} columns={8} />}
      {group === "survival" && <Small {...props} title="Jettison" actions={slots} columns={3} />}
    </div>
  );
}

function divide<T>(all: readonly T[], test: (each: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((each) => !test(each))];
}

type ListProps = Props & { actions: readonly DeckAction[] };

function Plain({ actions, ...props }: ListProps) {
  return (
    <div className="pr-deck-list">
      {actions.map((action) => (
        <ActionButton key={action.id} {...props} action={action} />
      ))}
    </div>
  );
}

function Small({ actions, title, columns, ...props }: ListProps & { title: string; columns: number }) {
  return (
    <div role="group" aria-label={title}>
      <p className="small soft">{title}</p>
      <div className="pr-deck-small" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
        {actions.map((action) => (
          <ActionButton key={action.id} {...props} action={action} small />
        ))}
      </div>
    </div>
  );
}

/** Six commodities by three shares: a table reads better than eighteen buttons. */
function Sales({ actions, belt, ...props }: ListProps) {
  return (
    <table className="pr-deck-sales">
      <caption className="unseen">Sell by commodity and share</caption>
      <tbody>
        {belt.goods.map((good, i) => (
          <tr key={good.name}>
            <th scope="row">
              <GoodName name={good.name} />
            </th>
            {actions.slice(3 * i, 3 * i + 3).map((action) => (
              <td key={action.id}>
                <ActionButton {...props} belt={belt} action={action} small />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type ButtonProps = Omit<Props, "narrow" | "last"> & { action: DeckAction; small?: boolean };

function ActionButton({ spec, belt, action, hints, over, onAct, small = false }: ButtonProps) {
  const reason = belt.reasons[action.id] ?? 0;
  const against = over ? "The game is over." : reason === 0 ? null : (spec.reasons[reason]?.text ?? "It is not possible now.");
  const { label, short } = phrase(action.name);
  const keys = keysOf(action.name, spec);
  const cost = costOf(spec, belt, action);
  const icon = actionSigns("prospector", action.name).icon;
  const words = [action.text, cost, against && `Not now: ${against}`].filter(Boolean).join(" · ");
  return (
    <button
      type="button"
      className={`pr-act${small ? " pr-act-small" : ""}${hints.includes(action.name) && !against ? " pr-act-hint" : ""}`}
      aria-disabled={against !== null}
      title={`${label}: ${words}`}
      data-action={action.name}
      data-id={action.id}
      data-reason={against ? (spec.reasons[reason]?.name ?? "over") : undefined}
      onClick={() => onAct(action.id)}
    >
      {!small && icon && <Art name={icon} size={18} decorative />}
      <span className="pr-act-words">
        <span className="pr-act-name">
          {small && <span className="unseen">{familyOf(action.name)} </span>}
          {nameOn(action, belt, short)}
        </span>
        <span className={small ? "unseen" : "pr-act-note"}>{against ?? cost}</span>
      </span>
      {keys && !small && <kbd aria-hidden="true">{keys}</kbd>}
    </button>
  );
}

/** The part of a label that a small button omits, since its position shows it. */
function familyOf(action: string): string {
  const good = /^SELL_(.+)_\d+$/.exec(action)?.[1];
  if (good) return `Sell ${goodName(good.toLowerCase())}`;
  return action.startsWith("JETTISON_") ? "Jettison" : "Select asteroid";
}

function nameOn(action: DeckAction, belt: Belt, short: string): ReactNode {
  const slot = /^TRAVEL_NEIGHBOR_(\d+)$/.exec(action.name)?.[1];
  if (slot === undefined) return short;
  const way = belt.ways.find((each) => each.slot === Number(slot));
  if (!way) return `Way ${Number(slot) + 1}`;
  return way.type === "station" ? "To the station" : `To ${way.type} ${way.node}${way.home ? ", home" : ""}`;
}

/** What an action takes, in a few words: "3 ticks, 5 fuel". */
export function costOf(spec: ProspectorSpec, belt: Belt, action: DeckAction): string {
  const slot = /^TRAVEL_NEIGHBOR_(\d+)$/.exec(action.name)?.[1];
  const way = slot === undefined ? undefined : belt.ways.find((each) => each.slot === Number(slot));
  if (slot !== undefined) return way ? `${ticks(way.ticks)}, ${amount(way.fuel)} fuel` : "";
  const sale = saleOf(belt, action.name);
  if (sale !== null) return sale > 0.5 ? `brings ${credits(sale)}` : "";
  const cost = spec.costs[action.id];
  if (!cost) return "";
  const parts = [ticks(cost.ticks), cost.fuel && `${amount(cost.fuel)} fuel`, cost.heat && `+${amount(cost.heat)} heat`, cost.credits && credits(cost.credits)];
  return parts.filter(Boolean).join(", ");
}

function ticks(count: number): string {
  return count === 1 ? "1 tick" : `${count} ticks`;
}

const SHARES = { "25": "quarter", "50": "half", "100": "all" } as const;

function saleOf(belt: Belt, action: string): number | null {
  const found = /^SELL_(.+)_(25|50|100)$/.exec(action);
  const good = belt.goods.find((each) => each.name.toUpperCase() === found?.[1]);
  return good ? good.sale[SHARES[found?.[2] as keyof typeof SHARES]] : null;
}
