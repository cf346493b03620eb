import type { ReactNode } from "react";

/** The moment an episode is decided, in words. */
export function Ending({ good, children }: { good: boolean; children: ReactNode }) {
  return (
    <div className={`scene-ending ${good ? "scene-ending-good" : "scene-ending-bad"}`} role="status">
      {children}
    </div>
  );
}
