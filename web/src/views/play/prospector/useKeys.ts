// The page's keys: ignored while somebody types or a dialog is open, and never in the way of the browser's own.
import { useEffect, useRef, useState } from "react";
import type { ProspectorSpec } from "../../../parts/prospector/spec";
import { press, type Command, type Waiting } from "./keys";

const TYPING = "input:not([type=checkbox]):not([type=button]), textarea, select, [contenteditable=true]";
const WAIT_MS = 6000; // a first key alone is forgotten after this

export function useKeys(spec: ProspectorSpec | null, run: (command: Command) => void): { waiting: Waiting; forget: () => void } {
  const [waiting, setWaiting] = useState<Waiting>(null);
  const latest = useRef({ waiting, run });
  useEffect(() => {
    latest.current = { waiting, run };
  });

  useEffect(() => {
    if (!spec) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isElsewhere(event)) return;
      const pressed = press(event, latest.current.waiting, spec);
      if (!pressed.handled || (event.repeat && pressed.command?.do !== "repeat" && pressed.command?.do !== "act")) return;
      event.preventDefault();
      setWaiting(pressed.waiting);
      latest.current.waiting = pressed.waiting; // two keys may come before the page is drawn again
      if (pressed.command) latest.current.run(pressed.command);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [spec]);

  useEffect(() => {
    if (!waiting) return;
    const timer = setTimeout(() => setWaiting(null), WAIT_MS);
    return () => clearTimeout(timer);
  }, [waiting]);

  return { waiting, forget: () => setWaiting(null) };
}

/** Typing, a dialog, or a control that was reached by Tab and wants its own Space and Enter. */
function isElsewhere(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null;
  if (!target) return false;
  if (target.closest(TYPING) || document.querySelector("dialog[open]")) return true;
  return event.key === " " && target.matches("button:focus-visible, a:focus-visible, input:focus-visible, summary");
}
