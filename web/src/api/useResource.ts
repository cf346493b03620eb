import { useCallback, useEffect, useRef, useState } from "react";

export type Resource<T> = {
  data: T | undefined; // the newest answer; kept while a newer one is fetched
  error: unknown; // why the last try failed; undefined after a good one
  loading: boolean; // true until the first answer or error for this key
  reload: () => void;
};

/**
 * Fetches when `key` changes, and again every `pollMs`. `key` null: nothing to fetch yet.
 * An answer to an older key is dropped; a failed poll keeps the data and says so in `error`.
 */
export function useResource<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  { pollMs }: { pollMs?: number } = {},
): Resource<T> {
  const [state, setState] = useState<{ key: string | null; data?: T; error?: unknown }>({ key: null });
  const [round, setRound] = useState(0);
  const loader = useRef(load);
  useEffect(() => {
    loader.current = load; // the newest closure, without making it a reason to fetch
  });

  useEffect(() => {
    if (key === null) return;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const fetchOnce = async () => {
      try {
        const data = await loader.current(stop.signal);
        if (!stop.signal.aborted) setState({ key, data });
      } catch (error) {
        if (!stop.signal.aborted) setState((old) => ({ key, data: old.key === key ? old.data : undefined, error }));
      }
      if (pollMs && !stop.signal.aborted) timer = setTimeout(fetchOnce, pollMs);
    };
    void fetchOnce();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, pollMs, round]);

  const reload = useCallback(() => setRound((old) => old + 1), []);
  const current = state.key === key;
  return {
    data: current ? state.data : undefined,
    error: current ? state.error : undefined,
    loading: key !== null && !current,
    reload,
  };
}
