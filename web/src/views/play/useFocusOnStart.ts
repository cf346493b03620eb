import { useEffect, useRef, type RefObject } from "react";
import type { Match } from "./useMatch";

/** The button that was clicked lets go of the keyboard: its keys are for the game now. On a phone it lies below the arena. */
export function useFocusOnStart({ phase, session }: Match): RefObject<HTMLDivElement | null> {
  const arena = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (phase !== "countdown") return;
    arena.current?.focus({ preventScroll: true });
    arena.current?.scrollIntoView({ block: "nearest" });
  }, [phase, session]);
  return arena;
}
