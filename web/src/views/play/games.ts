// The games that can be played here; their pages are loaded on demand. against: one plays against somebody.
import { later, type LaterComponent } from "../../parts/ui";

export const GAMES: Readonly<Record<string, { name: string; view: LaterComponent<object>; against?: boolean }>> = {
  tag: { name: "Tag", view: later(() => import("./tag"), "the game"), against: true },
  landing: { name: "Landing", view: later(() => import("./landing"), "the game") },
  navigation: { name: "Navigation", view: later(() => import("./navigation"), "the game") },
  prospector: { name: "Asteroid Belt Prospector", view: later(() => import("./prospector"), "the game") },
};

/** The address where a game is played; null where it cannot be. */
export function playAddress(game: string): string | null {
  return Object.hasOwn(GAMES, game) ? `/play?game=${encodeURIComponent(game)}` : null;
}
