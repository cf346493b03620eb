import { useEffect, useRef, useState } from "react";
import { openSource, type Way } from "./open";
import type { Source } from "./source";

export type Opened = { source: Source | null; error: unknown; retry: () => void };

const LINGER_MS = 1000; // a picture that is being replaced may still ask its old source for a frame

/** A run's replay. */
export function useSource(runId: string | null, replayId: string | null, way: Way): Opened {
  const key = runId && replayId ? JSON.stringify([runId, replayId, way]) : "";
  return useOpened(key, (signal) => openSource(runId ?? "", replayId ?? "", way, signal));
}

/** The replay that is asked for by a key, "" for none; while another one loads, the old one stays. */
export function useOpened(key: string, open: (signal: AbortSignal) => Promise<Source>): Opened {
  const [state, setState] = useState<{ key: string; source: Source | null; error: unknown }>({ key: "", source: null, error: null });
  const [round, setRound] = useState(0);
  const opener = useRef(open);
  useEffect(() => {
    opener.current = open; // the newest closure, without making it a reason to open again
  });
  useEffect(() => {
    if (!key) {
      setState({ key: "", source: null, error: null });
      return;
    }
    const stop = new AbortController();
    opener.current(stop.signal).then(
      (source) => (stop.signal.aborted ? source.close() : setState({ key, source, error: null })),
      (error: unknown) => {
        if (!stop.signal.aborted) setState({ key, source: null, error });
      },
    );
    return () => stop.abort();
  }, [key, round]);
  useClosed(state.source);
  return { source: state.source, error: state.key === key ? state.error : null, retry: () => setRound((old) => old + 1) };
}

/** Closes a source some time after it has left the screen. */
function useClosed(source: Source | null): void {
  const closing = useRef(new Map<Source, ReturnType<typeof setTimeout>>());
  useEffect(() => {
    if (!source) return;
    const timers = closing.current;
    clearTimeout(timers.get(source)); // shown again
    return () => void timers.set(source, setTimeout(() => source.close(), LINGER_MS));
  }, [source]);
}
