// Loading, empty and error states: one sentence, and what to do.
import type { ReactNode } from "react";
import { sentence } from "../../api/client";
import { Button } from "./Button";

export function Empty({ title, hint, children }: { title: string; hint?: ReactNode; children?: ReactNode }) {
  return (
    <div className="state">
      <svg width="72" height="48" viewBox="0 0 72 48" aria-hidden="true">
        <path d="M4 40h64" stroke="var(--line-strong)" strokeWidth="1.5" strokeDasharray="2 5" strokeLinecap="round" />
        <rect x="14" y="20" width="18" height="18" rx="3" fill="none" stroke="var(--mark-1)" strokeWidth="1.5" />
        <rect x="42" y="20" width="18" height="18" rx="3" fill="none" stroke="var(--mark-2)" strokeWidth="1.5" />
        <path d="M19 26v3M25 26v3M47 26v3M53 26v3" stroke="var(--ink-soft)" strokeWidth="1.5" strokeLinecap="round" />
      </svg>
      <p className="state-title">{title}</p>
      {hint && <p className="soft">{hint}</p>}
      {children}
    </div>
  );
}

export function Loading({ what = "this" }: { what?: string }) {
  return (
    <div className="state" role="status">
      <div className="loading" aria-hidden="true">
        <i />
        <i />
        <i />
      </div>
      <p className="soft">Loading {what}…</p>
    </div>
  );
}

/** An error as its sentence; `onRetry` offers another try, children another way on. */
export function ErrorNote({ error, title, onRetry, children }: { error: unknown; title?: string; onRetry?: () => void; children?: ReactNode }) {
  return (
    <div className="note note-bad" role="alert">
      <div>
        {title && <strong>{title} </strong>}
        {withCode(sentence(error))}
      </div>
      <div className="row">
        {onRetry && <Button onClick={onRetry}>Try again</Button>}
        {children}
      </div>
    </div>
  );
}

/** Text with `commands` in it, as our sentences have them, with those set as code. */
export function withCode(text: string): ReactNode {
  return text.split("`").map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part));
}

/** A remark in the page's own voice: missing data, a fallback in use. */
export function Note({ tone = "plain", children }: { tone?: "plain" | "warn" | "good"; children: ReactNode }) {
  return <div className={`note note-${tone}`}>{children}</div>;
}
