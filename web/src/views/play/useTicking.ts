import { useEffect, useState } from "react";

const EVERY_MS = 100;

/** Re-renders a component ten times per second, for state without notifications. */
export function useTicking(running: boolean): void {
  const [, rerender] = useState(0);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => rerender((old) => old + 1), EVERY_MS);
    return () => clearInterval(timer);
  }, [running]);
}
