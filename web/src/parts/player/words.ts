import type { GameSpec } from "./source";

/** What agents did, in the game's own words: a name for a choice, numbers by name for the rest. */
export function actionWords(spec: GameSpec, action: unknown): string[] {
  const { agents, actions } = spec.shape;
  const rows: unknown[] = agents === 1 ? [action] : Array.isArray(action) ? action : [];
  return rows.map((row) => {
    if (actions > 0) return choiceWord(spec, Number(Array.isArray(row) ? row[0] : row));
    const values = Array.isArray(row) ? row.map(Number) : [];
    return values.map((value, i) => `${spec.actions[i]?.name ?? i} ${signed(value)}`).join(", ");
  });
}

export function choiceWord(spec: GameSpec, id: number): string {
  return `${spec.actions[id]?.name ?? "invalid"} (${id})`;
}

export function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
}

/** "godot" → "Godot". */
export function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** "net_profit" → "net profit". */
export function plainName(name: string): string {
  return name.replaceAll("_", " ");
}
