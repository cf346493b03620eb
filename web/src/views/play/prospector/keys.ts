// Every action from the keyboard. Three of the keys wait for a second one: J (jettison) and L (sell) for a commodity,
// F for an amount of fuel. L again, while it waits, changes how much is sold.
import { goodsOf } from "../../../parts/prospector/belt";
import type { ProspectorSpec } from "../../../parts/prospector/spec";

export type SaleShare = 100 | 50 | 25;
export type Waiting = { for: "jettison" } | { for: "sell"; share: SaleShare } | { for: "fuel" } | null;

export type Command =
  | { do: "act"; action: string } // by name
  | { do: "walk"; by: 1 | -1 } // to the next asteroid, or the one before
  | { do: "repeat" }
  | { do: "run" } // begin or end auto-run
  | { do: "stop" }
  | { do: "help" };

export type Pressed = { waiting: Waiting; command: Command | null; handled: boolean };

const SALE_SHARES: readonly SaleShare[] = [100, 50, 25];
const FUELS = ["BUY_FUEL_SMALL", "BUY_FUEL_MED", "BUY_FUEL_LARGE"];

export const DIRECT: Readonly<Record<string, string>> = {
  h: "HOLD_DRIFT",
  b: "EMERGENCY_BURN",
  q: "WIDE_SCAN",
  w: "FOCUSED_SCAN_SELECTED",
  e: "DEEP_SCAN_SELECTED",
  t: "PASSIVE_THREAT_LISTEN",
  z: "MINE_CONSERVATIVE_SELECTED",
  x: "MINE_STANDARD_SELECTED",
  c: "MINE_AGGRESSIVE_SELECTED",
  s: "STABILIZE_SELECTED",
  r: "REFINE_ONBOARD",
  v: "ACTIVE_COOLDOWN",
  g: "TOOL_MAINTENANCE",
  p: "HULL_PATCH",
  d: "DOCK",
  k: "BUY_REPAIR_KIT",
  i: "BUY_STABILIZER",
  o: "BUY_DECOY",
  u: "FULL_REPAIR_OVERHAUL",
  y: "CASH_OUT_END_EPISODE",
};

const OTHERS: Readonly<Record<string, Command>> = {
  ArrowRight: { do: "walk", by: 1 },
  ArrowDown: { do: "walk", by: 1 },
  ArrowLeft: { do: "walk", by: -1 },
  ArrowUp: { do: "walk", by: -1 },
  " ": { do: "repeat" },
  a: { do: "run" },
  "?": { do: "help" },
};

type Key = { key: string; code?: string };

/** The meaning of a key now. `handled` false: the key is left to the browser. */
export function press({ key, code = "" }: Key, waiting: Waiting, spec: ProspectorSpec): Pressed {
  const digit = digitOf(key, code);
  const letter = key.length === 1 ? key.toLowerCase() : key;
  if (key === "Escape") return done(waiting ? null : { do: "stop" });
  if (digit) return pressDigit(digit, waiting, spec);
  if (letter === "j") return { waiting: { for: "jettison" }, command: null, handled: true };
  if (letter === "f") return { waiting: { for: "fuel" }, command: null, handled: true };
  if (letter === "l") return { waiting: { for: "sell", share: nextShare(waiting) }, command: null, handled: true };
  const command = DIRECT[letter] ? { do: "act" as const, action: DIRECT[letter] } : OTHERS[letter];
  return command ? done(command) : { waiting, command: null, handled: false };
}

function done(command: Command | null): Pressed {
  return { waiting: null, command, handled: true };
}

/** By key position if the character differs: on some keyboards digits need Shift. */
function digitOf(key: string, code: string): number | null {
  const found = /^[1-9]$/.exec(key) ?? /^(?:Digit|Numpad)([1-9])$/.exec(code);
  return found ? Number(found[1] ?? found[0]) : null;
}

function nextShare(waiting: Waiting): SaleShare {
  if (waiting?.for !== "sell") return SALE_SHARES[0] as SaleShare;
  return SALE_SHARES[(SALE_SHARES.indexOf(waiting.share) + 1) % SALE_SHARES.length] as SaleShare;
}

function pressDigit(digit: number, waiting: Waiting, spec: ProspectorSpec): Pressed {
  const action = digitAction(digit, waiting, spec);
  return action ? done({ do: "act", action }) : { waiting, command: null, handled: waiting !== null };
}

function digitAction(digit: number, waiting: Waiting, spec: ProspectorSpec): string | undefined {
  if (!waiting) return spec.actions.find((action) => action.name === `TRAVEL_NEIGHBOR_${digit - 1}`)?.name;
  if (waiting.for === "fuel") return FUELS[digit - 1];
  const good = goodsOf(spec)[digit - 1]?.toUpperCase();
  if (!good) return undefined;
  return waiting.for === "jettison" ? `JETTISON_${good}` : `SELL_${good}_${waiting.share}`;
}

/** The keys of an action, as they are printed beside it; null for one that has none of its own. */
export function keysOf(action: string, spec: ProspectorSpec): string | null {
  const direct = Object.entries(DIRECT).find(([, name]) => name === action)?.[0];
  if (direct) return direct.toUpperCase();
  const way = /^TRAVEL_NEIGHBOR_(\d)$/.exec(action)?.[1];
  if (way) return String(Number(way) + 1);
  if (FUELS.includes(action)) return `F ${FUELS.indexOf(action) + 1}`;
  return goodsKeys(action, goodsOf(spec));
}

function goodsKeys(action: string, goods: readonly string[]): string | null {
  for (const [i, good] of goods.entries()) {
    const name = good.toUpperCase();
    if (action === `JETTISON_${name}`) return `J ${i + 1}`;
    const share = SALE_SHARES.findIndex((each) => action === `SELL_${name}_${each}`);
    if (share >= 0) return `${"L ".repeat(share + 1)}${i + 1}`;
  }
  return null;
}

/** The selectable asteroid next to the selected one, around the ring; null when there is none. */
export function walkFrom(selected: number, by: 1 | -1, selectable: readonly boolean[]): number | null {
  const count = selectable.length;
  const start = selected >= 0 ? selected : by > 0 ? -1 : count;
  for (let i = 1; i <= count; i++) {
    const slot = (((start + by * i) % count) + count) % count;
    if (selectable[slot]) return slot;
  }
  return null;
}
