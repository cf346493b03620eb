// The deck: every action in one of five groups, as the game's own table has them.
import type { ProspectorSpec } from "../../../parts/prospector/spec";

export const GROUPS = [
  { key: "navigation", title: "Navigation", short: "Fly" },
  { key: "scan", title: "Scan and target", short: "Scan" },
  { key: "mining", title: "Mining and processing", short: "Mine" },
  { key: "survival", title: "Survival and maintenance", short: "Mend" },
  { key: "trade", title: "Dock and trade", short: "Trade" },
] as const;

export type Group = (typeof GROUPS)[number]["key"];
export type DeckAction = { id: number; name: string; text: string };

export function actionsOf(spec: ProspectorSpec, group: Group): DeckAction[] {
  return spec.actions.flatMap((action, id) => (action.group === group ? [{ id, name: action.name, text: action.text }] : []));
}
