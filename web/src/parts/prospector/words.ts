// Names and numbers as people read them. Everything else about a word (which goods there are, what an action
// does) comes from the game's description.
import type { ProspectorSpec } from "./spec";

const SPECIAL: Record<string, string> = { pge: "platinum group" };

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** One decimal below a hundred, none above. */
export function amount(value: number): string {
  return minus(Math.abs(value) >= 100 ? whole.format(value) : tenth.format(Math.abs(value) < 0.05 ? 0 : value));
}

export function credits(value: number): string {
  return minus(`${whole.format(Math.abs(value) < 0.5 ? 0 : value)} cr`);
}

/** A true minus is as wide as a plus. */
function minus(text: string): string {
  return text.replace("-", "−");
}

export function count(value: number): string {
  return whole.format(value);
}

/** With its sign, and a true minus; nothing worth showing is a plain 0. */
export function signed(value: number, format: (value: number) => string = amount): string {
  const text = format(Math.abs(value));
  if (!/[1-9]/.test(text)) return text;
  return value < 0 ? `−${text}` : `+${text}`;
}

export function reward(value: number): string {
  return signed(value, (each) => each.toFixed(each < 0.01 ? 4 : 3));
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function goodName(name: string): string {
  return SPECIAL[name] ?? name.replaceAll("_", " ");
}

export function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Node 0 is the station; the others have numbers. */
export function nodeName(index: number): string {
  return index === 0 ? "the station" : `node ${index}`;
}

export type Phrase = { label: string; short: string };

// What a family of actions is called; its members carry a slot or a commodity.
const FAMILIES: readonly { prefix: string; phrase: (rest: string) => Phrase }[] = [
  { prefix: "TRAVEL_NEIGHBOR_", phrase: (slot) => ({ label: `Travel by way ${Number(slot) + 1}`, short: `${Number(slot) + 1}` }) },
  { prefix: "SELECT_ASTEROID_", phrase: (slot) => ({ label: `Select asteroid ${slot}`, short: slot }) },
  { prefix: "JETTISON_", phrase: (good) => ({ label: `Jettison ${goodName(good.toLowerCase())}`, short: goodName(good.toLowerCase()) }) },
  { prefix: "SELL_", phrase: sale },
];

const PHRASES: Record<string, Phrase> = {
  HOLD_DRIFT: { label: "Hold and drift", short: "Hold" },
  EMERGENCY_BURN: { label: "Emergency burn", short: "Burn" },
  WIDE_SCAN: { label: "Wide scan", short: "Wide scan" },
  FOCUSED_SCAN_SELECTED: { label: "Focused scan", short: "Focused scan" },
  DEEP_SCAN_SELECTED: { label: "Deep scan", short: "Deep scan" },
  PASSIVE_THREAT_LISTEN: { label: "Listen for threats", short: "Listen" },
  MINE_CONSERVATIVE_SELECTED: { label: "Mine gently", short: "Mine gently" },
  MINE_STANDARD_SELECTED: { label: "Mine steadily", short: "Mine steadily" },
  MINE_AGGRESSIVE_SELECTED: { label: "Mine hard", short: "Mine hard" },
  STABILIZE_SELECTED: { label: "Stabilise the asteroid", short: "Stabilise" },
  REFINE_ONBOARD: { label: "Refine aboard", short: "Refine" },
  ACTIVE_COOLDOWN: { label: "Cool down", short: "Cool down" },
  TOOL_MAINTENANCE: { label: "Mend the tool", short: "Mend tool" },
  HULL_PATCH: { label: "Patch the hull", short: "Patch hull" },
  DOCK: { label: "Lie low in port", short: "Lie low" },
  BUY_FUEL_SMALL: { label: "Buy a little fuel", short: "Little fuel" },
  BUY_FUEL_MED: { label: "Buy some fuel", short: "Some fuel" },
  BUY_FUEL_LARGE: { label: "Buy much fuel", short: "Much fuel" },
  BUY_REPAIR_KIT: { label: "Buy a repair kit", short: "Repair kit" },
  BUY_STABILIZER: { label: "Buy a stabilizer", short: "Stabilizer" },
  BUY_DECOY: { label: "Buy a decoy", short: "Decoy" },
  FULL_REPAIR_OVERHAUL: { label: "Full overhaul", short: "Overhaul" },
  CASH_OUT_END_EPISODE: { label: "Cash out and end", short: "Cash out" },
};

function sale(rest: string): Phrase {
  const at = rest.lastIndexOf("_");
  const share = rest.slice(at + 1);
  return { label: `Sell ${share} % of ${goodName(rest.slice(0, at).toLowerCase())}`, short: share === "100" ? "all" : `${share} %` };
}

/** An action in words; one that the site does not know yet keeps its own name. */
export function phrase(name: string): Phrase {
  const known = PHRASES[name];
  if (known) return known;
  for (const family of FAMILIES) if (name.startsWith(family.prefix)) return family.phrase(name.slice(family.prefix.length));
  const plain = sentenceCase(name.toLowerCase().replaceAll("_", " "));
  return { label: plain, short: plain };
}

export function actionTitle(spec: ProspectorSpec, id: number): string {
  const name = spec.actions[id]?.name;
  return name === undefined ? "Before the first action" : phrase(name).label;
}
