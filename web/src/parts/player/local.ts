// A replay file that a visitor opens: it stays in this tab, nothing is sent anywhere.
import { useEffect, useState } from "react";
import type { Source } from "./source";

const kept = new Map<string, Uint8Array>();

/** Keeps a file and gives the address at which Watch shows it. */
export function keepLocal(name: string, bytes: Uint8Array): string {
  kept.set(name, bytes);
  return `/?file=${encodeURIComponent(name)}`;
}

export type OpenedFile = { source: Source | null; error: unknown };

/** The replay in a kept file; null for none asked for. */
export function useLocal(name: string | null): OpenedFile | null {
  const [state, setState] = useState<{ name: string | null } & OpenedFile>({ name: null, source: null, error: null });
  useEffect(() => {
    if (name === null) return;
    let left = false;
    let opened: Source | null = null;
    open(name).then(
      (source) => (left ? source.close() : setState({ name, source: (opened = source), error: null })),
      (error: unknown) => void (left || setState({ name, source: null, error })),
    );
    return () => {
      left = true;
      setTimeout(() => opened?.close(), 1000); // the picture that is being replaced may still ask for a frame
    };
  }, [name]);
  if (name === null) return null;
  return state.name === name ? state : { source: null, error: null };
}

async function open(name: string): Promise<Source> {
  const bytes = kept.get(name);
  if (!bytes) throw new Error(`${name} is not open in this tab (any more). Choose the file again.`);
  const { openReplay } = await import("../../engine/replay");
  return openReplay(bytes, name);
}
