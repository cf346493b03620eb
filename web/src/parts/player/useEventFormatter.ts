// A game may describe its events in sentences: src/parts/GAME/formatEvent.ts, whose default export takes an event, the game's
// spec and each agent's role. Events of other games are shown as names and numbers.
import { useEffect, useState } from "react";
import type { GameSpec, ReplayEvent } from "./source";

export type EventFormatter = (replayEvent: ReplayEvent, spec: GameSpec, agents: readonly string[]) => string;

const files = import.meta.glob<{ default: EventFormatter }>("../*/formatEvent.ts");

export function useEventFormatter(game: string): EventFormatter | null {
  const [formatter, setFormatter] = useState<EventFormatter | null>(null);
  useEffect(() => {
    let left = false;
    setFormatter(null);
    files[`../${game}/formatEvent.ts`]?.().then(
      (found) => !left && setFormatter(() => found.default),
      () => undefined, // names and numbers are shown instead
    );
    return () => {
      left = true;
    };
  }, [game]);
  return formatter;
}
