// Short messages at the foot of the page: toast("Link copied"). They leave by themselves and never take focus.
import { useSyncExternalStore, type ReactNode } from "react";
import { Button } from "./Button";
import { icons } from "./icons";

type Message = { id: number; text: ReactNode; action?: { label: string; run: () => void } };

const SHOWN_MS = 8000;
const MOST = 3;
let messages: readonly Message[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function replace(next: readonly Message[]): void {
  messages = next;
  for (const listener of listeners) listener();
}

function dismiss(id: number): void {
  replace(messages.filter((message) => message.id !== id));
}

export function toast(text: ReactNode, action?: Message["action"]): void {
  const id = ++lastId;
  replace([...messages, { id, text, action }].slice(-MOST));
  setTimeout(() => dismiss(id), SHOWN_MS);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => messages);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, action }) => (
        <div className="toast" key={id}>
          <span>{text}</span>
          {action && (
            <Button
              kind="primary"
              onClick={() => {
                action.run();
                dismiss(id);
              }}
            >
              {action.label}
            </Button>
          )}
          <Button kind="quiet" icon={icons.cross} label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
