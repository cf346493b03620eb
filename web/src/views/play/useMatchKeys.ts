import { useEffect } from "react";
import type { Match } from "./useMatch";

/** Enter restarts; Escape, or hiding the page, pauses. */
export function useMatchKeys(match: Match, onBegin: () => void): void {
  const { phase, pause } = match;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const busy = event.target instanceof HTMLElement && event.target.closest("button, input, select, summary, a, dialog");
      if (event.key === "Enter" && !busy && (phase === "over" || phase === "idle")) onBegin();
      else if (event.key === "Escape" || event.key === "p") pause(phase === "playing");
      else return;
      event.preventDefault();
    };
    const onHide = () => document.hidden && pause(true);
    addEventListener("keydown", onKey);
    document.addEventListener("visibilitychange", onHide);
    return () => {
      removeEventListener("keydown", onKey);
      document.removeEventListener("visibilitychange", onHide);
    };
  }, [phase, pause, onBegin]);
}
