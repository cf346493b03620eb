// A game may tell what happened in sentences of its own: src/parts/GAME/tell.ts, whose default export takes an event, the
// game's description and each agent's role. Every other game's events are shown as their name and numbers.
import { useEffect, useState } from "react";
import type { GameSpec, Happening } from "./source";

export type Teller = (happening: Happening, spec: GameSpec, agents: readonly string[]) => string;

const files = import.meta.glob<{ default: Teller }>("../*/tell.ts");

export function useTeller(game: string): Teller | null {
  const [teller, setTeller] = useState<Teller | null>(null);
  useEffect(() => {
    let left = false;
    setTeller(null);
    files[`../${game}/tell.ts`]?.().then(
      (found) => !left && setTeller(() => found.default),
      () => undefined, // names and numbers do, too
    );
    return () => {
      left = true;
    };
  }, [game]);
  return teller;
}
