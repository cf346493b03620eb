import { useEffect, useRef, type RefObject } from "react";
import type { Match } from "./useMatch";

/** Moves focus from the clicked button to the game, whose keys count now; on a phone, scrolls to the arena. */
export function useFocusOnStart({ phase, session }: Match): RefObject<HTMLDivElement | null> {
  const arena = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (phase !== "countdown") return;
    arena.current?.focus({ preventScroll: true });
    arena.current?.scrollIntoView({ block: "nearest" });
  }, [phase, session]);
  return arena;
}
