// What happened, as a sentence. Events come with their payload by name; codes in it (commodity, item, kind) are
// distinguished by the game's own lists.
import type { Belt } from "./belt";
import { goodsOf } from "./belt";
import type { ProspectorSpec } from "./spec";
import { actionTitle, amount, credits, goodName, nodeName, signed } from "./words";

export type GameEvent = { name: string; values: Readonly<Record<string, number>> };

/** Events as the engine tells them ({name, values}) or as a frame of the server does ({name, …values}). */
export function readEvents(events: readonly unknown[]): GameEvent[] {
  return events.flatMap((each) => {
    if (typeof each === "string") return [{ name: each, values: {} }];
    if (typeof each !== "object" || each === null || !("name" in each)) return [];
    const { name, values, ...rest } = each as { name: string; values?: Record<string, number> };
    return [{ name, values: values ?? (rest as Record<string, number>) }];
  });
}

const ITEMS = ["a little fuel", "some fuel", "much fuel", "a repair kit", "a stabilizer", "a decoy", "an overhaul"];
const SCANS = ["Wide scan", "Focused scan", "Deep scan", "Listened"];

type EventFormatter = (values: Readonly<Record<string, number>>, spec: ProspectorSpec) => string;

const TELLERS: Record<string, EventFormatter> = {
  invalid_action: (v, spec) => `Not possible: ${actionTitle(spec, v.action ?? -1).toLowerCase()}`,
  pirate_encounter: (v) =>
    `Pirates took ${credits(v.value_lost ?? 0)} of cargo and ${amount(v.hull_lost ?? 0)} hull` +
    (v.decoy_used ? "; a decoy drew most of them off" : ""),
  overheat: (v) => `Overheated: ${amount(v.hull_lost ?? 0)} hull lost`,
  fracture: (v) => `Asteroid ${v.slot ?? 0} broke up: ${amount(v.hull_lost ?? 0)} hull lost`,
  dock: (v) => `Lay low in port: alert ${signed(-(v.alert_relief ?? 0))}`,
  sell: (v, spec) => `Sold ${amount(v.units ?? 0)} ${good(v, spec)} for ${credits(v.proceeds ?? 0)}`,
  buy: (v) => `Bought ${ITEMS[v.item ?? -1] ?? "something"} for ${credits(v.cost ?? 0)}`,
  scan: (v) => `${SCANS[v.kind ?? 0] ?? "Scan"}: ${countOf(v)}`,
  refine: (v) => `Refined ${amount(v.units_taken ?? 0)} units: worth ${signed((v.value_made ?? 0) - (v.value_taken ?? 0))} cr`,
  jettison: (v, spec) => `Dropped ${amount(v.units ?? 0)} ${good(v, spec)}: alert ${signed(-(v.alert_relief ?? 0))}`,
  stranded: (v) => `Stranded at ${nodeName(v.node ?? 0)}: no fuel for any way out`,
  destroyed: (v) => `The ship was lost at ${nodeName(v.node ?? 0)}`,
  cash_out: (v) => `Cashed out with ${credits(v.credits ?? 0)}`,
  truncated: (v) => `Time ran out with ${credits(v.credits ?? 0)}` + ((v.cargo_value ?? 0) >= 1 ? ` and ${credits(v.cargo_value ?? 0)} of unsold cargo` : ""),
  price_spike: (v, spec) => `A shock: ${good(v, spec)} ${signed(v.jump ?? 0)} cr`,
};

function good(values: Readonly<Record<string, number>>, spec: ProspectorSpec): string {
  return goodName(goodsOf(spec)[values.commodity ?? -1] ?? "goods");
}

function countOf(values: Readonly<Record<string, number>>): string {
  const count = values.count ?? 0;
  if (values.kind === 3) return count === 1 ? "one way out" : `${count} ways out`;
  return count === 1 && (values.slot ?? -1) >= 0 && values.kind !== 0 ? `asteroid ${values.slot}` : `${count} asteroids`;
}

export function tell(event: GameEvent, spec: ProspectorSpec): string {
  const teller = TELLERS[event.name];
  return teller ? teller(event.values, spec) : (spec.events.find((kind) => kind.name === event.name)?.text ?? event.name);
}

export type EventTone = "bad" | "warn" | "good" | "plain";

const TONES: Record<string, EventTone> = {
  pirate_encounter: "bad",
  fracture: "bad",
  overheat: "bad",
  stranded: "bad",
  destroyed: "bad",
  invalid_action: "warn",
  truncated: "warn",
  price_spike: "warn",
  sell: "good",
  cash_out: "good",
};

export function toneOf(name: string): EventTone {
  return TONES[name] ?? "plain";
}

/** Things that happen to a pilot, as opposed to what every sale, scan or purchase says about itself. */
export function happensToPilot(name: string): boolean {
  return toneOf(name) === "bad" || toneOf(name) === "warn" || name === "cash_out";
}

export const ENDINGS: Record<Belt["ending"], string> = {
  none: "The episode goes on.",
  destroyed: "The hull gave way and the ship was lost.",
  stranded: "The ship is stranded: there is no fuel for any way out.",
  cash_out: "You cashed out at the station.",
  time: "Time ran out.",
};
