// Which effects one step shows: what its action looks like, then what its events look like. The table that says
// so, by names of actions and events, is the same that the art packs and sounds are adopted with.
import { actionSigns, eventSigns, type Cue, type Effect as EffectKey } from "../art";
import type { Belt } from "./belt";
import type { GameEvent } from "./events";
import { CENTER, rockPlace, type Point } from "./geometry";
import type { ProspectorSpec } from "./spec";

const GAME = "prospector";

export type Effect = {
  key: EffectKey;
  target: Point | null; // the asteroid it is about
  words?: string; // what it says: proceeds, how it ended
};

export function effectsOf(spec: ProspectorSpec, belt: Belt, events: readonly GameEvent[]): Effect[] {
  const action = spec.actions[belt.action]?.name;
  const ofAction = action !== undefined && !belt.invalid ? actionSigns(GAME, action).effect : null;
  const found: Effect[] = ofAction ? [{ key: ofAction, target: selectedPlace(belt), words: wordsOf(ofAction, belt, events) }] : [];
  for (const event of events) {
    const key = eventSigns(GAME, event.name).effect;
    if (!key || found.some((each) => each.key === key)) continue;
    found.push({ key, target: eventPlace(belt, event), words: wordsOf(key, belt, events) });
  }
  return found;
}

function selectedPlace(belt: Belt): Point | null {
  const rock = belt.rocks.find((each) => each.slot === belt.selected);
  return rock ? rockPlace(rock) : null;
}

function eventPlace(belt: Belt, event: GameEvent): Point | null {
  const rock = belt.rocks.find((each) => each.slot === event.values.slot);
  return rock ? rockPlace(rock) : event.name === "fracture" ? CENTER : null;
}

const BANNERS: Record<Belt["ending"], string> = {
  none: "",
  destroyed: "Ship lost",
  stranded: "Stranded",
  cash_out: "Cashed out",
  time: "Time is up",
};

function wordsOf(key: EffectKey, belt: Belt, events: readonly GameEvent[]): string | undefined {
  if (key === "banner.end") return BANNERS[belt.ending];
  if (key !== "flyout.credits") return undefined;
  const proceeds = events.find((event) => event.name === "sell")?.values.proceeds ?? 0;
  return `+${Math.round(proceeds).toLocaleString("en")} cr`;
}

/** What one step sounds like: its action, then what befell the ship. */
export function cuesOf(spec: ProspectorSpec, belt: Belt, events: readonly GameEvent[]): Cue[] {
  const action = spec.actions[belt.action]?.name;
  const ofAction = action !== undefined && !belt.invalid ? [actionSigns(GAME, action).sound] : [];
  const all = [...ofAction, ...events.map((event) => eventSigns(GAME, event.name).sound)];
  return [...new Set(all)].filter((cue) => cue !== null);
}
