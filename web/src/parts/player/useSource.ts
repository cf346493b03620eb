import { useEffect, useRef, useState } from "react";
import { openSource, type Way } from "./open";
import type { Source } from "./source";

export type Opened = { source: Source | null; error: unknown; retry: () => void };

const LINGER_MS = 1000; // a picture that is being replaced may still ask its old source for a frame

/** The replay that is asked for; while another one loads, the old one stays. */
export function useSource(runId: string | null, replayId: string | null, way: Way): Opened {
  const [state, setState] = useState<{ key: string; source: Source | null; error: unknown }>({ key: "", source: null, error: null });
  const [round, setRound] = useState(0);
  const key = runId && replayId ? JSON.stringify([runId, replayId, way]) : "";
  useEffect(() => {
    if (!runId || !replayId) {
      setState({ key: "", source: null, error: null });
      return;
    }
    const stop = new AbortController();
    openSource(runId, replayId, way, stop.signal).then(
      (source) => (stop.signal.aborted ? source.close() : setState({ key, source, error: null })),
      (error: unknown) => {
        if (!stop.signal.aborted) setState({ key, source: null, error });
      },
    );
    return () => stop.abort();
  }, [key, runId, replayId, way, round]);
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
