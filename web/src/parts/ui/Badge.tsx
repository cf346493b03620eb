import type { ReactNode } from "react";

/** A meaning, or the name of a role that has a colour. */
export type Tone = "plain" | "good" | "warn" | "bad" | "accent" | (string & {});

export function Badge({ tone = "plain", icon, title, children }: { tone?: Tone; icon?: ReactNode; title?: string; children: ReactNode }) {
  return (
    <span className={`badge badge-${tone}`} title={title}>
      {icon}
      {children}
    </span>
  );
}
