// What the pages show of single games, collected from src/parts/GAME/shown.ts; nothing else names a game's metrics.
import type { Shown } from "./known";

const files = import.meta.glob<{ default: Shown }>("../*/shown.ts", { eager: true, import: "default" }) as unknown as Record<string, Shown>;

export const SHOWN: readonly Shown[] = Object.values(files);

const COLOURED = new Set(SHOWN.flatMap((game) => game.roles ?? []));
const SECOND = new Set(SHOWN.flatMap((game) => game.roles?.slice(1) ?? []));

/** The token of a role's colour, without its dashes. */
export function roleColour(role: string): string | undefined {
  return COLOURED.has(role) ? role : undefined;
}

/** Whether a line of this role is dashed beside that of the first one. */
export function isSecondRole(role: string): boolean {
  return SECOND.has(role);
}
