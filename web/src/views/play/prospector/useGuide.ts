// Whether the guide is shown: automatically to newcomers, later on request.
import { useCallback, useMemo, useState } from "react";
import type { Lesson } from "./lessons";

const REMEMBERED = "sandlot.prospector.guide";

export type Guiding = { shown: boolean; show: () => void; hide: () => void; first: () => Lesson };

function remembered(): boolean {
  try {
    return localStorage.getItem(REMEMBERED) !== "closed";
  } catch {
    return true; // storage is not available: treat everybody as a newcomer
  }
}

export function useGuide(): Guiding {
  const [shown, setShown] = useState(remembered);
  const set = useCallback((next: boolean) => {
    setShown(next);
    try {
      localStorage.setItem(REMEMBERED, next ? "open" : "closed");
    } catch {
      // not stored
    }
  }, []);
  return useMemo(() => ({ shown, show: () => set(true), hide: () => set(false), first: () => "leave" }), [shown, set]);
}
