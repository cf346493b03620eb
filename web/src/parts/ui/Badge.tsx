import type { ReactNode } from "react";

export type Tone = "plain" | "good" | "warn" | "bad" | "accent" | "seeker" | "hider";

export function Badge({ tone = "plain", icon, title, children }: { tone?: Tone; icon?: ReactNode; title?: string; children: ReactNode }) {
  return (
    <span className={`badge badge-${tone}`} title={title}>
      {icon}
      {children}
    </span>
  );
}
