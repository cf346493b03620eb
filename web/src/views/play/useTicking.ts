import { useEffect, useState } from "react";

const EVERY_MS = 100;

/** Draws a component again ten times per second while something runs that tells nobody. */
export function useTicking(running: boolean): void {
  const [, rerender] = useState(0);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => rerender((old) => old + 1), EVERY_MS);
    return () => clearInterval(timer);
  }, [running]);
}
